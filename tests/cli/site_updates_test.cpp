// Updates of the discrete parameters of programs: the exact matrix of a sweep, from its own code,
// against the program with numbers for them, state by state. Mutants are rejected.
#include "infer/gibbs/site_sweep.hpp"
#include "io/json_reader.hpp"
#include "model/discrete/site_clusters.hpp"
#include "model/model.hpp"
#include "support/finite_checks.hpp"

namespace credo::model::site_updates_test {
namespace {
using infer::finite::ProductSpace;
using testing::leaves_invariant;

struct Case {
  const char* name;
  const char* discrete;  // the declaration of the discrete parameters
  const char* rest;      // other parameters, then the model
  bool irreducible = true;
  bool pairs = false;  // some sites meet others in pairs only: clusters are possible
};

const char* const kData = R"({"y": [0.3, -0.8, 1.1, 2.2, 0.9, -1.3], "J": 0.7})";
const char* const kHead = "data { vector[6] y; real J; }\n";

const Case kCases[] = {
    {"ising_grid", "array[6] int<lower=0, upper=1> z;",  // 2 x 3
     R"(parameters { real<lower=0> s; @ } model {
       for (i in 1:2) for (j in 1:3) { int k = 3 * (i - 1) + j;
         if (j < 3) target += J * (2 * z[k] - 1) * (2 * z[k + 1] - 1);
         if (i < 2) target += J * (2 * z[k] - 1) * (2 * z[k + 3] - 1);
         y[k] ~ normal(2 * z[k] - 1, s); } })",
     true, true},
    {"grid_of_two_signs", "array[6] int<lower=0, upper=1> z;",  // frustrated
     R"(parameters { real<lower=0> s; @ } model {
       for (i in 1:2) for (j in 1:3) { int k = 3 * (i - 1) + j;
         if (j < 3) target += (k == 2 ? J : -J) * (2 * z[k] - 1) * (2 * z[k + 1] - 1);
         if (i < 2) target += J * (2 * z[k] - 1) * (2 * z[k + 3] - 1);
         y[k] ~ normal(2 * z[k] - 1, s); } })",
     true, true},
    {"all_pairs_of_four", "array[4] int<lower=0, upper=2> z;",  // of any form; one attracts
     R"(parameters { real m; @ } model {
       for (i in 1:3) for (j in i + 1:4) target += -square(z[i] - z[j] - m) * y[i + j - 1] * 0.4;
       target += 1.5 * (z[1] == z[4]); for (i in 1:4) target += y[i] * z[i]; })",
     true, true},
    {"pairs_some_impossible", "array[4] int<lower=0, upper=1> z;",
     R"(parameters { real m; @ } model {
       if (z[1] == 1 && z[2] == 0) target += negative_infinity();
       if (z[2] != z[3]) target += negative_infinity();
       target += J * z[1] * z[4] + m * z[4] + 0.3 * z[2]; })",
     true, true},
    {"potts_grid", "array[4] int<lower=1, upper=3> z;",  // 2 x 2
     R"(parameters { vector[3] mu; @ } model {
       target += J * ((z[1] == z[2]) + (z[3] == z[4]) + (z[1] == z[3]) + (z[2] == z[4]));
       y[1:4] ~ normal(mu[z], 1); })",
     true, true},
    {"bayesian_network", "array[5] int<lower=0, upper=1> z;",  // two causes, three effects
     R"(parameters { real a; @ } model {
       z[1] ~ bernoulli(0.3); z[2] ~ bernoulli(0.6);
       z[3] ~ bernoulli_logit(a * z[1] - z[2]); z[4] ~ bernoulli_logit(2 * z[3] - 1);
       z[5] ~ bernoulli_logit(z[3] + z[4] - a * z[1]); })"},
    {"mixture", "array[4] int<lower=1, upper=3> z;",
     R"(parameters { simplex[3] pi; ordered[3] mu; @ } model {
       z ~ categorical(pi); y[1:4] ~ normal(mu[z], 1); })"},
    {"hidden_chain", "array[5] int<lower=1, upper=2> z;",
     R"(parameters { array[2] simplex[2] T; vector[2] mu; @ } model {
       for (t in 2:5) z[t] ~ categorical(T[z[t - 1]]);
       y[1:5] ~ normal(mu[z], 1); })",
     true, true},
    {"branches", "array[4] int<lower=0, upper=2> z;",
     R"(parameters { real<lower=0> s; @ } model {
       for (i in 1:4) { if (z[i] == 0) y[i] ~ normal(0, s); else if (z[i] == 1)
           y[i] ~ student_t(3, 1, s); else y[i] ~ normal(z[1 + i % 4], s); } })",
     true, true},
    {"functions_of_whole_numbers", "array[4] int<lower=0, upper=2> z;",
     R"(parameters { real m; @ } model { target += -square(z[1] + z[2] - 1); target += -z[3];
       target += -abs(z[4] - z[3]) + lgamma(z[4] + 1) + m * sqrt(z[2]); })",
     true, true},
    {"one_site", "array[1] int<lower=0, upper=3> z;",
     R"(parameters { @ } model { z ~ poisson(1); y ~ normal(z[1], 1); })"},
    {"bounds_of_other_sites", "array[3] int<lower=0, upper=4> z;",  // some states are impossible
     R"(parameters { real<lower=0, upper=1> p; @ } model {
       z[1] ~ binomial(4, p); z[2] ~ binomial(z[1], 0.5); z[3] ~ binomial(z[2], p);
       if (z[1] + z[3] > 6) target += negative_infinity(); })"},
    {"sum_over_all", "array[6] int<lower=0, upper=1> z;",
     R"(parameters { real s; @ } model {
       z ~ bernoulli(0.4); target += -square(sum(z) - 2.5) * exp(s); })"},
    {"sum_over_very_many", "array[5] int<lower=0, upper=1> z; array[14] int<lower=0, upper=0> w;",
     R"(parameters { real s; @ } model {
       z ~ bernoulli(0.4); target += J * z[1] * z[2];
       target += -square(sum(z) + sum(w) - 1.5) * exp(s); target += log1p(z[3] + 0.5 * sum(w)); })"},
    {"a_number_of_ones", "array[6] int<lower=0, upper=1> z;",  // no single site can move
     R"(parameters { real s; @ } model {
       for (i in 1:6) z[i] ~ bernoulli_logit(s * i);
       if (sum(z) != 3) target += negative_infinity(); })",
     false},
};

std::unique_ptr<Model> model_of(const std::string& text, ModelOptions options = {}) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program = compile_text("test.stan", kHead + text, diagnostics, source);
  if (program == nullptr) throw Error(ErrorCode::program, lang::render(source, diagnostics));
  return std::make_unique<Model>(program, io::parse_json_data(kData, "data"), options);
}

std::string with(const std::string& rest, const std::string& declaration) {
  std::string text = rest;
  for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos; at += declaration.size())
    text.replace(at, 1, declaration);
  return text;
}

std::unique_ptr<Model> sampled(const Case& c, SiteBlocks blocks,
                               density::SiteUpdate update = density::SiteUpdate::gibbs) {
  ModelOptions options;
  options.site_update = update;
  options.discrete = DiscreteUse::gibbs;
  options.blocks = blocks;
  return model_of(with(c.rest, c.discrete), options);
}

ProductSpace space_of(const DiscreteRanges& ranges) {
  std::vector<Index> sizes;
  for (std::size_t m = 0; m < ranges.lower.size(); ++m) sizes.push_back(ranges.num_values(m));
  return sizes;
}

std::vector<double> free_point(Index size) {
  std::vector<double> point;
  for (Index d = 0; d < size; ++d) point.push_back(0.6 * std::sin(0.9 + 2.1 * double(d)));
  return point;
}

// The log density of the program in which z is data.
double log_density_at(const Case& c, const DiscreteRanges& ranges, std::span<const Index> z,
                      std::span<const double> point) {
  std::map<std::string, std::string> values;  // by variable
  for (std::size_t m = 0; m < z.size(); ++m) {
    std::string& list = values[ranges.layout.variable_of(static_cast<Index>(m)).name];
    list += (list.empty() ? "" : ", ") + std::to_string(ranges.lower[m] + z[m]);
  }
  std::string given = "transformed data {\n";
  for (const auto& [name, list] : values) {
    const auto size = 1 + std::count(list.begin(), list.end(), ',');
    given += "array[" + std::to_string(size) + "] int " + name + " = {" + list + "};\n";
  }
  given += "}\n";
  return model_of(given + with(c.rest, ""))->evaluate_in_full(point).log_density;
}

std::vector<double> weights_of(const Case& c, const Model& model, const ProductSpace& space) {
  const std::vector<double> point = free_point(model.num_continuous());
  std::vector<double> weights;
  for (const auto& z : testing::states_of(space)) {
    const double log_density = log_density_at(c, model.discrete(), z, point);
    weights.push_back(std::isnan(log_density) ? 0.0 : std::exp(log_density));
  }
  return weights;
}

// A sweep at fixed free values, as a kernel on the sites' values from 0.
auto kernel_of(density::DiscreteUpdates& updates, std::vector<double> point,
               const DiscreteRanges& ranges) {
  return [&updates, point, &ranges](std::vector<Index>& z, infer::Chooser& chooser) {
    std::vector<double> position = point;
    for (std::size_t m = 0; m < z.size(); ++m) position.push_back(double(ranges.lower[m] + z[m]));
    infer::sweep_as_asked(updates, position, chooser);
    for (std::size_t m = 0; m < z.size(); ++m)
      z[m] = static_cast<Index>(position[point.size() + m]) - ranges.lower[m];
  };
}

infer::finite::FiniteChain matrix_of(density::DiscreteUpdates& updates, const Model& model) {
  const auto kernel = kernel_of(updates, free_point(model.num_continuous()), model.discrete());
  return infer::finite::transition_matrix(kernel, testing::states_of(space_of(model.discrete())));
}

// ---- other updates than draws in order

class chosen_updates : public ::testing::TestWithParam<std::tuple<Case, density::SiteUpdate>> {};

TEST_P(chosen_updates, leave_the_exact_conditional_distribution) {
  const auto& [c, update] = GetParam();
  const auto model = sampled(c, SiteBlocks::single, update);
  const auto updates = model->make_updates();
  EXPECT_TRUE(leaves_invariant(matrix_of(*updates, *model),
                               weights_of(c, *model, space_of(model->discrete()))));
}

constexpr std::array<std::string_view, 7> kShortCases{
    "pairs_some_impossible", "potts_grid",       "mixture", "branches", "one_site",
    "bounds_of_other_sites", "grid_of_two_signs"};
// Programs whose sweeps have few enough paths to try all.
std::vector<Case> short_cases() {
  std::vector<Case> some;
  for (const Case& c : kCases)
    if (std::ranges::find(kShortCases, c.name) != kShortCases.end()) some.push_back(c);
  return some;
}
INSTANTIATE_TEST_SUITE_P(programs, chosen_updates,
                         ::testing::Combine(::testing::ValuesIn(short_cases()),
                                            ::testing::Values(density::SiteUpdate::random,
                                                              density::SiteUpdate::metropolis)),
                         [](const auto& c) {
                           const bool is_random =
                               std::get<1>(c.param) == density::SiteUpdate::random;
                           return std::get<0>(c.param).name +
                                  std::string(is_random ? "_at_random" : "_by_metropolis");
                         });

class site_updates : public ::testing::TestWithParam<std::tuple<Case, SiteBlocks>> {
 protected:
  const Case& the_case() const { return std::get<0>(GetParam()); }
};

TEST_P(site_updates, leave_the_exact_conditional_distribution) {
  const auto model = sampled(the_case(), std::get<1>(GetParam()));
  const auto weights = weights_of(the_case(), *model, space_of(model->discrete()));
  const auto updates = model->make_updates();
  const auto chain = matrix_of(*updates, *model);
  EXPECT_TRUE(leaves_invariant(chain, weights));
  const bool all_possible =
      std::all_of(weights.begin(), weights.end(), [](double w) { return w > 0.0; });
  if (the_case().irreducible && all_possible) {
    EXPECT_TRUE(testing::converges(chain, weights));
  }
}

TEST_P(site_updates, evaluate_the_density_of_the_program_with_these_values) {
  const auto model = sampled(the_case(), std::get<1>(GetParam()));
  const std::vector<double> point = free_point(model->num_continuous());
  for (const auto& z : testing::states_of(space_of(model->discrete()))) {
    std::vector<double> position = point;
    for (std::size_t m = 0; m < z.size(); ++m)
      position.push_back(double(model->discrete().lower[m] + z[m]));
    const double expected = log_density_at(the_case(), model->discrete(), z, point);
    std::vector<double> gradient(position.size());
    density::Request request{.position = position, .gradient = gradient, .status = {}};
    density::Request* batch[] = {&request};
    model->make_evaluator()->evaluate(density::Want::gradient, batch);
    if (!(expected > -kInfinity)) {
      EXPECT_EQ(request.log_density, -kInfinity);
      continue;
    }
    // Sums of some ten rounded terms.
    EXPECT_NEAR(request.log_density, expected, 1e-12 * (1 + std::abs(expected)));
    for (std::size_t m = 0; m < z.size(); ++m) EXPECT_EQ(gradient[point.size() + m], 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(programs, site_updates,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Values(SiteBlocks::trees,
                                                              SiteBlocks::single)),
                         [](const auto& c) {
                           return std::string(std::get<0>(c.param).name) +
                                  (std::get<1>(c.param) == SiteBlocks::trees ? "_in_trees"
                                                                             : "_one_by_one");
                         });

std::vector<Case> cases_of_pairs() {
  std::vector<Case> some;
  std::copy_if(std::begin(kCases), std::end(kCases), std::back_inserter(some),
               [](const Case& c) { return c.pairs; });
  return some;
}
INSTANTIATE_TEST_SUITE_P(clusters, site_updates,
                         ::testing::Combine(::testing::ValuesIn(cases_of_pairs()),
                                            ::testing::Values(SiteBlocks::clusters)),
                         [](const auto& c) {
                           return std::string(std::get<0>(c.param).name) + "_by_clusters";
                         });

const Case& case_named(std::string_view name) {
  return *std::find_if(std::begin(kCases), std::end(kCases),
                       [&](const Case& c) { return c.name == name; });
}

TEST(site_blocks, need_pairs_for_clusters) {
  const auto model = sampled(case_named("mixture"), SiteBlocks::clusters);
  EXPECT_THROW(model->make_updates(), Error);
}

// A chain is one block: a sweep forgets where it began.
TEST(site_blocks, draw_a_hidden_chain_independently_of_where_it_was) {
  const Case& hidden = case_named("hidden_chain");
  const auto model = sampled(hidden, SiteBlocks::trees);
  const auto updates = model->make_updates();
  ASSERT_EQ(updates->num_steps(), 1);
  const auto chain = matrix_of(*updates, *model);
  const auto distribution = infer::finite::distribution_from_weights(
      weights_of(hidden, *model, space_of(model->discrete())));
  std::vector<double> start(distribution.size(), 0.0);
  start.back() = 1.0;
  EXPECT_LT(infer::finite::total_variation(infer::finite::distribution_after(chain, start, 1),
                                           distribution),
            1e-12);
}

TEST(site_blocks, take_a_grid_apart_into_two_trees_or_two_colours) {
  std::vector<graph::Sites> scopes;
  const testing::IsingGrid grid{.rows = 9, .cols = 7};
  for (const auto& [i, j] : grid.edges())
    scopes.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
  const std::vector<char> apart(static_cast<std::size_t>(grid.num_sites()), 0);
  EXPECT_EQ(steps_of(scopes, apart, SiteBlocks::single).size(), 2u);
  EXPECT_EQ(steps_of(scopes, apart, SiteBlocks::trees).size(), 2u);
}

// ---- mutants ----

// The grid of two by two, from its summands.
struct Grid {
  static constexpr Index kSites = 4;
  DiscreteRanges ranges{.lower = {0, 0, 0, 0}, .upper = {1, 1, 1, 1}, .layout = {}};
  testing::IsingGrid ising{.rows = 2, .cols = 2, .coupling = 0.6};
  graph::Traced traced{.graph = std::make_unique<graph::Graph>(), .input = 0, .outputs = {}};
  graph::Factors factors;

  Grid() {
    traced.input = traced.graph->add_input(graph::vector_shape(kSites));
    const graph::Expr z(*traced.graph, {traced.input, -1});
    graph::Expr total = 0.0;
    for (const auto& [i, j] : ising.edges())
      total = total + 0.6 * (2.0 * z.element(i) - 1.0) * (2.0 * z.element(j) - 1.0);
    factors = graph::factorise(*traced.graph, total, traced.input, 0, graph::FactorUse::updates);
  }
  auto updates(SiteBlocks blocks, density::SiteUpdate update = density::SiteUpdate::gibbs) {
    return make_updates(std::make_shared<const DiscreteSites>(
        std::move(traced), factors, ranges, SiteOptions{.blocks = blocks, .update = update}));
  }
  bool holds_for(density::DiscreteUpdates& updates) {
    const auto chain = infer::finite::transition_matrix(kernel_of(updates, {}, ranges),
                                                        testing::states_of(ising.space()));
    return leaves_invariant(chain, ising.weights());
  }
};

TEST(site_updates, are_rejected_with_a_summand_missing_in_a_blanket) {
  for (const SiteBlocks blocks : {SiteBlocks::trees, SiteBlocks::single, SiteBlocks::clusters}) {
    Grid right, wrong;
    EXPECT_TRUE(right.holds_for(*right.updates(blocks)));
    wrong.factors.scopes[0].pop_back();  // its second site isn't seen
    EXPECT_FALSE(wrong.holds_for(*wrong.updates(blocks)));
  }
}

// Each step sees the position that the sweep began with: all colours at once.
class Stale final : public density::DiscreteUpdates {
 public:
  explicit Stale(std::unique_ptr<density::DiscreteUpdates> inner) : inner_(std::move(inner)) {}
  Index num_steps() const override { return inner_->num_steps(); }
  void update(Index step, std::span<double> position,
              const density::ChooseByLogWeight& choose) override {
    if (step == 0) start_.assign(position.begin(), position.end());
    std::vector<double> drawn = start_;
    inner_->update(step, drawn, choose);
    for (std::size_t k = 0; k < drawn.size(); ++k)
      if (drawn[k] != start_[k]) position[k] = drawn[k];
  }

 private:
  std::unique_ptr<density::DiscreteUpdates> inner_;
  std::vector<double> start_;
};

TEST(site_updates, are_rejected_when_all_colours_are_drawn_from_one_table) {
  Grid grid;
  Stale stale(grid.updates(SiteBlocks::single));
  EXPECT_FALSE(grid.holds_for(stale));
}

// Moves by the weights of another distribution, the one in which each log weight is half as large.
class Flattened final : public density::DiscreteUpdates {
 public:
  explicit Flattened(std::unique_ptr<density::DiscreteUpdates> inner) : inner_(std::move(inner)) {}
  Index num_steps() const override { return inner_->num_steps(); }
  density::SiteUpdate kind() const override { return inner_->kind(); }
  void update(Index step, std::span<double> position,
              const density::ChooseByLogWeight& choose) override {
    inner_->update(step, position, choose);
  }
  bool move(Index step, std::span<double> position, const density::MoveByLogWeight& move) override {
    return inner_->move(step, position, [&](Index now, std::span<const double> log_weights) {
      std::vector<double> halved(log_weights.begin(), log_weights.end());
      for (double& w : halved) w *= 0.5;
      return move(now, halved);
    });
  }

 private:
  std::unique_ptr<density::DiscreteUpdates> inner_;
};

TEST(chosen_updates, by_metropolis_are_rejected_with_other_weights) {
  Grid right, wrong;
  EXPECT_TRUE(right.holds_for(*right.updates(SiteBlocks::single, density::SiteUpdate::metropolis)));
  Flattened flattened(wrong.updates(SiteBlocks::single, density::SiteUpdate::metropolis));
  EXPECT_FALSE(wrong.holds_for(flattened));
}

// A state of the exact distribution, a sweep, and how often each state is the end: chi-square of independent counts, with
// 15 degrees of freedom above 45 once in 10,000 times.
double chi_square_after_a_sweep(density::DiscreteUpdates& updates, const Grid& grid) {
  constexpr Index kSweeps = 20000;
  const auto states = testing::states_of(grid.ising.space());
  const auto exact = infer::finite::distribution_from_weights(grid.ising.weights());
  const auto kernel = kernel_of(updates, {}, grid.ranges);
  std::map<std::vector<Index>, double> counts;
  for (Index k = 0; k < kSweeps; ++k) {
    Rng rng({.seed = testing::test_seed(31),
             .purpose = purpose::kTest,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(k)});
    infer::RngChooser chooser(rng);
    std::vector<Index> z = states[static_cast<std::size_t>(chooser.choose(exact))];
    kernel(z, chooser);
    counts[z] += 1.0;
  }
  double sum = 0.0;
  for (std::size_t s = 0; s < states.size(); ++s) {
    const double expected = static_cast<double>(kSweeps) * exact[s];
    sum += (counts[states[s]] - expected) * (counts[states[s]] - expected) / expected;
  }
  return sum;
}

TEST(chosen_updates, by_over_relaxation_leave_the_distribution_and_with_other_weights_do_not) {
  constexpr auto kKind = density::SiteUpdate::over_relaxed;
  Grid right, wrong;
  const auto updates = right.updates(SiteBlocks::single, kKind);
  EXPECT_LT(chi_square_after_a_sweep(*updates, right), 45.0);
  Flattened flattened(wrong.updates(SiteBlocks::single, kKind));
  EXPECT_GT(chi_square_after_a_sweep(flattened, wrong), 45.0);
}

TEST(chosen_updates, of_single_values_refuse_blocks) {
  for (const auto kind : {density::SiteUpdate::metropolis, density::SiteUpdate::over_relaxed}) {
    Grid grid;
    const auto updates = grid.updates(SiteBlocks::trees, kind);
    Rng rng({.seed = 1, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
    infer::RngChooser chooser(rng);
    std::vector<double> position(4, 0.0);
    EXPECT_THROW(infer::sweep_as_asked(*updates, position, chooser), Error);
  }
}

// Bonds of the wrong share: bound where they are not to be, and the other way round. Their weights are the two
// that add up to 1.
class WrongBonds final : public density::DiscreteUpdates {
 public:
  explicit WrongBonds(std::unique_ptr<density::DiscreteUpdates> inner) : inner_(std::move(inner)) {}
  Index num_steps() const override { return inner_->num_steps(); }
  void update(Index step, std::span<double> position,
              const density::ChooseByLogWeight& choose) override {
    inner_->update(step, position, [&](std::span<const double> weights) {
      const Index chosen = choose(weights);
      const double sum = std::exp(weights[0]) + std::exp(weights[1]);
      return weights.size() == 2 && std::abs(sum - 1.0) < 1e-12 ? 1 - chosen : chosen;
    });
  }

 private:
  std::unique_ptr<density::DiscreteUpdates> inner_;
};

TEST(site_updates, are_rejected_with_bonds_of_a_wrong_share) {
  Grid grid;
  WrongBonds wrong(grid.updates(SiteBlocks::clusters));
  EXPECT_FALSE(grid.holds_for(wrong));
}

TEST(bonds, are_the_coupling_of_potts_tables_and_none_of_others) {
  EXPECT_DOUBLE_EQ(bond_of(std::vector{0.7, 0.0, 0.0, 0.7}, 2, 2).strength, 0.7);
  const Bond apart = bond_of(std::vector{0.0, 0.9, 0.5, 0.0}, 2, 2);
  EXPECT_DOUBLE_EQ(apart.strength, 0.7);
  EXPECT_TRUE(apart.opposite);
  EXPECT_DOUBLE_EQ(bond_of(std::vector{1., 0., 0., 0., 1., 0., 0., 0., 1.}, 3, 3).strength, 1.0);
  EXPECT_EQ(bond_of(std::vector{0., 1., 1., 1., 0., 1., 1., 1., 0.}, 3, 3).strength, 0.0);
  EXPECT_EQ(bond_of(std::vector{1., 0., 0., 0., 1., 0.}, 2, 3).strength, 0.0);
  EXPECT_EQ(bond_of(std::vector{0.0, -kInfinity, 0.0, 0.0}, 2, 2).strength, kInfinity);
  EXPECT_EQ(bond_of(std::vector{-kInfinity, -kInfinity, 0.0, 0.0}, 2, 2).strength, 0.0);
}

// ---- inputs ----

TEST(discrete_block, is_chosen_where_there_are_too_many_states) {
  const auto automatic = [&](int n) {
    const std::string size = std::to_string(n);
    return model_of("parameters { array[" + size + ", " + size + R"(] int<lower=0, upper=1> z; }
      model { for (i in 1:)" +
                    size + ") for (j in 2:" + size + R"() {
        target += J * z[i, j] * z[i, j - 1]; target += J * z[j, i] * z[j - 1, i]; } })");
  };
  EXPECT_EQ(automatic(4)->discrete_block().size(), 0);
  EXPECT_EQ(automatic(20)->discrete_block().size(), 400);
}

TEST(discrete_block, takes_initial_values_within_its_bounds) {
  const auto model = sampled(case_named("mixture"), SiteBlocks::trees);
  const auto given = [&](const char* text) {
    return model->unconstrain(
        io::parse_json_data(text, "init"),
        std::vector<double>(static_cast<std::size_t>(model->dimension()), kNaN));
  };
  const std::vector<double> position = given(R"({"z": [1, 3, 2, 1]})");
  EXPECT_EQ(std::vector<double>(position.end() - 4, position.end()),
            (std::vector<double>{1, 3, 2, 1}));
  EXPECT_TRUE(std::isnan(given("{}").back()));
  EXPECT_THROW(given(R"({"z": [1, 4, 2, 1]})"), Error);
  EXPECT_THROW(given(R"({"z": [1, 2]})"), Error);
}

}  // namespace
}  // namespace credo::model::site_updates_test
