// Runs of samplers on programs with a discrete block, against enumeration and quadrature, and
// against the same programs with the block summed out.
#include "cli/results.hpp"
#include "diagnose/convergence.hpp"
#include "infer/ensemble/tempered.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/optimise/anneal.hpp"
#include "infer/optimise/mode.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "results/files/run_store.hpp"
#include "support/finite_checks.hpp"
#include "support/hash.hpp"
#include "support/test_seed.hpp"

namespace credo::cli::site_sampling_test {
namespace {

std::unique_ptr<model::Model> model_of(const std::string& text, const std::string& data,
                                       model::ModelOptions options = {}) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program = model::compile_text("test.stan", text, diagnostics, source);
  if (program == nullptr) throw Error(ErrorCode::program, lang::render(source, diagnostics));
  return std::make_unique<model::Model>(program, io::parse_json_data(data, "data"), options);
}

model::ModelOptions gibbs(model::SiteBlocks blocks = model::SiteBlocks::trees) {
  model::ModelOptions options;
  options.discrete = model::DiscreteUse::gibbs;
  options.blocks = blocks;
  return options;
}

struct Estimate {
  double mean, error;
};
// Of each output column.
std::map<std::string, Estimate> run(const model::Model& model, infer::SampleOptions options) {
  options.num_threads = 2;
  RunStore store(model, options);
  infer::run_chains(model, options, store);
  const density::Draws draws = store.output_draws();
  std::map<std::string, Estimate> estimates;
  const std::vector<std::string> columns = model.outputs().element_names();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const diagnose::Chains chains = diagnose::quantity(draws, static_cast<Index>(k));
    estimates[columns[k]] = {diagnose::mean(chains.values), diagnose::mcse_mean(chains)};
  }
  return estimates;
}

// 4 Monte Carlo standard errors: once in 16,000 for each figure.
void expect_near(const std::map<std::string, Estimate>& estimates, const std::string& column,
                 double exact) {
  const Estimate& e = estimates.at(column);
  EXPECT_NEAR(e.mean, exact, 4.0 * e.error) << column;
}

infer::SampleOptions options_of(Index num_draws, const char* sampler = "nuts") {
  infer::SampleOptions options;
  options.sampler = sampler;
  options.num_draws = num_draws;
  options.num_warmup = 500;
  options.seed = testing::test_seed(5);
  return options;
}

// ---- a grid behind noise: spins -1 and +1, coupling J, y ~ normal(spin, s)

const char* const kGrid = R"(
data { int R; int C; real J; array[R, C] real y; real given; }
parameters { array[R, C] int<lower=0, upper=1> z; real<lower=0> s; }
transformed parameters { real size = given > 0 ? given : s; }
model {
  s ~ exponential(1);
  for (i in 1:R) for (j in 1:C) {
    if (j < C) target += J * (2 * z[i, j] - 1) * (2 * z[i, j + 1] - 1);
    if (i < R) target += J * (2 * z[i, j] - 1) * (2 * z[i + 1, j] - 1);
    y[i, j] ~ normal(2 * z[i, j] - 1, size);
  }
}
generated quantities { real total = sum(to_array_1d(z)); }
)";

struct GridCase {
  testing::IsingGrid ising;
  double noise = 0.0;  // 0: unknown
  std::vector<double> y{};

  std::string data() const {
    std::string rows;
    for (Index i = 0; i < ising.rows; ++i) {
      std::string row;
      for (Index j = 0; j < ising.cols; ++j)
        row += (j == 0 ? "" : ", ") + std::to_string(y[i * ising.cols + j]);
      rows += (i == 0 ? "[" : ", [") + row + "]";
    }
    return "{\"R\": " + std::to_string(ising.rows) + ", \"C\": " + std::to_string(ising.cols) +
           ", \"J\": " + std::to_string(ising.coupling) + ", \"y\": [" + rows +
           "], \"given\": " + std::to_string(noise) + "}";
  }
  double log_weight(std::span<const Index> z, double s) const {
    double sum = ising.log_weight(z);
    for (Index i = 0; i < ising.num_sites(); ++i) {
      const double residual = (y[i] - (2.0 * double(z[i]) - 1.0)) / s;
      sum -= 0.5 * residual * residual + std::log(s);
    }
    return sum;
  }
};

GridCase grid_case(Index rows, Index cols, double noise) {
  GridCase grid{.ising = {.rows = rows, .cols = cols, .coupling = 0.4}, .noise = noise};
  for (Index i = 0; i < rows * cols; ++i)
    grid.y.push_back((i * 5 % 3 == 0 ? 1.0 : -0.6) + 0.125 * double(i % 4));
  return grid;
}

// Probabilities of ones, the mean number of ones and of s, by the sum over all states and Simpson's
// rule over s.
struct Exact {
  std::vector<double> ones;
  double total = 0.0, noise = 0.0;
};
Exact exact_of(const GridCase& grid, std::span<const double> sizes) {
  const auto n = static_cast<std::size_t>(grid.ising.num_sites());
  Exact sums{.ones = std::vector<double>(n)};
  double all = 0.0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const double simpson = k == 0 || k + 1 == sizes.size() ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
    for (std::size_t state = 0; state < std::size_t{1} << n; ++state) {
      std::vector<Index> z(n);
      for (std::size_t i = 0; i < n; ++i) z[i] = static_cast<Index>(state >> i & 1);
      const double w = simpson * std::exp(grid.log_weight(z, sizes[k]) - sizes[k]);
      all += w, sums.noise += w * sizes[k];
      for (std::size_t i = 0; i < n; ++i) sums.ones[i] += w * double(z[i]);
    }
  }
  for (double& one : sums.ones) sums.total += one /= all;
  sums.noise /= all;
  return sums;
}

void expect_exact(const GridCase& grid, const std::map<std::string, Estimate>& estimates,
                  const Exact& exact) {
  for (Index i = 0; i < grid.ising.num_sites(); ++i) {
    const std::string column = "z." + std::to_string(1 + i / grid.ising.cols) + "." +
                               std::to_string(1 + i % grid.ising.cols);
    expect_near(estimates, column, exact.ones[i]);
  }
  expect_near(estimates, "total", exact.total);
}

TEST(gibbs_in_sampling, denoises_a_grid_as_the_sum_over_all_states) {
  const GridCase grid = grid_case(4, 4, 0.9);
  const Exact exact = exact_of(grid, std::array{0.9});
  for (const auto blocks :
       {model::SiteBlocks::trees, model::SiteBlocks::single, model::SiteBlocks::clusters}) {
    const auto model = model_of(kGrid, grid.data(), gibbs(blocks));
    expect_exact(grid, run(*model, options_of(4000, "rwm")), exact);
  }
}

TEST(gibbs_in_sampling, with_nuts_finds_the_unknown_noise_of_a_grid) {
  const GridCase grid = grid_case(3, 3, 0.0);
  std::vector<double> sizes;  // to 8, where e^-s s^-9 leaves nothing
  for (int k = 1; k <= 801; ++k) sizes.push_back(0.01 * k);
  const Exact exact = exact_of(grid, sizes);
  for (const char* sampler : {"nuts", "slice"}) {
    const auto estimates = run(*model_of(kGrid, grid.data(), gibbs()), options_of(6000, sampler));
    expect_exact(grid, estimates, exact);
    expect_near(estimates, "s", exact.noise);
  }
}

// A grid without data below its critical temperature: the distribution is the same with all signs changed.
double share_of_sign_changes(model::SiteBlocks blocks, Index num_draws) {
  const char* const text = R"(
    data { int N; real J; }
    parameters { array[N, N] int<lower=0, upper=1> z; }
    model { for (i in 1:N) for (j in 2:N) {
      target += J * (2 * z[i, j] - 1) * (2 * z[i, j - 1] - 1);
      target += J * (2 * z[j, i] - 1) * (2 * z[j - 1, i] - 1); } }
    generated quantities { real total = 2 * sum(to_array_1d(z)) - square(N); })";
  const auto model = model_of(text, R"({"N": 24, "J": 0.6})", gibbs(blocks));
  infer::SampleOptions options = options_of(num_draws);
  options.num_chains = 1;
  options.num_warmup = 50;
  RunStore store(*model, options);
  infer::run_chains(*model, options, store);
  const density::Draws draws = store.output_draws();
  const auto total = draws.quantity(draws.num_quantities() - 1);
  double changes = 0.0;
  for (std::size_t s = 1; s < total.size(); ++s) changes += total[s] * total[s - 1] < 0.0;
  return changes / static_cast<double>(num_draws);
}

TEST(gibbs_in_sampling, moves_clusters_where_single_sites_and_trees_stay) {
  // The largest cluster's sign is drawn anew at each sweep: changes are tosses of a coin. 6 standard errors.
  EXPECT_NEAR(share_of_sign_changes(model::SiteBlocks::clusters, 400), 0.5, 6.0 * 0.5 / 20.0);
  EXPECT_LT(share_of_sign_changes(model::SiteBlocks::trees, 400), 0.01);
  EXPECT_LT(share_of_sign_changes(model::SiteBlocks::single, 400), 0.01);
}

// ---- sums over all sites

TEST(gibbs_in_sampling, holds_a_sum_of_forty_sites_as_its_convolution) {
  const char* const text = R"(
    data { int N; }
    parameters { array[N] int<lower=0, upper=1> z; }
    model { for (i in 1:N) z[i] ~ bernoulli(0.02 * i); sum(z) ~ normal(10, 1.5); }
    generated quantities { int total = sum(z); })";
  constexpr std::size_t kSites = 40;
  const auto estimates = run(*model_of(text, R"({"N": 40})"), options_of(2000));
  // distribution[k]: of the sum of all sites but `without`.
  const auto distribution_without = [&](std::size_t without) {
    std::vector<double> distribution(kSites + 2, 0.0);
    distribution[0] = 1.0;
    for (std::size_t i = 0; i < kSites; ++i) {
      const double p = i == without ? 0.0 : 0.02 * double(i + 1);
      for (std::size_t k = kSites + 1; k > 0; --k)
        distribution[k] = distribution[k] * (1 - p) + distribution[k - 1] * p;
      distribution[0] *= 1 - p;
    }
    return distribution;
  };
  const auto weight = [](double sum) { return std::exp(-0.5 * (sum - 10) * (sum - 10) / 2.25); };
  const auto all = distribution_without(kSites);
  double norm = 0.0, mean = 0.0;
  for (std::size_t k = 0; k <= kSites; ++k) {
    norm += all[k] * weight(double(k));
    mean += double(k) * all[k] * weight(double(k));
  }
  expect_near(estimates, "total", mean / norm);
  for (const std::size_t i : {4u, 19u, 34u}) {
    const auto others = distribution_without(i);
    double one = 0.0;
    for (std::size_t k = 0; k < kSites; ++k) one += others[k] * weight(double(k + 1));
    expect_near(estimates, "z." + std::to_string(i + 1), 0.02 * double(i + 1) * one / norm);
  }
}

// ---- the same program summed out

void expect_as_summed_out(const std::string& text, const std::string& data,
                          std::span<const char* const> columns) {
  const auto exact = run(*model_of(text, data), options_of(3000));
  const auto model = model_of(text, data, gibbs());
  ASSERT_GT(model->discrete_block().size(), 0);
  const auto sampled = run(*model, options_of(6000));
  for (const char* column : columns) {
    const Estimate &a = exact.at(column), &b = sampled.at(column);
    EXPECT_NEAR(a.mean, b.mean, 4.0 * std::hypot(a.error, b.error)) << column;
  }
}

TEST(gibbs_in_sampling, agrees_with_a_mixture_summed_out) {
  expect_as_summed_out(
      R"(
    data { int N; vector[N] y; }
    parameters { simplex[2] pi; ordered[2] mu; array[N] int<lower=1, upper=2> z; }
    model { mu ~ normal(0, 3); z ~ categorical(pi); y ~ normal(mu[z], 1); })",
      R"({"N": 12, "y": [-2.1, -1.7, -2.6, -0.9, 1.2, 2.2, 1.9, 2.7, -1.1, 1.4, 0.3, 3.0]})",
      std::array{"pi.1", "mu.1", "mu.2", "z.1", "z.4", "z.11"});
}

TEST(gibbs_in_sampling, agrees_with_a_hidden_markov_chain_summed_out) {
  expect_as_summed_out(
      R"(
    data { int N; vector[N] y; }
    parameters { real<lower=0, upper=1> stay; ordered[2] mu;
      array[N] int<lower=1, upper=2> z; }
    model { mu ~ normal(0, 2); stay ~ beta(4, 2);
      for (t in 2:N) if (z[t] == z[t - 1]) target += log(stay); else target += log1m(stay);
      y ~ normal(mu[z], 0.7); })",
      R"({"N": 14, "y": [-1.1, -0.7, -1.6, -0.9, 1.2, 1.7, 0.6, 1.7, 1.1, 0.1, -0.3, -1.0, -0.4, 0.9]})",
      std::array{"stay", "mu.1", "mu.2", "z.1", "z.5", "z.10", "z.14"});
}

// A summand whose coefficient is a parameter; the field's normaliser is known, as it is a tree.
TEST(gibbs_in_sampling, finds_the_coupling_of_a_chain_as_summed_out) {
  expect_as_summed_out(R"(
    data { int N; vector[N] y; }
    parameters { real b; array[N] int<lower=0, upper=1> z; }
    transformed parameters { vector[N] s; for (i in 1:N) s[i] = 2 * z[i] - 1; }
    model { b ~ normal(0, 1);
      target += b * dot_product(s[2:N], s[1:N - 1]) - (N - 1) * log(2 * cosh(b));
      y ~ normal(s, 0.8); })",
                       R"({"N": 10, "y": [1.1, 0.7, 1.6, 0.9, -1.2, -1.7, -0.6, 0.7, 1.1, 0.1]})",
                       std::array{"b", "z.1", "z.4", "z.7", "z.10"});
}

// ---- one arithmetic, one run

std::uint64_t hash_of(Index lanes, Index threads, model::SiteBlocks blocks, const char* sampler) {
  model::ModelOptions options = gibbs(blocks);
  options.max_lanes = lanes;
  const auto model = model_of(kGrid, grid_case(5, 5, 0.0).data(), options);
  infer::SampleOptions run = options_of(60, sampler);
  run.num_warmup = 60;
  run.num_chains = 5;
  run.num_threads = threads;
  RunStore store(*model, run);
  infer::run_chains(*model, run, store);
  std::uint64_t hash = 0;
  const density::Draws draws = store.quantities(false, 0, store.num_columns());
  for (Index k = 0; k < draws.num_quantities(); ++k)
    hash = testing::hash_bits(draws.quantity(k), hash + 1);
  return hash;
}

TEST(gibbs_in_sampling, draws_do_not_depend_on_lanes_or_threads) {
  for (const auto blocks :
       {model::SiteBlocks::trees, model::SiteBlocks::single, model::SiteBlocks::clusters}) {
    const std::uint64_t reference = hash_of(1, 1, blocks, "nuts");
    for (const Index lanes : {2, 4, 8}) EXPECT_EQ(hash_of(lanes, 1, blocks, "nuts"), reference);
    for (const Index threads : {2, 4}) EXPECT_EQ(hash_of(8, threads, blocks, "nuts"), reference);
  }
}

// Behind a sweep the log density of the state is that of where it ended: the column of each draw is
// the density there, and a next transition that trusted an old one would be wrong.
TEST(gibbs_in_sampling, reports_the_log_density_of_the_draw) {
  const auto model = model_of(kGrid, grid_case(3, 4, 0.0).data(), gibbs());
  infer::SampleOptions options = options_of(50);
  infer::StoredDraws store;
  infer::run_chains(*model, options, store);
  const auto evaluator = model->make_evaluator();
  std::vector<double> position(static_cast<std::size_t>(model->dimension()));
  for (Index s = 0; s < 50; ++s) {
    store.draws.get(s, 1, position);
    density::Request request{.position = position, .gradient = {}, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::value, batch);
    EXPECT_EQ(store.info(s, 1, 0), request.log_density);
  }
}

TEST(gibbs_in_sampling, starts_where_states_are_possible) {
  // One of 2^30 states of the first thirty sites is possible; each of them says so by itself.
  const char* const text = R"(
    parameters { real m; array[30] int<lower=0, upper=1> z; array[20, 20] int<lower=0, upper=1> g; }
    model { m ~ normal(0, 1);
      for (i in 1:30) if (z[i] != i % 2) target += negative_infinity();
      for (i in 2:20) for (j in 2:20) target += 0.2 * g[i, j] * (g[i - 1, j] + g[i, j - 1]); })";
  const auto model = model_of(text, "{}");
  infer::SampleOptions options = options_of(5);
  options.num_warmup = 5;
  infer::StoredDraws store;
  infer::run_chains(*model, options, store);
  for (Index i = 0; i < 30; ++i) EXPECT_EQ(store.draws(4, 0, 1 + i), double((i + 1) % 2));
}

TEST(gibbs_in_sampling, refuses_a_sampler_that_moves_many_points) {
  const auto model = model_of(kGrid, grid_case(3, 3, 0.0).data(), gibbs());
  infer::StoredDraws store;
  EXPECT_THROW(infer::run_chains(*model, options_of(5, "ensemble"), store), Error);
}

TEST(gibbs_in_sampling, is_all_that_moves_a_discrete_block) {
  const auto model = model_of(kGrid, grid_case(3, 3, 0.0).data(), gibbs());
  EXPECT_THROW(infer::anneal(*model, {}), Error);
  EXPECT_THROW(infer::find_mode(*model, {}), Error);
  EXPECT_THROW(infer::tempered(*model, 2.0), Error);
}

}  // namespace
}  // namespace credo::cli::site_sampling_test
