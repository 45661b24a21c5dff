// Exact matrices of kernels: from formulas, from the kernels' own code, and of wrong kernels.
#include "infer/finite/kernels.hpp"

#include <gtest/gtest.h>

#include "infer/finite/spectrum.hpp"
#include "support/finite_checks.hpp"

namespace credo::infer::finite::finite_kernels_test {
namespace {
using namespace credo::testing;

using Spins = std::vector<Index>;

FiniteChain random_proposal(Index n, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest + 2});
  RowMatrix matrix(n);
  for (double& p : matrix.values) p = rng.uniform();
  return FiniteChain(with_rows_divided_by_sums(std::move(matrix)));
}

std::vector<double> random_target(Index n, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest + 3});
  std::vector<double> target(n);
  for (double& p : target) p = std::exp(3.0 * rng.normal());
  return target;
}

// ---- Metropolis-Hastings ----

TEST(finite_metropolis_hastings, is_in_detailed_balance_for_any_proposal) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto target = random_target(7, seed);
    for (const Acceptance rule : {Acceptance::metropolis, Acceptance::barker}) {
      const FiniteChain chain = metropolis_hastings(target, random_proposal(7, seed), rule);
      EXPECT_TRUE(in_detailed_balance(chain, target)) << seed;
      EXPECT_TRUE(converges(chain, target)) << seed;
    }
  }
}

TEST(finite_metropolis_hastings, does_not_see_a_constant_factor_of_the_target) {
  auto target = random_target(6, 1);
  const FiniteChain proposal = random_proposal(6, 1);
  const FiniteChain chain = metropolis_hastings(target, proposal);
  for (double& p : target) p *= 0x1p40;
  EXPECT_EQ(metropolis_hastings(target, proposal).matrix().values, chain.matrix().values);
}

TEST(finite_metropolis_hastings, leaves_states_of_weight_zero_and_never_returns) {
  const std::vector<double> target{1.0, 0.0, 2.0};
  const FiniteChain chain = metropolis_hastings(target, random_proposal(3, 4));
  EXPECT_EQ(chain(0, 1), 0.0);
  EXPECT_GT(chain(1, 0), 0.0);
  EXPECT_TRUE(leaves_invariant(chain, target));
  EXPECT_EQ(structure_of(chain).num_closed(), 1);
}

TEST(finite_metropolis_hastings, never_accepts_less_than_barker) {  // Peskun's order
  const auto target = random_target(6, 2);
  const FiniteChain proposal = random_proposal(6, 2);
  const FiniteChain metropolis = metropolis_hastings(target, proposal);
  const FiniteChain barker = metropolis_hastings(target, proposal, Acceptance::barker);
  for (Index x = 0; x < 6; ++x) {
    for (Index y = 0; y < 6; ++y) EXPECT_TRUE(x == y || metropolis(x, y) >= barker(x, y));
  }
}

// ---- Gibbs ----

TEST(finite_gibbs, a_single_site_leaves_the_target_but_is_reducible) {
  const ProductSpace space({2, 3, 2});
  const auto target = random_target(12, 5);
  const Verdict verdict = judge(gibbs_block(space, target, std::array<Index, 1>{1}), target);
  EXPECT_TRUE(verdict.leaves_target);
  EXPECT_TRUE(verdict.reversible);
  EXPECT_FALSE(verdict.irreducible);
}

TEST(finite_gibbs, random_scan_is_reversible_a_sweep_is_not_and_both_converge) {
  const ProductSpace space({2, 3, 2});
  const auto target = random_target(12, 6);
  EXPECT_TRUE(in_detailed_balance(gibbs_random_scan(space, target), target));
  EXPECT_TRUE(converges(gibbs_random_scan(space, target, std::array{3.0, 1.0, 1.0}), target));
  EXPECT_FALSE(in_detailed_balance(gibbs_sweep(space, target), target));
  EXPECT_TRUE(converges(gibbs_sweep(space, target), target));
}

TEST(finite_gibbs, a_block_of_everything_draws_from_the_target) {
  const ProductSpace space({2, 3});
  const auto target = random_target(6, 7);
  const FiniteChain chain = gibbs_block(space, target, std::array<Index, 2>{0, 1});
  EXPECT_LT(worst_start(chain, distribution_from_weights(target)).distance, 1e-15);
}

TEST(finite_gibbs, blocks_of_two_are_the_conditionals_of_pairs) {
  const ProductSpace space({2, 2, 3});
  const auto target = random_target(12, 8);
  const FiniteChain blocks =
      cycle(std::array{gibbs_block(space, target, std::array<Index, 2>{0, 1}),
                       gibbs_block(space, target, std::array<Index, 2>{1, 2})});
  EXPECT_TRUE(converges(blocks, target));
}

// A support of two corners that no single site can cross.
TEST(finite_gibbs, is_reducible_on_a_disconnected_support) {
  const FiniteChain chain = gibbs_sweep({{2, 2}}, std::array{1.0, 0.0, 0.0, 1.0});
  EXPECT_EQ(structure_of(chain).num_closed(), 2);
}

// ---- X2: the 3 x 3 Ising grid, 512 states ----

void flip_one(const IsingGrid& grid, Spins& spins, Chooser& chooser) {
  Spins flipped = spins;
  const Index site = chooser.uniform_index(ssize(spins));
  flipped[site] = 1 - flipped[site];
  if (chooser.accept_log(grid.log_weight(flipped) - grid.log_weight(spins))) spins = flipped;
}

double second_modulus(const FiniteChain& chain, std::span<const double> target) {
  return spectrum_of(chain, distribution_from_weights(target)).second_modulus;
}

struct StatedIsing {
  double coupling, log_z, corner_edge, edge_centre, opposite, random_scan, sweep, metropolis;
};

TEST(finite_ising_grid, has_the_stated_moments_and_eigenvalues) {
  for (const StatedIsing& stated :
       {StatedIsing{0.3, 6.80154, 0.31775, 0.33953, 0.04456, 0.96693, 0.49445, 0.95023},
        StatedIsing{0.6, 8.67007, 0.68574, 0.75415, 0.43097, 0.99471, 0.91003, 0.99272}}) {
    const IsingGrid grid{3, 3, stated.coupling};
    const auto target = grid.weights();
    const double half = 5.1e-6;  // five decimals are stated
    EXPECT_NEAR(std::log(std::accumulate(target.begin(), target.end(), 0.0)), stated.log_z, half);
    EXPECT_NEAR(grid.correlation(0, 1), stated.corner_edge, half);
    EXPECT_NEAR(grid.correlation(1, 4), stated.edge_centre, half);
    EXPECT_NEAR(grid.correlation(0, 8), stated.opposite, half);
    const FiniteChain random_scan = gibbs_random_scan(grid.space(), target);
    const FiniteChain sweep = gibbs_sweep(grid.space(), target);
    const FiniteChain metropolis =
        transition_matrix([&](Spins& spins, Chooser& chooser) { flip_one(grid, spins, chooser); },
                          states_of(grid.space()));
    EXPECT_NEAR(second_modulus(random_scan, target), stated.random_scan, half);
    EXPECT_NEAR(second_modulus(sweep, target), stated.sweep, half);
    EXPECT_NEAR(second_modulus(metropolis, target), stated.metropolis, half);
    EXPECT_LT(balance_error(random_scan, target).absolute, 1e-17);
    EXPECT_LT(invariance_error(sweep, target).absolute, 1e-15);
    EXPECT_LT(invariance_error(sweep, target).relative, 1e-13);
    EXPECT_LT(invariance_error(random_scan, target).relative, 1e-13);
    EXPECT_TRUE(in_detailed_balance(metropolis, target));
    const double stated_residual = stated.coupling == 0.3 ? 9.2e-4 : kNaN;
    EXPECT_FALSE(std::fabs(balance_error(sweep, target).absolute - stated_residual) > 5e-6);
  }
}

TEST(finite_ising_grid, without_coupling_single_flips_have_period_two) {
  const IsingGrid grid{2, 2, 0.0};
  const FiniteChain chain =
      transition_matrix([&](Spins& spins, Chooser& chooser) { flip_one(grid, spins, chooser); },
                        states_of(grid.space()));
  EXPECT_EQ(structure_of(chain).classes[0].period, 2);
  EXPECT_NEAR(spectrum_of(chain, stationary_distribution(chain)).absolute_gap(), 0.0, 1e-14);
}

// ---- kernels as code ----

void gibbs_site(const IsingGrid& grid, Spins& spins, Index site, Chooser& chooser) {
  std::array<double, 2> log_weights{};
  for (Index value = 0; value < 2; ++value) {
    spins[site] = value;
    log_weights[value] = grid.log_weight(spins);
  }
  spins[site] = chooser.choose_log(log_weights);
}

TEST(explorer, gives_the_matrix_of_the_formula) {
  const IsingGrid grid{2, 2, 0.4};
  const FiniteChain code = transition_matrix(
      [&](Spins& spins, Chooser& chooser) {
        for (Index site = 0; site < 4; ++site) gibbs_site(grid, spins, site, chooser);
      },
      states_of(grid.space()));
  const FiniteChain formula = gibbs_sweep(grid.space(), grid.weights());
  for (std::size_t e = 0; e < code.matrix().values.size(); ++e)
    EXPECT_NEAR(code.matrix().values[e], formula.matrix().values[e], 1e-15);
}

// Bonds between equal neighbours with probability 1 - exp(-2 J); every cluster gets a new spin.
void swendsen_wang(const IsingGrid& grid, double bond_prob, Spins& spins, Chooser& chooser) {
  Spins cluster(spins.size());
  std::iota(cluster.begin(), cluster.end(), Index{0});
  for (const auto& [i, j] : grid.edges()) {
    if (spins[i] != spins[j] || !chooser.accept(bond_prob)) continue;
    const Index from = cluster[j], to = cluster[i];
    std::replace(cluster.begin(), cluster.end(), from, to);
  }
  for (Index root = 0; root < ssize(spins); ++root) {
    if (std::find(cluster.begin(), cluster.end(), root) == cluster.end()) continue;
    const Index value = chooser.uniform_index(2);
    for (Index i = 0; i < ssize(spins); ++i)
      if (cluster[i] == root) spins[i] = value;
  }
}

FiniteChain swendsen_wang_matrix(const IsingGrid& grid, double bond_prob) {
  return transition_matrix(
      [&](Spins& spins, Chooser& chooser) { swendsen_wang(grid, bond_prob, spins, chooser); },
      states_of(grid.space()));
}

TEST(explorer, proves_swendsen_wang_and_rejects_a_wrong_bond_probability) {
  const IsingGrid grid{2, 3, 0.6};
  const double right = 1.0 - std::exp(-2.0 * 0.6), wrong = 1.0 - std::exp(-0.6);
  EXPECT_TRUE(converges(swendsen_wang_matrix(grid, right), grid.weights()));
  EXPECT_TRUE(in_detailed_balance(swendsen_wang_matrix(grid, right), grid.weights()));
  EXPECT_FALSE(leaves_invariant(swendsen_wang_matrix(grid, wrong), grid.weights()));
}

// A cluster grown from a random site along equal neighbours, then flipped.
void wolff(const IsingGrid& grid, double bond_prob, Spins& spins, Chooser& chooser) {
  Spins cluster{chooser.uniform_index(ssize(spins))};
  const auto is_in = [&](Index i) {
    return std::find(cluster.begin(), cluster.end(), i) != cluster.end();
  };
  const Index value = spins[cluster[0]];
  for (Index k = 0; k < ssize(cluster); ++k) {
    for (const auto& [i, j] : grid.edges()) {
      const Index from = cluster[k];
      if (i != from && j != from) continue;
      const Index to = i == from ? j : i;
      if (spins[to] == value && !is_in(to) && chooser.accept(bond_prob)) cluster.push_back(to);
    }
  }
  for (const Index i : cluster) spins[i] = 1 - value;
}

TEST(explorer, proves_wolff_and_rejects_a_wrong_bond_probability) {
  const IsingGrid grid{2, 3, 0.5};
  for (const double bond_prob : {1.0 - std::exp(-1.0), 0.5}) {
    const FiniteChain chain = transition_matrix(
        [&](Spins& spins, Chooser& chooser) { wolff(grid, bond_prob, spins, chooser); },
        states_of(grid.space()));
    EXPECT_EQ(bool(in_detailed_balance(chain, grid.weights())), bond_prob != 0.5);
  }
}

// Tables of a restaurant, by the first guest at each: guests leave one by one and choose again, a
// table with probability proportional to its guests, or a new one to alpha.
using Seating = std::vector<Index>;
constexpr double kAlpha = 1.7;
void seat_again(Seating& tables, Chooser& chooser, double alpha) {
  for (Index guest = 0; guest < ssize(tables); ++guest) {
    std::vector<double> weights(tables.size() + 1);  // the last one is a new table
    weights.back() = alpha;
    tables[guest] = ssize(tables);
    for (const Index table : tables)
      if (table < ssize(tables)) weights[table] += 1.0;
    const Index chosen = chooser.choose(weights);
    const auto free = std::find(weights.begin(), weights.end(), 0.0) - weights.begin();
    tables[guest] = chosen < ssize(tables) ? chosen : free;
  }
}
Seating by_first_guest(const Seating& tables) {
  Seating names;
  for (const Index table : tables)
    names.push_back(std::find(tables.begin(), tables.end(), table) - tables.begin());
  return names;
}
// alpha^tables times the product of (guests - 1)!, over the partitions.
double seating_weight(const Seating& tables) {
  double weight = 1.0;
  for (Index guest = 0; guest < ssize(tables); ++guest) {
    const auto before = std::count(tables.begin(), tables.begin() + guest, tables[guest]);
    weight *= before == 0 ? kAlpha : static_cast<double>(before);
  }
  return weight;
}

TEST(explorer, proves_a_collapsed_sampler_of_partitions) {
  for (const double alpha : {kAlpha, 2.0}) {
    const auto reached = reachable_chain(
        [&](Seating& tables, Chooser& chooser) {
          seat_again(tables, chooser, alpha);
          tables = by_first_guest(tables);
        },
        Seating{0, 0, 0, 0});
    ASSERT_EQ(reached.states.size(), 15u);  // Bell's number of 4
    std::vector<double> target;
    for (const Seating& tables : reached.states) target.push_back(seating_weight(tables));
    EXPECT_EQ(bool(converges(reached.chain, target)), alpha == kAlpha);
  }
}

// A kernel that asks for its densities: the coroutine runs within each branch.
Step<Nothing> asking_walk(std::vector<double>& position, Chooser& chooser) {
  const Evaluation here = co_await evaluate(position);
  std::vector<double> candidate = position;
  candidate[0] += chooser.uniform_index(2) == 0 ? -1.0 : 1.0;
  const Evaluation there = co_await evaluate(candidate);
  if (chooser.accept_log(there.log_density - here.log_density)) position = candidate;
  co_return Nothing{};
}

TEST(explorer, runs_a_kernel_that_asks_for_evaluations) {
  const auto log_density = [](std::span<const double> x) {
    return x[0] < 0.0 || x[0] > 4.0 ? -kInfinity : -0.3 * x[0] * x[0];
  };
  const auto reached = reachable_chain(
      [&](std::vector<double>& position, Chooser& chooser) {
        run_with(asking_walk(position, chooser), log_density);
      },
      std::vector<double>{2.0});
  ASSERT_EQ(reached.states.size(), 5u);
  std::vector<double> target;
  for (const auto& state : reached.states) target.push_back(std::exp(log_density(state)));
  EXPECT_TRUE(converges(reached.chain, target));
  EXPECT_TRUE(in_detailed_balance(reached.chain, target));
}

// A jump between two models: a coin in {0, 1} with weights 1, 3, and a die in {0, 1, 2} with
// weights 1, 1, 2. The dimension-matching map of a finite jump: the new value is drawn uniformly.
struct Jumper {
  Index model, value;
  auto operator<=>(const Jumper&) const = default;
};
double weight_of(const Jumper& at) {
  constexpr std::array<double, 2> kCoin{1.0, 3.0};
  constexpr std::array<double, 3> kDie{1.0, 1.0, 2.0};
  return at.model == 0 ? kCoin[at.value] : kDie[at.value];
}
Index size_of(Index model) { return model == 0 ? 2 : 3; }

void jump(Jumper& at, Chooser& chooser, bool with_proposal_ratio) {
  Jumper to{1 - at.model, 0};
  to.value = chooser.uniform_index(size_of(to.model));
  double ratio = weight_of(to) / weight_of(at);
  if (with_proposal_ratio)
    ratio *= static_cast<double>(size_of(to.model)) / static_cast<double>(size_of(at.model));
  if (chooser.accept(ratio)) at = to;
}

TEST(explorer, finds_the_states_of_a_jump_between_models_and_a_missing_proposal_ratio) {
  for (const bool right : {true, false}) {
    const auto reached = reachable_chain(
        [&](Jumper& at, Chooser& chooser) { jump(at, chooser, right); }, Jumper{0, 0});
    ASSERT_EQ(reached.states.size(), 5u);
    std::vector<double> target;
    for (const Jumper& at : reached.states) target.push_back(weight_of(at));
    EXPECT_EQ(leaves_invariant(reached.chain, target), right);
  }
}

// ---- mutants: wrong kernels are found, whatever is wrong ----

enum class Mutation { none, upside_down, no_proposal_ratio, square, never_rejects, own_diagonal };

// A walk with a drift to the right on 0 .. 5, so that its proposal ratio matters.
void mutated_walk(Mutation mutation, std::span<const double> target, Index& at, Chooser& chooser) {
  const Index to = chooser.choose(std::array{0.7, 0.3}) == 0 ? at + 1 : at - 1;
  if (to < 0 || to >= ssize(target)) return;
  const double proposal_ratio = to > at ? 0.3 / 0.7 : 0.7 / 0.3;
  double ratio = target[to] / target[at] * proposal_ratio;
  if (mutation == Mutation::upside_down) ratio = 1.0 / ratio;
  if (mutation == Mutation::no_proposal_ratio) ratio /= proposal_ratio;
  if (mutation == Mutation::square) ratio *= ratio;
  if (mutation == Mutation::never_rejects) ratio = 1.0;
  if (mutation == Mutation::own_diagonal && !chooser.accept(0.999)) return void(at = 0);
  if (chooser.accept(ratio)) at = to;
}

TEST(finite_mutants, of_metropolis_are_reported_as_not_leaving_the_target_invariant) {
  const auto target = random_target(6, 11);
  const std::vector<Index> states{0, 1, 2, 3, 4, 5};
  for (const Mutation mutation :
       {Mutation::none, Mutation::upside_down, Mutation::no_proposal_ratio, Mutation::square,
        Mutation::never_rejects, Mutation::own_diagonal}) {
    const FiniteChain chain = transition_matrix(
        [&](Index& at, Chooser& chooser) { mutated_walk(mutation, target, at, chooser); }, states);
    const Verdict verdict = judge(chain, target);
    EXPECT_EQ(verdict.leaves_target, mutation == Mutation::none) << static_cast<int>(mutation);
    const bool says_so = verdict.faults.find("the target isn't invariant") != std::string::npos;
    EXPECT_EQ(says_so, mutation != Mutation::none) << verdict.faults;
  }
}

// A factor of 1 + 1e-9 in one acceptance ratio is seen, rounding isn't.
TEST(finite_mutants, are_found_when_they_are_wrong_by_a_billionth) {
  const auto target = random_target(6, 12);
  auto nearly = target;
  nearly[3] *= 1.0 + 1e-9;
  const FiniteChain chain = metropolis_hastings(nearly, random_proposal(6, 12));
  EXPECT_FALSE(leaves_invariant(chain, target));
  EXPECT_TRUE(leaves_invariant(chain, nearly));
}

// ---- the explorer's limits ----

std::string fault_of(const std::function<void(Index&, Chooser&)>& kernel,
                     const ExploreLimits& limits = {}) {
  try {
    transition_matrix(kernel, std::vector<Index>{0, 1}, SameState{}, limits);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool says(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

TEST(explorer, names_what_has_no_exact_matrix) {
  const auto forever = [](Index&, Chooser& chooser) {
    while (chooser.accept(0.5)) {
    }
  };
  EXPECT_TRUE(says(fault_of(forever), "more than 10000 choices"));
  const auto wide = [](Index&, Chooser& chooser) {
    for (int i = 0; i < 8; ++i) chooser.uniform_index(4);
  };
  EXPECT_TRUE(says(fault_of(wide, {.max_branches = 1000}), "more than 1000 branches"));
  const auto away = [](Index& at, Chooser&) { at += 1; };
  EXPECT_TRUE(says(fault_of(away), "from state 2 the kernel goes to a state that isn't"));
  const auto broken = [](Index&, Chooser& chooser) { chooser.choose(std::array{1.0, kNaN}); };
  EXPECT_TRUE(says(fault_of(broken), "weight nan"));
  const auto empty = [](Index&, Chooser& chooser) { chooser.choose(std::array{0.0, 0.0}); };
  EXPECT_TRUE(says(fault_of(empty), "sum to 0"));
  int calls = 0;
  const auto moody = [&](Index&, Chooser& chooser) { chooser.uniform_index(2 + calls++ % 2); };
  EXPECT_TRUE(says(fault_of(moody), "the same whenever its choices are the same"));
}

TEST(explorer, and_a_run_agree_on_how_often_each_branch_is_taken) {
  const std::vector<double> weights{0.5, 0.0, 2.0, 1.5};
  std::vector<int> counts(4);
  Rng rng({.seed = 8, .purpose = purpose::kTest + 4});
  RngChooser chooser(rng);
  constexpr int kDraws = 40000;
  for (int i = 0; i < kDraws; ++i) ++counts[chooser.choose(weights)];
  EXPECT_EQ(counts[1], 0);
  for (const Index k : {0, 2, 3}) {
    const double p = weights[k] / 4.0, sd = std::sqrt(p * (1.0 - p) / kDraws);
    EXPECT_NEAR(counts[k] / static_cast<double>(kDraws), p, 4.0 * sd);  // 6e-5 each
  }
}

}  // namespace
}  // namespace credo::infer::finite::finite_kernels_test
