// The distribution of one coordinate from the density alone, against closed forms, and what it says of
// draws that miss a region.
#include "verdict/marginal.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>

#include "support/judged_runs.hpp"
#include "verdict/distribution_figures.hpp"
#include "verdict/mass_gaps.hpp"
#include "verdict/scouts.hpp"

namespace credo::verdict::marginal_test {
namespace {
using credo::testing::run_of;

// The largest error of its mass, where distribution(u) is the true share below a free value.
double worst_error(const Marginal& marginal, const std::function<double(double)>& distribution) {
  const double first = distribution(marginal.grid.front()),
               last = distribution(marginal.grid.back());
  double worst = 0.0;
  for (std::size_t k = 0; k < marginal.grid.size(); ++k) {
    const double share = (distribution(marginal.grid[k]) - first) / (last - first);
    worst = std::max(worst, std::fabs(marginal.mass[k] - share));
  }
  return worst;
}

// The cubic rule on 17 points of a normal distribution's 9 standard deviations is good to a few 1e-3.
TEST(marginal, of_a_correlated_normal_distribution_is_normal) {
  const auto run = run_of(
      "parameters { vector[3] x; } model { x ~ multi_normal(rep_vector(1, 3), [[1, 0.9, 0.5], "
      "[0.9, 1, 0.6], [0.5, 0.6, 4]]); }",
      "", 1);
  const Case at_hand(run->evidence);
  const boost::math::normal_distribution<> normal(1.0, 2.0);
  const auto marginal = marginal_of(*at_hand.probe(), 2);
  ASSERT_TRUE(marginal.has_value());
  EXPECT_LT(worst_error(*marginal, [&](double u) { return cdf(normal, u); }), 0.004);
}

// theta given tau is normal, so the nested approximation is exact: tau² + 1 is the variance of y.
TEST(marginal, of_a_scale_of_a_hierarchy_is_that_of_quadrature) {
  const auto run = run_of(
      "parameters { real<lower=0> tau; vector[5] theta; } model { tau ~ cauchy(0, 1); theta ~ "
      "normal(0, tau); [0.1, -0.2, 0.05, 0.15, -0.1]' ~ normal(theta, 1); }",
      "", 1);
  const Case at_hand(run->evidence);
  const auto density = [](double log_tau) {
    const double tau = std::exp(log_tau), variance = tau * tau + 1.0, squares = 0.085;
    return tau / (1.0 + tau * tau) * std::pow(variance, -2.5) * std::exp(-squares / 2.0 / variance);
  };
  const auto distribution = [&](double u) {
    double sum = 0.0;
    for (double v = -30.0; v < u; v += 1e-3) sum += density(v) * 1e-3;
    return sum;
  };
  const auto marginal = marginal_of(*at_hand.probe(), 0);
  ASSERT_TRUE(marginal.has_value());
  EXPECT_LT(worst_error(*marginal, distribution), 0.01);
}

TEST(marginal, of_a_positive_parameter_alone_is_its_distribution) {
  const auto run = run_of("parameters { real<lower=0> s; } model { s ~ gamma(3, 2); }", "", 1);
  const Case at_hand(run->evidence);
  const boost::math::gamma_distribution<> gamma(3.0, 0.5);
  const auto marginal = marginal_of(*at_hand.probe(), 0);
  ASSERT_TRUE(marginal.has_value());
  EXPECT_LT(worst_error(*marginal, [&](double u) { return cdf(gamma, std::exp(u)); }), 0.01);
}

// The conditional distribution has two modes, of which a climb sees one.
TEST(marginal, is_not_claimed_where_the_others_have_two_modes) {
  const auto run = run_of(
      "parameters { real x; real y; } model { x ~ normal(0, 1); y ~ normal(x^2, 0.5); }", "", 1);
  const Case at_hand(run->evidence);
  EXPECT_FALSE(marginal_of(*at_hand.probe(), 1).has_value());
  EXPECT_TRUE(marginal_of(*at_hand.probe(), 0).has_value());
}

// The range of the draws isn't the distribution's: those that miss a region end before it.
TEST(marginal, goes_on_beyond_the_draws_to_where_the_distribution_ends) {
  const auto run = run_of("parameters { real<lower=0> s; } model { s ~ exponential(1); }", "", 1);
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < 1000; ++s) run->draws->at(s, c, 0) += 1.0;
  const Case at_hand(run->evidence);
  const auto marginal = marginal_of(*at_hand.probe(), 0);
  ASSERT_TRUE(marginal.has_value());
  EXPECT_LT(std::exp(marginal->grid.front()), 0.05);  // two spreads below the draws it is 0.4
}

// tau² + 1 is the variance of y: its 5 % quantile and the mixture that a theta is, by quadrature.
TEST(distribution_figures, of_a_hierarchy_are_those_of_quadrature) {
  const auto run = run_of(
      "parameters { real<lower=0> tau; vector[5] theta; } model { tau ~ cauchy(0, 1); theta ~ "
      "normal(0, tau); [0.1, -0.2, 0.05, 0.15, -0.1]' ~ normal(theta, 1); }",
      "", 1);
  const Case at_hand(run->evidence);
  const auto distribution = marginal_of(*at_hand.probe(), 0);
  ASSERT_TRUE(distribution.has_value());
  std::vector<double> tau;
  for (const double u : distribution->grid) tau.push_back(std::exp(u));
  const DistributionFigures scale = figures_of(*distribution, tau);
  EXPECT_NEAR(scale.quantiles[0], 0.026852, 5e-4);  // tests/verdict/targets: groups_five_cauchy
  EXPECT_NEAR(scale.quantiles[1], 0.294732, 2e-3);
  EXPECT_NEAR(scale.mean, 0.377290, 2e-3);
  double mean = 0.0, sum = 0.0;  // of theta.2: -0.2 shrunk by tau² / (1 + tau²)
  for (double u = -12.0; u < 6.0; u += 1e-3) {
    const double t = std::exp(u), variance = t * t + 1.0;
    const double p = t / variance * std::pow(variance, -2.5) * std::exp(-0.0425 / variance);
    mean += p * -0.2 * t * t / variance, sum += p;
  }
  const DistributionFigures other = figures_of_other(*distribution, 2);
  EXPECT_NEAR(other.mean, mean / sum, 2e-3);
  EXPECT_LT(other.quantiles[0], other.mean);
}

// Divergences all over, and every figure right: the draws are believed, and the word says why.
TEST(mass_gaps, clear_draws_whose_figures_all_agree) {
  const auto run = run_of(
      "parameters { real<lower=0> tau; vector[3] z; } model { tau ~ gamma(2, 1); z ~ normal(0, 1 + "
      "tau); }",
      "", 1);
  run->draws->statistics["divergent"].assign(4000, 0.0);
  for (std::size_t s = 0; s < 4000; s += 25) run->draws->statistics["divergent"][s] = 1.0;
  const Case at_hand(run->evidence);
  EXPECT_TRUE(are_all_cleared(at_hand));
  EXPECT_EQ(judge(run->evidence).word, Verdict::Word::good);
  for (Index c = 0; c < 4; ++c)  // one element stretched: not all of them any more
    for (Index s = 0; s < 1000; ++s) run->draws->at(s, c, 3) *= 1.3;
  EXPECT_FALSE(are_all_cleared(Case(run->evidence)));
}

// A log-normal distribution with sigma 2: half of its variance lies beyond 4 standard deviations of log x.
TEST(mass_gaps, tell_a_standard_deviation_that_rests_on_a_few_draws) {
  const auto run = run_of("parameters { real<lower=0> x; } model { x ~ lognormal(0, 2); }", "", 3);
  for (Index c = 0; c < 4; ++c)  // draws that haven't met the tail
    for (Index s = 0; s < 1000; ++s)
      run->draws->at(s, c, 0) =
          std::min(run->draws->at(s, c, 0), 200.0 + 10.0 * std::sin(static_cast<double>(s)));
  const Verdict verdict = judge(run->evidence);
  EXPECT_NE(credo::testing::alarms_of(verdict).find("heavy_tails"), std::string::npos)
      << credo::testing::ids_of(verdict);
}

TEST(mass_gaps, tell_nothing_of_a_standard_deviation_that_has_settled) {
  for (const char* distribution : {"exponential(1)", "lognormal(0, 0.5)", "gamma(0.5, 1)"}) {
    const auto run = run_of(
        std::string("parameters { real<lower=0> x; } model { x ~ ") + distribution + "; }", "", 2);
    EXPECT_EQ(credo::testing::alarms_of(judge(run->evidence)), "") << distribution;
  }
}

// Chains that never go below a value of the scale, and agree.
TEST(mass_gaps, names_the_region_that_draws_miss) {
  const std::string text =
      "parameters { real<lower=0> tau; vector[4] z; } model { tau ~ gamma(2, 1); z ~ normal(0, "
      "1 + tau); }";
  const auto run = run_of(text, "", 3, {.num_draws = 3000});
  const Case whole(run->evidence);
  ASSERT_FALSE(whole.mass_checks().empty());
  EXPECT_FALSE(whole.mass_checks()[0].gap.has_value());
  const std::string cut =
      "parameters { real<lower=0> tau; vector[4] z; } model { tau ~ gamma(2, 1) T[0.8, ]; z ~ "
      "normal(0, 1 + tau); if (tau < 0.8) target += -1e3 * (0.8 - tau); }";
  const auto other = run_of(cut, "", 3, {.num_draws = 3000});
  Evidence wrong = other->evidence;  // draws of the cut distribution, the density of the whole
  wrong.model = run->evidence.model;
  wrong.program = run->evidence.program;
  const Case at_hand(wrong);
  ASSERT_FALSE(at_hand.mass_checks().empty());
  const MassCheck& check = at_hand.mass_checks()[0];
  EXPECT_EQ(at_hand.columns[static_cast<std::size_t>(check.column)].name, "tau");
  ASSERT_TRUE(check.gap.has_value());
  EXPECT_TRUE(check.gap->misses_below());
}

// A spike that the draws step over, at the place where every climb ends.
TEST(mode_search, finds_a_spike_amid_the_draws) {
  const auto run = run_of(
      "parameters { vector[2] x; } model { target += log_mix(0.5, normal_lpdf(x | 0, 0.001), "
      "normal_lpdf(x | 0, 10)); }",
      "", 1);
  const auto found = Case(run->evidence).mode_search().found;
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->is_inside);
  EXPECT_NEAR(found->value, 0.0, 1e-3);
  EXPECT_LT(found->draws_near, 0.1);
}

TEST(mode_search, finds_modes_hundreds_of_spreads_away) {
  for (const int where : {40, 100}) {
    const auto run = run_of(
        "parameters { real x; } model { target += log_mix(0.5, normal_lpdf(x | "
        "0, 1), normal_lpdf(x | " +
            std::to_string(where) + ", 1)); }",
        "", 1);
    const auto found = Case(run->evidence).mode_search().found;
    ASSERT_TRUE(found.has_value()) << where;
    EXPECT_NEAR(found->value, where, 1e-2);
  }
}
}  // namespace
}  // namespace credo::verdict::marginal_test
