// Where chains begin: at draws from the priors that a program states.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "infer/core/sample.hpp"
#include "support/test_seed.hpp"
#include "support/text_model.hpp"

namespace credo::cli::starts_test {
namespace {
using model::Model;
using model::model_from;

infer::SampleOptions start_options(Index num_chains) {
  infer::SampleOptions options;
  options.num_chains = num_chains;
  options.num_warmup = 0;
  options.num_draws = 0;
  options.seed = testing::test_seed(1);
  options.num_threads = 1;
  options.init_prior = true;
  return options;
}

infer::RunResult run_of(const Model& model, const infer::SampleOptions& options) {
  infer::StoredDraws store;
  return infer::run_chains(model, options, store);
}

// The parameters where each chain begins, by the columns of the output.
std::vector<std::vector<double>> starts_of(const Model& model, Index num_chains) {
  std::vector<std::vector<double>> starts;
  for (const infer::ChainResult& chain : run_of(model, start_options(num_chains)).chains) {
    Rng rng({.seed = 1, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
    starts.push_back(
        model.draw_outputs().write(chain.initial_point, rng, nullptr,
                                   {.last = density::Block::parameters, .density_prints = false}));
  }
  return starts;
}

// ---- the distribution

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

using Cdf = double (*)(double);

// The largest distance of the empirical distribution to that of a prior cut at its 5 % tails.
double distance(const std::vector<std::vector<double>>& starts, std::size_t column, Cdf cdf) {
  std::vector<double> levels;
  for (const auto& start : starts)
    levels.push_back(std::clamp((cdf(start[column]) - 0.05) / 0.9, 0.0, 1.0));
  std::sort(levels.begin(), levels.end());
  const auto n = static_cast<double>(levels.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto below = static_cast<double>(k);
    largest = std::max({largest, levels[k] - below / n, (below + 1.0) / n - levels[k]});
  }
  return largest;
}

// Beyond it once in 10,000 times [massart1990].
double bound(Index n) { return std::sqrt(0.5 * std::log(2e4) / static_cast<double>(n)); }

TEST(starts, of_a_program_without_data_have_the_distribution_of_its_priors_without_their_tails) {
  constexpr Index kChains = 1000;
  const auto model = model_from(
      "parameters { real a; real<lower=0> b; real<lower=1> t; real c; array[2] real<upper=3> w; "
      "vector[2] v; }"
      "model { a ~ normal(-5, 7); b ~ normal(0, 3); t ~ exponential(0.5) T[1, ]; "
      "target += cauchy_lpdf(c | 2, 4); for (i in 1:2) w[i] ~ normal(0, i); v ~ normal([8, 9]', 2);"
      "}");
  const auto starts = starts_of(*model, kChains);
  const Cdf exact[] = {
      [](double x) { return normal_cdf((x + 5.0) / 7.0); },
      [](double x) { return 2.0 * normal_cdf(x / 3.0) - 1.0; },
      [](double x) { return -std::expm1(-0.5 * (x - 1.0)); },
      [](double x) { return 0.5 + std::atan((x - 2.0) / 4.0) / 3.14159265358979323846; },
      [](double x) { return normal_cdf(x) / normal_cdf(3.0); },
      [](double x) { return normal_cdf(x / 2.0) / normal_cdf(1.5); },
      [](double x) { return normal_cdf((x - 8.0) / 2.0); },
      [](double x) { return normal_cdf((x - 9.0) / 2.0); }};
  for (std::size_t k = 0; k < std::size(exact); ++k)
    EXPECT_LT(distance(starts, k, exact[k]), bound(kChains)) << "column " << k;
  const Cdf faults[] = {[](double x) { return normal_cdf(x + 5.0); },
                        [](double x) { return normal_cdf(x / 3.0); },
                        [](double x) { return -std::expm1(-0.5 * x); },
                        [](double x) { return 0.5 + std::atan((x - 2.0) / 4.0) / 4.0; },
                        [](double x) { return normal_cdf(x); }};
  for (std::size_t k = 0; k + 1 < std::size(faults); ++k)
    EXPECT_GT(distance(starts, k, faults[k]), bound(kChains)) << "fault " << k;
}

// ---- modes

// How many of the chains end in the mode at 40, each run.
std::vector<Index> chains_at_40(const Model& model, bool from_prior, Index num_runs,
                                Index num_chains) {
  std::vector<Index> counts;
  for (Index r = 0; r < num_runs; ++r) {
    infer::SampleOptions options = start_options(num_chains);
    options.seed = testing::test_seed(100 + static_cast<std::uint64_t>(r));
    options.num_warmup = 100;
    options.num_draws = 1;
    options.init_prior = from_prior;
    infer::StoredDraws store;
    infer::run_chains(model, options, store);
    Index count = 0;
    for (Index c = 0; c < num_chains; ++c) count += store.draws(0, c, 0) > 20.0;
    counts.push_back(count);
  }
  return counts;
}

// Where a chain comes to the mode at 40 with probability p, n chains find both modes with 1 - p^n -
// (1 - p)^n. A quarter of the prior between its tails lies nearer to that mode: 0.9 for 8 chains,
// and fewer than 0.7 of 40 runs once in 20,000 times.
TEST(starts, find_both_of_two_modes_far_apart) {
  const auto model = model_from(
      "parameters { real x; } model { x ~ normal(0, 30); "
      "target += log_sum_exp(normal_lpdf(0 | x, 1), normal_lpdf(40 | x, 1)); }");
  constexpr Index kRuns = 40, kChains = 8;
  const auto finds_both = [](Index count) { return count > 0 && count < kChains; };
  const auto share = [&](bool from_prior) {
    const auto counts = chains_at_40(*model, from_prior, kRuns, kChains);
    return double(std::count_if(counts.begin(), counts.end(), finds_both)) / double(kRuns);
  };
  EXPECT_GE(share(true), 0.7);
  EXPECT_LE(share(false), 0.3);
}

// ---- what depends on what

TEST(starts, of_a_hierarchy_are_drawn_from_its_top_down) {
  const auto model = model_from(
      "data { int J; } parameters { vector[J] theta; real<lower=0> tau; real mu; }"
      "model { theta ~ normal(mu, tau); mu ~ normal(100, 10); tau ~ exponential(1); }",
      R"({"J": 3})");
  for (const auto& start : starts_of(*model, 50)) {
    const double tau = start[3], mu = start[4];
    EXPECT_NEAR(mu, 100.0, 16.5);
    EXPECT_GT(tau, 0.05);
    EXPECT_LT(tau, 3.0);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_LE(std::abs(start[j] - mu), 1.65 * tau);
  }
}

TEST(starts, follow_transformed_parameters_local_variables_and_loops) {
  const auto model = model_from(
      "data { int T; } parameters { array[T] real x; real<lower=0> v; real a; matrix[2, 2] Z; }"
      "transformed parameters { real s = sqrt(v); real unused = sum(x); }"
      "model { real centre = 10 * a; a ~ normal(50, 1); v ~ normal(4, 0.1);"
      "x[1] ~ normal(centre, s); for (t in 2:T) { real last = x[t - 1]; x[t] ~ normal(last + 7, "
      "s); }"
      "to_vector(Z) ~ normal([100, 200, 300, 400]', 1); }",
      R"({"T": 20})");
  for (const auto& start : starts_of(*model, 20)) {
    EXPECT_NEAR(start[0], 10.0 * start[21], 1.65 * std::sqrt(start[20]));
    for (std::size_t t = 1; t < 20; ++t)
      EXPECT_NEAR(start[t], start[t - 1] + 7.0, 1.65 * std::sqrt(start[20]));
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(start[22 + k], 100.0 * static_cast<double>(k + 1), 1.65);
  }
}

// ---- constraints

TEST(starts, lie_within_the_declared_constraints) {
  const auto model = model_from(
      "parameters { array[2] simplex[3] p; cholesky_factor_corr[3] L; ordered[3] c; "
      "positive_ordered[3] d; sum_to_zero_vector[3] z; real<lower=2, upper=3> u; "
      "vector<offset=5, multiplier=3>[2] f; cov_matrix[2] S; array[2] vector[2] m; }"
      "model { for (k in 1:2) p[k] ~ dirichlet([90, 1000, 9]'); L ~ lkj_corr_cholesky(200); "
      "c ~ normal(50, 10); d ~ normal(0, 10); z ~ normal(0, 100); u ~ normal(0, 1); "
      "f ~ normal(-40, 1); S ~ wishart(1000, identity_matrix(2)); "
      "m ~ multi_normal([300, -300]', identity_matrix(2)); }");
  const std::vector<std::string> names = model->outputs().element_names();
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  for (const auto& start : starts_of(*model, 20)) {
    const auto at = [&](const std::string& name) { return start[place(name)]; };
    EXPECT_NEAR(at("p.1.2"), 0.91, 0.06);
    EXPECT_NEAR(at("p.2.1"), 0.082, 0.06);
    EXPECT_GT(at("L.2.2"), 0.9);
    EXPECT_LT(std::abs(at("L.3.1")), 0.4);
    EXPECT_LT(at("c.1"), at("c.2"));
    EXPECT_LT(at("c.2"), at("c.3"));
    EXPECT_GT(at("c.1"), 33.0);
    EXPECT_LT(at("d.3"), 19.7);
    EXPECT_NEAR(at("z.1") + at("z.2") + at("z.3"), 0.0, 1e-10);
    EXPECT_NEAR(at("u"), 2.4, 0.41);
    EXPECT_NEAR(at("f.2"), -40.0, 1.65);
    EXPECT_NEAR(at("S.1.1"), 1000.0, 400.0);
    EXPECT_NEAR(at("m.2.1"), 300.0, 7.0);
    EXPECT_NEAR(at("m.1.2"), -300.0, 7.0);
  }
}

// ---- where there is no prior to draw from

void expect_uniform_starts(const Model& model) {
  infer::SampleOptions options = start_options(6);
  const infer::RunResult prior = run_of(model, options);
  options.init_prior = false;
  const infer::RunResult uniform = run_of(model, options);
  for (std::size_t c = 0; c < prior.chains.size(); ++c)
    EXPECT_EQ(prior.chains[c].initial_point, uniform.chains[c].initial_point);
}

TEST(starts, are_uniform_where_no_prior_is_stated) {
  for (const char* text :
       {"data { vector[2] y; } parameters { real m; real<lower=0> s; } model { y ~ normal(m, s); }",
        "parameters { real m; } model { target += -square(m); }",
        "parameters { real m; } model { exp(m) ~ normal(0, 30); }",
        "parameters { real m; } model { m ~ uniform(-1, 1.5); }",
        "parameters { real a; real b; } model { a ~ normal(b, 1); b ~ normal(a, 1); }"})
    expect_uniform_starts(*model_from(text, R"({"y": [1, 2]})"));
}

// The prior is 50 and more, the rest of the density refuses what is above 2.
TEST(starts, are_uniform_where_the_priors_draws_are_refused) {
  const auto model = model_from(
      "parameters { real x; } model { x ~ normal(60, 1); if (x > 2) reject(\"above\"); }");
  infer::SampleOptions options = start_options(6);
  const infer::RunResult prior = run_of(*model, options);
  options.init_prior = false;
  const infer::RunResult uniform = run_of(*model, options);
  for (std::size_t c = 0; c < 6; ++c) {
    EXPECT_EQ(prior.chains[c].initial_point, uniform.chains[c].initial_point);
    EXPECT_EQ(prior.chains[c].num_init_tries, 9);
  }
}

// exp(100) is where chains begin that never come back.
TEST(starts, of_a_vague_prior_that_the_data_rule_out_are_uniform) {
  const auto model = model_from(
      "parameters { vector[4] b; } model { b ~ normal(0, 100); for (k in 1:4) { 3 ~ "
      "poisson_log(b[k]); 3 ~ poisson_log(-b[k]); } }");
  for (const std::vector<double>& start : starts_of(*model, 8))
    for (const double b : start) EXPECT_LE(std::fabs(b), 2.0);
}

TEST(starts, that_are_all_refused_fail_as_uniform_ones_do) {
  const auto model =
      model_from("parameters { real x; } model { x ~ normal(60, 1); reject(\"never\"); }");
  infer::SampleOptions options = start_options(1);
  std::string messages[2];
  for (const bool prior : {true, false}) {
    options.init_prior = prior;
    try {
      run_of(*model, options);
    } catch (const Error& error) {
      messages[prior] = error.message();
    }
  }
  EXPECT_NE(messages[0].find("none of 100 initial points in (-2, 2)"), std::string::npos);
  EXPECT_EQ(messages[1], messages[0]);
}

// A prior that says next to nothing is none: half of its mass lies beyond e^700 or 1e4.
TEST(starts, are_uniform_where_a_prior_is_too_wide_to_say_where) {
  const auto model = model_from(
      "parameters { real<lower=0> v; real b; real far; } model { v ~ inv_gamma(0.0001, 0.0001); "
      "b ~ normal(0, 1e10); far ~ normal(1e6, 1e5); }");
  for (const auto& start : starts_of(*model, 20)) {
    EXPECT_LE(std::abs(std::log(start[0])), 2.0);
    EXPECT_LE(std::abs(start[1]), 2.0);
    EXPECT_NEAR(start[2], 1e6, 1.65e5);
  }
}

TEST(starts, do_not_depend_on_threads_and_lanes) {
  const char* text =
      "parameters { real m; real<lower=0> s; vector[3] x; } model { m ~ normal(9, 30); "
      "s ~ cauchy(0, 5); x ~ normal(m, s); target += -square(m - 7) / 50; }";
  model::ModelOptions narrow;
  narrow.max_lanes = 1;
  infer::SampleOptions options = start_options(8);
  const infer::RunResult one = run_of(*model_from(text, "{}", narrow), options);
  options.num_threads = 3;
  const infer::RunResult three = run_of(*model_from(text), options);
  for (std::size_t c = 0; c < 8; ++c)
    EXPECT_EQ(one.chains[c].initial_point, three.chains[c].initial_point);
}

// ---- the command line

namespace fs = std::filesystem;

class StartOptions : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("credo_starts_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "m.stan") << "parameters { real x; } model { x ~ normal(500, 1); }";
    std::ofstream(folder_ / "init.json") << R"({"x": 490})";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Where the first chain of `credo sample` begins.
  double start_of(std::vector<std::string> more, const std::string& output) const {
    std::vector<std::string> words = {"sample", "-o", folder_ / output, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run_command_line(std::move(words)), 0);
    const std::string path = folder_ / output;
    return open_fit(std::span(&path, 1))->result().chains[0].initial_point[0];
  }
  std::vector<std::string> short_run(std::vector<std::string> more) const {
    std::vector<std::string> words = {folder_ / "m.stan", "--chains", "1", "--warmup", "20",
                                      "--draws",          "10"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  fs::path folder_;
};

// The two modes have a standard deviation of 1; draws of the prior are far from both.
TEST_F(StartOptions, init_mode_is_near_the_modes_to_which_the_chains_climb) {
  std::ofstream(folder_ / "two.stan")
      << "parameters { real x; real<lower=0> s; } model { x ~ normal(0, 30); s ~ gamma(100, 1); "
         "target += log_sum_exp(normal_lpdf(0 | x, 1), normal_lpdf(40 | x, 1)); }";
  const auto starts = [&](const char* init, const char* file) {
    start_of(
        {folder_ / "two.stan", "--chains", "12", "--warmup", "20", "--draws", "4", "--init", init},
        file);
    const std::string path = folder_ / file;
    Index low = 0, high = 0;
    const auto fit = open_fit(std::span(&path, 1));
    for (const infer::ChainResult& chain : fit->result().chains) {
      low += std::fabs(chain.initial_point[0]) < 3.0;
      high += std::fabs(chain.initial_point[0] - 40.0) < 3.0;
    }
    return std::pair(low, high);
  };
  const auto [low, high] = starts("mode", "near.nc");
  EXPECT_EQ(low + high, 12);
  EXPECT_GT(low, 0);
  EXPECT_GT(high, 0);
  const auto [low_draws, high_draws] = starts("prior", "prior.nc");
  EXPECT_LT(low_draws + high_draws, 12);
}

TEST_F(StartOptions, init_mode_is_kept_by_like_and_begins_anew_with_another_seed) {
  const double near = start_of(short_run({"--init", "mode"}), "m.nc");
  EXPECT_NEAR(near, 500.0, 1.5);
  EXPECT_NE(near, 500.0);
  EXPECT_EQ(start_of({"--like", folder_ / "m.nc"}, "again.nc"), near);
  EXPECT_NE(start_of({"--like", folder_ / "m.nc", "--seed", "5"}, "other.nc"), near);
  EXPECT_NE(start_of({"--like", folder_ / "m.nc", "--init", "prior"}, "prior.nc"), near);
  EXPECT_EQ(run_command_line({"diagnose", folder_ / "m.nc"}), 0);
}

TEST_F(StartOptions, init_mode_says_so_where_there_is_no_mode) {
  std::ofstream(folder_ / "up.stan") << "parameters { real x; } model { target += x; }";
  EXPECT_EQ(run_command_line({"sample", folder_ / "up.stan", "--init", "mode", "--quiet"}), 5);
}

TEST_F(StartOptions, init_is_the_prior_a_radius_or_a_file_and_like_keeps_it) {
  const double prior = start_of(short_run({}), "a.nc");
  EXPECT_NEAR(prior, 500.0, 1.65);
  EXPECT_EQ(start_of(short_run({"--init", "prior"}), "b.nc"), prior);
  const double uniform = start_of(short_run({"--init", "3"}), "c.nc");
  EXPECT_LE(std::abs(uniform), 3.0);
  EXPECT_EQ(start_of(short_run({"--init", folder_ / "init.json"}), "d.nc"), 490.0);
  EXPECT_EQ(start_of({"--like", folder_ / "a.nc"}, "e.nc"), prior);
  EXPECT_EQ(start_of({"--like", folder_ / "c.nc"}, "f.nc"), uniform);
  EXPECT_EQ(start_of({"--like", folder_ / "c.nc", "--init", "prior"}, "g.nc"), prior);
}

}  // namespace
}  // namespace credo::cli::starts_test
