// Rejection sampling, and importance sampling from a mixture of modes.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "infer/core/table.hpp"
#include "infer/evidence/mode_mixture.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/standard_scores.hpp"
#include "support/targets.hpp"

namespace credo::infer::rejection_test {
namespace {
using namespace credo::testing;

SampleOptions options_for_sampler(const char* sampler, std::uint64_t seed, Index num_draws) {
  return {.sampler = sampler,
          .num_chains = 1,
          .num_warmup = 0,
          .num_draws = num_draws,
          .seed = test_seed(seed),
          .num_threads = 1};
}

// ---- rejection

// x[0] is a half-normal, x[1] is N(1/2, 1/2): means and squares, in standard errors of independent draws; and the product of
// neighbours. The largest of them.
double worst_moment_of_half(const StoredDraws& store) {
  const auto half_normal = store.draws.chain(0, 0), normal = store.draws.chain(0, 1);
  const double n = static_cast<double>(normal.size());
  double first = 0.0, first_square = 0.0, second = 0.0, second_square = 0.0, next = 0.0;
  for (std::size_t i = 0; i < normal.size(); ++i) {
    const double off = normal[i] - 0.5;
    first += half_normal[i] - std::sqrt(2.0 / M_PI);
    first_square += half_normal[i] * half_normal[i] - 1.0;
    second += off;
    second_square += off * off - 0.5;
    if (i > 0) next += off * (normal[i - 1] - 0.5);
  }
  const double scale = 1.0 / std::sqrt(n);
  return std::max({std::abs(first) * scale / std::sqrt(1.0 - 2.0 / M_PI),
                   std::abs(first_square) * scale / std::sqrt(2.0),
                   std::abs(second) * scale / std::sqrt(0.5),
                   std::abs(second_square) * scale / std::sqrt(0.5), std::abs(next) * scale / 0.5});
}

TEST(rejection, draws_the_posterior_independently_and_estimates_the_evidence) {
  const KnownPosterior model = half();
  StoredDraws store;
  const RunResult run =
      run_chains(*model.density, options_for_sampler("rejection", 41, 8000), store);
  EXPECT_LT(worst_moment_of_half(store), 4.5);
  const LogEvidence found = log_evidence_of(run.chains[0]);
  EXPECT_NEAR(found.value, model.log_evidence, 4.0 * found.error);
  EXPECT_LT(found.error, 0.02);
  EXPECT_TRUE(run.evidence_is_normalised);
  // The likelihood is 2 N(1; x[1], 1) at most: one in 2 √(2π) N(0; 0, 1) / evidence tries is accepted.
  double tries = 0.0;
  for (const double t : store.info.chain(0, 1)) tries += t / 8000.0;
  const double expected = 2.0 * std::exp(-kLogRootTwoPi - model.log_evidence);
  EXPECT_NEAR(tries, expected, 4.5 * expected / std::sqrt(8000.0));
}

// A fault: the bound is half of what it has to be, and draws above it are taken like those at it.
TEST(rejection, with_too_low_a_bound_is_found_by_the_same_claim) {
  const KnownPosterior model = half();
  StoredDraws store;
  store.draws = density::Draws(8000, 1, 2);
  Rng rng({.seed = test_seed(42), .purpose = purpose::kTest});
  for (Index s = 0; s < 8000;) {
    const std::vector<double> x = {std::abs(rng.normal()), rng.normal()};
    const double log_weight = -0.5 * (x[1] - 1.0) * (x[1] - 1.0);
    if (-rng.exponential() < log_weight - std::log(0.5)) store.draws.set(s++, 0, x);
  }
  EXPECT_GT(worst_moment_of_half(store), 4.5);
}

// A plateau of the likelihood that neither climbs nor a thousand draws see, 100 times as high as the rest.
TEST(rejection, ends_where_a_draw_is_above_the_bound) {
  const auto likelihood = [](Values x, std::span<double>) {
    return x[0] > 2.0 && x[0] < 2.002 ? std::log(100.0) : 0.0;
  };
  const Known model(1, 1.0, likelihood, {});
  StoredDraws store;
  try {
    run_chains(model, options_for_sampler("rejection", 43, 200'000), store);
    FAIL() << "no draw is above the bound";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("4.61 nats above the bound"), std::string::npos) << error.what();
    EXPECT_NE(error.hint().find("--margin 6"), std::string::npos) << error.hint();
  }
  SampleOptions wide = options_for_sampler("rejection", 43, 1000);
  wide.kernel = find_sampler("rejection").options();
  set_option(wide, "margin", "4.7");
  run_chains(model, wide, store);
  double tries = 0.0;
  for (const double t : store.info.chain(0, 1)) tries += t / 1000.0;
  EXPECT_NEAR(tries, 109.9 / 1.0107, 4.5 * 109.0 / std::sqrt(1000.0));  // e^4.7 over the evidence
}

// Of a standard normal from a normal twice as wide: C = 2^D, the curse of dimension [murphy2023, 11.4.4].
TEST(rejection, takes_as_many_tries_as_the_ratio_of_widths_to_the_power_of_the_dimension) {
  for (const std::size_t dimension : {1u, 3u, 6u}) {
    SampleOptions options = options_for_sampler("rejection", 45, 2000);
    options.kernel = find_sampler("rejection").options();
    set_option(options, "from", "normal");
    set_option(options, "reference_sd", "2");
    StoredDraws store;
    run_chains(*standard_normal(dimension).density, options, store);
    double tries = 0.0;
    for (const double t : store.info.chain(0, 1)) tries += t / 2000.0;
    const double expected = std::pow(2.0, static_cast<double>(dimension));
    EXPECT_NEAR(tries, expected, 4.5 * expected / std::sqrt(2000.0)) << dimension;
  }
}

TEST(rejection, refuses_densities_without_a_gradient) {
  const auto without =
      density::make_value_density(1, [](std::span<const double> x) { return -x[0] * x[0]; });
  StoredDraws store;
  EXPECT_THROW(run_chains(*without, options_for_sampler("rejection", 44, 10), store), Error);
}

// ---- a mixture of modes

TEST(mode_mixture, is_a_normalised_distribution_with_the_gradient_of_its_density) {
  const KnownPosterior model = bimodal();
  const auto mixture = mode_mixture(*model.density, {.num_climbs = 12, .defensive_share = 0.2});
  const auto wide = normal_reference(3.0);
  // E_q[N(x) / q(x)] = 1, and not 1 - a, as it would be without the share of the modes.
  Rng rng({.seed = test_seed(51), .purpose = purpose::kTest});
  constexpr double kDraws = 20'000.0;
  double sum = 0.0, squares = 0.0, near = 0.0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<double> x(1);
    mixture->draw(rng, x);
    const double w = std::exp(wide->log_density(x) - mixture->log_density(x));
    sum += w / kDraws, squares += w * w / kDraws;
    near += std::abs(x[0] - 4.0) < 1.0 ? 1.0 / kDraws : 0.0;
  }
  const double error = std::sqrt((squares - sum * sum) / kDraws);
  EXPECT_NEAR(sum, 1.0, 4.5 * error);
  EXPECT_GT(std::abs(sum - 0.8), 4.5 * error);
  EXPECT_NEAR(near, 0.8 * (1.0 - kShare) + 0.03,
              0.03);  // the higher mode, and some of the wide distribution
  for (const double at : {-4.3, 0.5, 4.1, 9.0}) {
    const std::vector<double> x = {at}, above = {at + 1e-6}, below = {at - 1e-6};
    std::vector<double> gradient(1, 0.0);
    mixture->add_gradient(x, 1.0, gradient);
    EXPECT_NEAR(gradient[0], (mixture->log_density(above) - mixture->log_density(below)) / 2e-6,
                1e-5)
        << at;  // differences of 1e-15 over 2e-6
  }
}

TEST(importance, from_a_mixture_has_less_error_than_from_the_prior_and_standard_scores) {
  const KnownPosterior model = bimodal();
  StandardScores scores, with_a_mode_less;
  double largest = 0.0, from_prior = kInfinity;
  for (std::uint64_t k = 0; k < 12; ++k) {
    SampleOptions options = options_for_sampler("importance", 60 + k, 500);
    StoredDraws store;
    from_prior = std::min(
        from_prior, log_evidence_of(run_chains(*model.density, options, store).chains[0]).error);
    options.kernel = find_sampler("importance").options();
    set_option(options, "from", "mixture");
    const RunResult run = run_chains(*model.density, options, store);
    EXPECT_FALSE(run.evidence_is_normalised);
    const LogEvidence found = log_evidence_of(run.chains[0]);
    scores.add(found, model.log_evidence);
    with_a_mode_less.add({found.value + std::log1p(-kShare), found.error}, model.log_evidence);
    largest = std::max(largest, found.error);
  }
  EXPECT_TRUE(scores.pass());
  EXPECT_FALSE(with_a_mode_less.pass());
  EXPECT_LT(largest, 0.5 * from_prior);
}

}  // namespace
}  // namespace credo::infer::rejection_test
