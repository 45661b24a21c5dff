// Gibbs sampling as Metropolis-Hastings: a proposal that is the full conditional distribution is accepted with
// probability 1, and one that isn't quite is not.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/support.hpp"
#include "support/test_seed.hpp"

namespace credo::gibbs_as_metropolis_test {
namespace {

// Two standard normals with correlation 0.8.
constexpr double kRho = 0.8;
Model pair_of_normals() {
  return stan_text(
      "parameters { real a, b; } model { a ~ normal(0, 1); b ~ normal(0.8 * a, 0.6); }", "{}");
}

// a given b and b given a are N(0.8 other, 0.6²). Of one coordinate the proposal doesn't see the other one, so both are proposed
// as a block would be: first a given b; `sd` is wrong in the mutant. The pair is (a, b).
Proposal conditional(std::size_t place, double sd) {
  const auto log_distribution = [=](double x, double other) {
    const double z = (x - kRho * other) / sd;
    return -0.5 * z * z;
  };
  return {.draw =
              [=](std::span<const double> from, std::span<double> to, Random& random) {
                std::copy(from.begin(), from.end(), to.begin());
                to[place] = kRho * from[1 - place] + sd * random.normal();
              },
          .log_ratio =
              [=](std::span<const double> from, std::span<const double> to) {
                return log_distribution(from[place], to[1 - place]) -
                       log_distribution(to[place], from[1 - place]);
              }};
}

Fit gibbs(double sd, Index draws) {
  SampleOptions options{.chains = 4, .warmup = 0, .draws = draws, .seed = testing::test_seed(61)};
  options.scheme = cycle({metropolis(conditional(0, sd)), metropolis(conditional(1, sd))});
  return sample(pair_of_normals(), options);
}

double least_accepted(const Fit& fit) {
  const Draws accepted = fit.draws("accept_stat");
  return *std::ranges::min_element(accepted.element(0));
}

TEST(gibbs_as_metropolis, accepts_every_proposal_of_the_full_conditional) {
  const Fit fit = gibbs(0.6, 5000);
  EXPECT_GT(least_accepted(fit), 1.0 - 1e-12);  // rounding of two log densities
  for (const char* name : {"a", "b"}) {
    const SummaryRow row = fit.summary(name);
    EXPECT_NEAR(row.mean, 0.0, 4.0 * row.mcse_mean);
    EXPECT_NEAR(row.sd, 1.0, 4.0 * row.mcse_sd);
  }
}

TEST(gibbs_as_metropolis, rejects_some_of_what_is_not_quite_the_conditional_and_stays_exact) {
  const Fit fit = gibbs(0.9, 5000);
  EXPECT_LT(least_accepted(fit), 0.5);
  const SummaryRow row = fit.summary("a");
  EXPECT_NEAR(row.sd, 1.0, 4.0 * row.mcse_sd);
}

}  // namespace
}  // namespace credo::gibbs_as_metropolis_test
