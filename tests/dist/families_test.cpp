// One suite over the table of exponential families, and the same suite on rows with planted mistakes.
#include "dist/families/family.hpp"

#include <gtest/gtest.h>
#include "base/error.hpp"

#include "dist/at.hpp"
#include "dist/family_mutants.hpp"

namespace credo::dist::families_test {
namespace {

// All arguments of the distribution.
struct Case {
  std::string_view family;
  Numbers args;
};
const Case kCases[] = {
    {"bernoulli", {0.3}},
    {"bernoulli", {0.995}},
    {"beta", {2.5, 1.5}},
    {"beta", {0.4, 0.6}},
    {"beta", {300.0, 120.0}},
    {"binomial", {12.0, 0.3}},
    {"binomial", {400.0, 0.85}},
    {"chi_square", {0.8}},
    {"chi_square", {7.0}},
    {"double_exponential", {-1.0, 0.5}},
    {"exponential", {3.0}},
    {"gamma", {0.3, 2.0}},
    {"gamma", {40.0, 0.1}},
    {"geometric", {1.0, 0.7}},
    {"inv_chi_square", {12.0}},
    {"inv_gamma", {3.5, 2.0}},
    {"inv_gamma", {30.0, 0.2}},
    {"lognormal", {0.2, 0.7}},
    {"normal", {-2.0, 3.0}},
    {"normal", {5.0, 0.4}},
    {"neg_binomial", {3.0, 0.5}},
    {"normal_location", {2., 3.}},
    {"normal_scale", {-1.0, 0.6}},
    {"pareto", {1.5, 4.0}},
    {"poisson", {3.5}},
    {"poisson", {80.0}},
    {"rayleigh", {2.0}},
    {"von_mises", {0.7, 2.0}},
    {"von_mises", {-2.0, 40}},
    {"weibull", {1.7, 2.5}},
    {"inv_chi_square", {1.5}},
};

struct AtFamily {
  AtFamily(const ExponentialFamily& row, const Case& c)
      : family(row), args(c.args), known(known_of(row, c.args)), natural(row.to_natural(c.args)) {}
  const ExponentialFamily& family;
  const Numbers args, known, natural;
  At distribution() const { return At(*find(family.distribution), {family.distribution, args}); }
};

// Points and weights whose sums are expectations of functions that are smooth between the points' intervals.
Points rule_of(const AtFamily& at) {
  const At d = at.distribution();
  Points all;
  if (d.d.discrete) {
    const double last =
        std::isfinite(d.upper()) ? d.upper() : d.quantile(Tail::log_ccdf, -45.0) + 10.0;
    for (double k = d.lower(); k <= last; ++k) all.x.push_back(k), all.weights.push_back(1.0);
    return all;
  }
  Numbers ends{d.lower(), d.upper()};
  if (d.d.name == "von_mises") {
    for (const double by : {-3.0, -1.0, 0.0, 1.0, 3.0}) {
      const double end = at.args[0] + by / std::sqrt(at.args[1]);
      if (end > ends[0] && end < ends[1]) ends.push_back(end);
    }
  } else {
    for (const double log_p : {-40.0, -15.0, -5.0, -2.0, -0.7})
      ends.push_back(d.quantile(Tail::log_cdf, log_p)),
          ends.push_back(d.quantile(Tail::log_ccdf, log_p));
    if (d.d.name == "double_exponential") ends.push_back(at.args[0]);
  }
  std::sort(ends.begin(), ends.end());
  const double spread = d.quantile(Tail::cdf, 0.75) - d.quantile(Tail::cdf, 0.25);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const bool open_below = !std::isfinite(ends[i]);
    const Points p = open_below ? points_to(ends[i + 1], ends[i], spread)
                                : points_to(ends[i], ends[i + 1], spread);
    all.x.insert(all.x.end(), p.x.begin(), p.x.end());
    all.weights.insert(all.weights.end(), p.weights.begin(), p.weights.end());
  }
  return all;
}

// Relative errors of the density against the distribution's, E t, Cov t, and the entropy, all by sums over the rule.
struct Errors {
  double density = 0.0, mass = 0.0, mean = 0.0, fisher = 0.0, entropy = 0.0, slope = 0.0,
         round_trip = 0.0;
  double largest() const {
    return std::max({density, mass, mean, fisher, entropy, slope, round_trip});
  }
};

void expectations(const AtFamily& at, Errors& errors) {
  const auto& family = at.family;
  const std::size_t p = at.natural.size();
  const Points rule = rule_of(at);
  const Numbers mean = family.mean(at.natural, at.known),
                fisher = family.fisher(at.natural, at.known);
  Numbers first(p, 0.0), second(p * p, 0.0);
  double mass = 0.0, entropy = 0.0;
  for (std::size_t i = 0; i < rule.x.size(); ++i) {
    const double value = log_density(family, std::array{rule.x[i]}, at.natural, at.known);
    if (!(value > -700.0)) continue;
    const double w = rule.weights[i] * std::exp(value);
    const Numbers t = family.statistic(std::array{rule.x[i]}, at.known);
    mass += w, entropy -= w * value;
    for (std::size_t a = 0; a < p; ++a) {
      first[a] += w * (t[a] - mean[a]);
      for (std::size_t b = 0; b < p; ++b)
        second[a * p + b] += w * (t[a] - mean[a]) * (t[b] - mean[b]);
    }
  }
  errors.mass = std::abs(mass - 1.0);
  errors.entropy =
      std::abs(entropy - dist::entropy(family, at.natural, at.known)) / (1.0 + std::abs(entropy));
  for (std::size_t a = 0; a < p; ++a) {
    errors.mean = std::max(errors.mean, std::abs(first[a]) / std::sqrt(fisher[a * p + a]));
    for (std::size_t b = 0; b < p; ++b)
      errors.fisher = std::max(errors.fisher, std::abs(second[a * p + b] - fisher[a * p + b]) /
                                                  std::sqrt(fisher[a * p + a] * fisher[b * p + b]));
  }
}

// The log partition's central difference against the mean.
double slope_error(const AtFamily& at) {
  const auto& family = at.family;
  const std::size_t p = at.natural.size();
  const Numbers mean = family.mean(at.natural, at.known),
                fisher = family.fisher(at.natural, at.known);
  double worst = 0.0;
  for (std::size_t a = 0; a < p; ++a) {
    const double sd = std::sqrt(fisher[a * p + a]),
                 h = 1e-4 / sd;  // error: third derivative, 1e-8; rounding of A, 1e-12
    Numbers up = at.natural, down = at.natural;
    up[a] += h, down[a] -= h;
    const double slope =
        (family.log_partition(up, at.known) - family.log_partition(down, at.known)) / (2.0 * h);
    worst = std::max(worst, std::abs(slope - mean[a]) / sd);
  }
  return worst;
}

double density_error(const AtFamily& at) {
  const At d = at.distribution();
  double worst = 0.0;
  for (const double p : {0.01, 0.2, 0.5, 0.9, 0.999}) {
    const double x = d.quantile(Tail::cdf, p), right = d.log_density(x);
    worst = std::max(worst,
                     std::abs(log_density(at.family, std::array{x}, at.natural, at.known) - right) /
                         (1.0 + std::abs(right)));
  }
  return worst;
}

// Arguments to natural parameters and back, means and back: in units of the natural parameters' standard errors.
double round_trip_error(const AtFamily& at) {
  const Numbers args = at.family.to_args(at.natural, at.known);
  const Numbers again = natural_of_mean(at.family, at.family.mean(at.natural, at.known), at.known);
  const Numbers fisher = at.family.fisher(at.natural, at.known);
  double worst = 0.0;
  for (std::size_t i = 0; i < args.size(); ++i)
    worst = std::max(worst, std::abs(args[i] - at.args[i]) / (1.0 + std::abs(at.args[i])));
  for (std::size_t a = 0; a < again.size(); ++a)
    worst = std::max(worst, std::abs(again[a] - at.natural[a]) *
                                std::min(std::sqrt(fisher[a * again.size() + a]),
                                         1.0 / (1e-300 + std::abs(at.natural[a]))));
  return worst;
}

// Tolerance: ten times the error of the central differences, whose h is 1e-4 standard errors: h^2 = 1e-8 of a skewness of up to 6,
// and rounding of a log partition of up to 300 by h, 3e-10. Integrals by the double exponential rule have a smaller error.
Errors errors_of(const ExponentialFamily& family, const Case& c) {
  const AtFamily at(family, c);
  Errors errors;
  expectations(at, errors);
  errors.density = density_error(at);
  errors.slope = slope_error(at);
  try {
    errors.round_trip = round_trip_error(at);
  } catch (const Error&) {  // Newton's method found no natural parameters
    errors.round_trip = kInfinity;
  }
  return errors;
}
constexpr double kTolerance = 1e-7;

TEST(families, every_family_is_its_distribution_with_its_moments) {
  for (const Case& c : kCases) {
    const ExponentialFamily* family = find_family(c.family);
    ASSERT_NE(family, nullptr) << c.family;
    const Errors e = errors_of(*family, c);
    EXPECT_LT(e.largest(), kTolerance)
        << c.family << " " << ::testing::PrintToString(c.args) << ": density " << e.density
        << ", mass " << e.mass << ", mean " << e.mean << ", Fisher " << e.fisher << ", entropy "
        << e.entropy << ", slope " << e.slope << ", round trip " << e.round_trip;
    EXPECT_LT(e.density, 1e-11) << c.family;
  }
}

TEST(families, every_family_of_the_table_has_a_case_and_its_parts) {
  for (const ExponentialFamily* family : exponential_families()) {
    if (!family->is_of_numbers() || family->distribution.empty())
      continue;  // families_of_vectors_test.cpp
    EXPECT_TRUE(std::ranges::any_of(kCases, [&](const Case& c) {
      return c.family == family->name;
    })) << family->name;
    EXPECT_NE(find(family->distribution), nullptr) << family->name;
    EXPECT_EQ(family->statistics.size(), family->naturals.size()) << family->name;
  }
}

TEST(families, a_row_with_a_planted_mistake_is_rejected) {
  for (const Case& c : kCases)
    for (const auto& [name, mutant] : family_mutants::mutants_of(*find_family(c.family)))
      EXPECT_GT(errors_of(mutant, c).largest(), 1e-4) << c.family << ": " << name;
}

TEST(families, a_mean_outside_of_the_convex_hull_is_refused) {
  EXPECT_THROW(natural_of_mean(*find_family("gamma"), Numbers{1.0, 1.0}, {}),
               Error);  // E log x above log E x
  EXPECT_THROW(natural_of_mean(*find_family("normal"), Numbers{2.0, 4.0}, {}),
               Error);  // variance 0
  EXPECT_THROW(natural_of_mean(*find_family("bernoulli"), Numbers{1.5}, {}), Error);
}

// Digits of these means cancel: the standard deviations of the statistics are up to 1e12 times smaller than their means.
TEST(families, extreme_means_are_inverted_within_their_rounding) {
  const Case extreme[] = {{"gamma", {1e10, 3.0}},     {"gamma", {1e-4, 3.0}},
                          {"inv_gamma", {1e10, 3.0}}, {"normal", {1e5, 1.0}},
                          {"beta", {1e7, 2e7}},       {"beta", {1e-3, 40.0}},
                          {"poisson", {1e12}},        {"von_mises", {0.4, 1e4}}};
  for (const Case& c : extreme) {
    const AtFamily at(*find_family(c.family), c);
    const Numbers mean = at.family.mean(at.natural, at.known);
    const Numbers again = at.family.mean(natural_of_mean(at.family, mean, at.known), at.known);
    const Numbers fisher = at.family.fisher(at.natural, at.known);
    for (std::size_t a = 0; a < mean.size(); ++a)
      EXPECT_LT(std::abs(again[a] - mean[a]), 2e-6 * std::sqrt(fisher[a * mean.size() + a]))
          << c.family << " " << c.args[0];
  }
}

TEST(families, draws_have_the_mean_of_the_statistics) {
  constexpr int kDraws = 4000;
  for (const Case& c : kCases) {
    const AtFamily at(*find_family(c.family), c);
    const std::size_t p = at.natural.size();
    Rng rng({.seed = 7});
    Numbers sum(p, 0.0);
    for (int i = 0; i < kDraws; ++i) {
      const Numbers t = at.family.statistic(draw(at.family, rng, at.natural, at.known), at.known);
      for (std::size_t a = 0; a < p; ++a) sum[a] += t[a];
    }
    const Numbers mean = at.family.mean(at.natural, at.known),
                  fisher = at.family.fisher(at.natural, at.known);
    for (std::size_t a = 0; a < p; ++a)  // five standard errors: 1 in 10,000 over the table
      EXPECT_LT(std::abs(sum[a] / kDraws - mean[a]), 5.0 * std::sqrt(fisher[a * p + a] / kDraws))
          << c.family << " " << a;
  }
}

}  // namespace
}  // namespace credo::dist::families_test
