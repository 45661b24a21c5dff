// Estimators of entropies: numbers of the texts, quadrature in another variable, and coverage over simulated counts.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "models/information/discrete_distributions.hpp"
#include "models/information/entropy_estimator.hpp"
#include "numerics/special.hpp"
#include "support/test_seed.hpp"

namespace credo::models::entropy_estimators_test {
namespace {
EntropyEstimate ask(const char* name, const CountSample& sample) {
  return find_entropy_estimator(name).estimate(sample, {});
}

// A normal variate's square gives gamma variates of any shape by Marsaglia and Tsang; here only for Dirichlet distributions.
double gamma_variate(double shape, Rng& rng) {
  if (shape < 1.0) return gamma_variate(shape + 1.0, rng) * std::pow(rng.uniform(), 1.0 / shape);
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = rng.normal(), v = std::pow(1.0 + c * x, 3);
    if (v > 0.0 && std::log(rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
      return d * v;
  }
}
double prior_mean(double a, double k) {
  return numerics::digamma(k * a + 1.0) - numerics::digamma(a + 1.0);
}
// The concentration whose prior mean of the entropy is this, by bisection.
double concentration_of(double mean, double k) {
  double low = -18.0, high = 11.0;
  for (int step = 0; step < 80; ++step) {
    const double middle = 0.5 * (low + high);
    (prior_mean(std::exp(middle), k) < mean ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}
std::vector<double> counts_of(std::span<const double> distribution, Index rows, Rng& rng) {
  std::vector<double> counts(distribution.size(), 0.0);
  for (Index n = 0; n < rows; ++n) {
    double u = rng.uniform();
    std::size_t k = 0;
    while (k + 1 < distribution.size() && u >= distribution[k]) u -= distribution[k++];
    counts[k] += 1.0;
  }
  return counts;
}
}  // namespace

TEST(entropy_estimators, agree_with_the_texts_on_three_bins) {
  const double counts[] = {7, 3, 10};
  const CountSample sample = count_sample(counts);
  EXPECT_NEAR(ask("plugin", sample).value, 0.9986, 5e-5);
  EXPECT_NEAR(ask("miller_madow", sample).value, 0.9986 + 2.0 / 40.0, 5e-5);
  EXPECT_NEAR(dirichlet_entropy(sample, 1e-12).value, 0.9508, 5e-5);
  EXPECT_NEAR(ask("dirichlet", sample).value, 0.9682, 5e-5);
  EXPECT_NEAR(dirichlet_entropy(sample, 1.0).value, 0.9823, 5e-5);
}

TEST(entropy_estimators, a_fixed_concentration_all_but_fixes_the_entropy) {
  const CountSample nothing{.counts = {}, .num_states = 1000};
  const double bits = std::log(2.0);
  // The table of the texts: means are exact, sds are theirs by Monte Carlo to 10 %.
  const double rows[][3] = {{0.001, 1.44, 0.58}, {0.02, 5.14, 0.26},  {0.1, 7.26, 0.11},
                            {0.5, 8.91, 0.038},  {1.0, 9.357, 0.025}, {10.0, 9.895, 0.003}};
  for (const auto& [a, mean, sd] : rows) {
    const EntropyEstimate prior = dirichlet_entropy(nothing, a);
    EXPECT_NEAR(prior.value / bits, mean, 0.006) << a;
    EXPECT_NEAR(prior.sd / bits, sd, 0.15 * sd) << a;
  }
}

TEST(entropy_estimators, moments_of_a_dirichlet_law_are_those_of_its_draws) {
  Rng rng({.seed = testing::test_seed(21), .purpose = purpose::kTest});
  const double counts[] = {4, 1, 0, 2};
  const EntropyEstimate exact = dirichlet_entropy(count_sample(counts), 0.5);
  constexpr int kDraws = 20'000;
  double sum = 0.0, squares = 0.0;
  for (int s = 0; s < kDraws; ++s) {
    std::vector<double> p;
    double total = 0.0;
    for (const double n : counts) total += p.emplace_back(gamma_variate(n + 0.5, rng));
    for (double& x : p) x /= total;
    const double h = entropy(p);
    sum += h, squares += h * h;
  }
  const double mean = sum / kDraws, sd = std::sqrt(squares / kDraws - mean * mean);
  EXPECT_NEAR(exact.value, mean, 4.5 * sd / std::sqrt(kDraws));
  EXPECT_NEAR(exact.sd, sd, 4.5 * sd / std::sqrt(kDraws));  // sds of bounded values spread less
}

TEST(entropy_estimators, nsb_is_the_average_over_priors_that_are_flat_in_the_entropy) {
  const double counts[] = {5, 3, 1, 1, 1};
  const CountSample sample = count_sample(counts, 12);
  // Quadrature over the prior mean itself, where the weight is flat.
  double weights = 0.0, mean = 0.0;
  constexpr int kPlaces = 4000;
  for (int j = 0; j < kPlaces; ++j) {
    const double a = concentration_of(std::log(12.0) * (j + 0.5) / kPlaces, 12.0);
    double log_weight = std::lgamma(12.0 * a) - std::lgamma(12.0 * a + 11.0);
    for (const double n : counts) log_weight += std::lgamma(n + a) - std::lgamma(a);
    const double w = std::exp(log_weight + 20.0);
    weights += w, mean += w * dirichlet_entropy(sample, a).value;
  }
  EXPECT_NEAR(ask("nsb", sample).value, mean / weights, 2e-5);  // places: 1 / 4000, second order
}

TEST(entropy_estimators, nine_of_ten_intervals_of_nsb_cover_and_plug_in_ones_do_not) {
  Rng rng({.seed = testing::test_seed(22), .purpose = purpose::kTest});
  constexpr int kRuns = 400;
  constexpr double kStates = 60.0, kQuantile = 1.6449;
  int nsb = 0, plugin = 0;
  for (int r = 0; r < kRuns; ++r) {
    const double a = concentration_of(std::log(kStates) * rng.uniform(0.1, 0.95), kStates);
    std::vector<double> p;
    double total = 0.0;
    for (int k = 0; k < 60; ++k) total += p.emplace_back(gamma_variate(a, rng));
    for (double& x : p) x /= total;
    const CountSample sample = count_sample(counts_of(p, 80, rng));
    const double h = entropy(p);
    const EntropyEstimate own = ask("nsb", sample), naive = ask("plugin", sample);
    nsb += std::abs(own.value - h) < kQuantile * own.sd;
    plugin += std::abs(naive.value - h) < kQuantile * naive.sd;
  }
  // 0.9 +- 0.05 as the design asks; chance alone has an sd of 0.015.
  EXPECT_GE(nsb, 340);
  EXPECT_LE(nsb, 385);
  EXPECT_LT(plugin, 300);
}

TEST(entropy_estimators, corrections_of_the_bias_are_near_where_states_are_many) {
  Rng rng({.seed = testing::test_seed(23), .purpose = purpose::kTest});
  const std::vector<double> p(100, 0.01);
  std::map<std::string, double> bias;
  constexpr int kRuns = 200;
  for (int r = 0; r < kRuns; ++r) {
    const CountSample sample = count_sample(counts_of(p, 200, rng));
    for (const char* name : {"plugin", "miller_madow", "grassberger", "chao_shen"})
      bias[name] += (ask(name, sample).value - std::log(100.0)) / kRuns;
  }
  // The plug-in bias is -(100 - 1) / 400 to first order; one estimate spreads by 0.05.
  EXPECT_NEAR(bias["plugin"], -0.25, 0.05);
  EXPECT_NEAR(bias["miller_madow"], 0.0, 0.08);
  EXPECT_NEAR(bias["grassberger"], 0.0, 0.03);
  EXPECT_NEAR(bias["chao_shen"], 0.0, 0.1);
}

TEST(entropy_estimators, nsb_of_many_states_is_that_of_the_few_that_occur) {
  // Sixteen states of a trillion, thirty rows each: rows without a new state say that there are hardly more.
  CountSample sample{.counts = std::vector<double>(16, 30.0), .num_states = 1'000'000'000'000};
  const EntropyEstimate own = ask("nsb", sample);
  EXPECT_NEAR(own.value, std::log(16.0), 0.1);
  EXPECT_LT(own.sd, 0.1);
}

TEST(entropy_estimators, nothing_is_estimated_where_each_state_was_seen_once) {
  const double counts[] = {1, 1, 1};
  const CountSample sample = count_sample(counts, 50);
  EXPECT_NE(find_entropy_estimator("nsb").refusal(sample), "");
  EXPECT_NE(find_entropy_estimator("chao_shen").refusal(sample), "");
}
}  // namespace credo::models::entropy_estimators_test
