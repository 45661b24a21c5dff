// The table of outcome families: derivatives, normalisation, integrals.
#include "models/gp/outcome_cases.hpp"

namespace credo::models::gp_outcomes_test {
namespace {
const std::array<double, 2> kPhi{0.7, 4.5};

std::vector<OutcomeSite> sites_of(const OutcomeFamily& family) {
  if (family.is_scaled) return {{.y = 0.4}, {.y = -2.5, .offset = 0.3}};
  if (family.takes_rate) return {{.y = 0.0}, {.y = 3.0, .offset = 0.5}, {.y = 12.0}};
  if (family.needs_trials) return {{.y = 2.0, .trials = 5.0}, {.y = 0.0, .trials = 3.0}};
  return {{.y = 0.0}, {.y = 1.0, .offset = -0.4}};
}

// Largest relative error of the derivatives by f, by central differences with error h² = 1e-8 and rounding 1e-16 / h.
double error_of_derivatives(const OutcomeFamily& family) {
  constexpr double h = 1e-4;
  double worst = 0.0;
  for (const OutcomeSite& site : sites_of(family))
    for (const double f : {-3.0, -0.6, 0.2, 2.4}) {
      const auto at = family.at(site, kPhi.data(), f), up = family.at(site, kPhi.data(), f + h),
                 down = family.at(site, kPhi.data(), f - h);
      const auto compare = [&](double own, double a, double b) {
        const double by_difference = (a - b) / (2.0 * h);
        worst = std::max(worst, std::abs(own - by_difference) / (1.0 + std::abs(own)));
      };
      compare(at.first, up.value, down.value);
      compare(at.second, up.first, down.first);
      compare(at.third, up.second, down.second);
    }
  return worst;
}

TEST(outcome_families, have_the_derivatives_of_their_log_likelihood) {
  for (const OutcomeFamily* family : single_families())
    EXPECT_LT(error_of_derivatives(*family), 1e-6) << family->name << " " << family->link;
}
TEST(outcome_families, a_likelihood_with_a_wrong_curvature_is_rejected) {
  OutcomeFamily mutant = *find_outcome_family("poisson", "log");
  mutant.at = [](const OutcomeSite& site, const double* phi, double f) {
    SiteValues<double> at = find_outcome_family("poisson", "log")->at(site, phi, f);
    at.second *= 1.001;
    return at;
  };
  EXPECT_GT(error_of_derivatives(mutant), 1e-5);
}

TEST(outcome_families, have_derivatives_by_their_parameters) {
  constexpr double h = 1e-5;
  for (const OutcomeFamily* family : single_families())
    for (const OutcomeSite& site : sites_of(*family))
      for (std::size_t p = 0; p < family->parameters.size(); ++p) {
        std::array<OutcomeDual, 2> dual{kPhi[0], kPhi[1]};
        dual[p] = OutcomeDual::variable(kPhi[p], static_cast<int>(p));
        const auto own = family->by_parameters(site, dual.data(), 0.3);
        std::array<double, 2> up = kPhi, down = kPhi;
        up[p] += h, down[p] -= h;
        const auto above = family->at(site, up.data(), 0.3),
                   below = family->at(site, down.data(), 0.3);
        const double allowed = 1e-7;  // h² and rounding 1e-16 / h
        EXPECT_NEAR(own.value.d[p], (above.value - below.value) / (2 * h), allowed * 10)
            << family->name;
        EXPECT_NEAR(own.first.d[p], (above.first - below.first) / (2 * h), allowed * 100)
            << family->name;
        EXPECT_NEAR(own.second.d[p], (above.second - below.second) / (2 * h), allowed * 1000)
            << family->name;
      }
}

// Sums over outcomes, or an integral by Simpson's rule over most of the line.
double total_mass(const OutcomeFamily& family, double f) {
  double sum = 0.0;
  if (!family.is_scaled) {
    const double trials = family.needs_trials ? 6.0 : 1.0;
    const int most = family.takes_rate ? 4000 : static_cast<int>(trials);
    for (int y = 0; y <= most; ++y)
      sum += std::exp(
          family.at({.y = static_cast<double>(y), .trials = trials}, kPhi.data(), f).value);
    return sum;
  }
  // y = sinh t
  constexpr int kCells = 4000;
  for (int k = 0; k <= kCells; ++k) {
    const double t = -12.0 + 24.0 * k / kCells;
    const double weight = k == 0 || k == kCells ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
    sum += weight * 24.0 / kCells / 3.0 * std::cosh(t) *
           std::exp(family.at({.y = std::sinh(t)}, kPhi.data(), f).value);
  }
  return sum;
}
TEST(outcome_families, have_mass_one) {
  for (const OutcomeFamily* family : single_families())
    for (const double f : {-1.5, 0.0, 1.1})
      EXPECT_NEAR(total_mass(*family, f), 1.0, 1e-9) << family->name << " " << family->link;
}

// Trapezoid over 12 standard deviations: exact to rounding for smooth integrands that fall to 0.
template <class G>
double integral(double mean, double variance, const G& g) {
  constexpr int kCells = 4000;
  double sum = 0.0;
  for (int k = 0; k <= kCells; ++k) {
    const double z = -12.0 + 24.0 * k / kCells;
    sum += 24.0 / kCells * std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi) *
           g(mean + std::sqrt(variance) * z);
  }
  return sum;
}
TEST(outcome_families, have_the_integrals_of_the_trapezoid_rule) {
  for (const OutcomeFamily* family : single_families())
    for (const OutcomeSite& site : sites_of(*family)) {
      const double mean = 0.3, variance = 0.8;
      // 32 points of Gauss and Hermite; the student's logarithm has poles near the line
      const double allowed = family->is_log_concave ? 1e-7 : 2e-3;
      const auto expected = expected_log_likelihood(*family, site, kPhi.data(), mean, variance);
      const auto at = [&](double f) { return family->at(site, kPhi.data(), f); };
      EXPECT_NEAR(expected.value, integral(mean, variance, [&](double f) { return at(f).value; }),
                  allowed * (1 + std::abs(expected.value)))
          << family->name;
      EXPECT_NEAR(expected.slope, integral(mean, variance, [&](double f) { return at(f).first; }),
                  allowed * (1 + std::abs(expected.slope)))
          << family->name;
      EXPECT_NEAR(expected.curvature,
                  integral(mean, variance, [&](double f) { return at(f).second; }),
                  10 * allowed * (1 + std::abs(expected.curvature)))
          << family->name;
      const auto tilted = tilted_site(*family, site, kPhi.data(), mean, variance);
      const double mass = integral(mean, variance, [&](double f) { return std::exp(at(f).value); });
      EXPECT_NEAR(tilted.log_mass, std::log(mass), 1e-8) << family->name;
      EXPECT_NEAR(
          tilted.mean,
          integral(mean, variance, [&](double f) { return f * std::exp(at(f).value); }) / mass,
          1e-8)
          << family->name;
      EXPECT_NEAR(outcome_mean(*family, mean, variance),
                  integral(mean, variance, [&](double f) { return family->mean_at(f); }), 1e-7)
          << family->name;
    }
}
}  // namespace
}  // namespace credo::models::gp_outcomes_test
