// Sums of the Conway-Maxwell-Poisson distribution against sums in long double, closed forms and identities of derivatives.
#include "numerics/com_poisson.hpp"

#include <gtest/gtest.h>

namespace credo::test::com_poisson_test {
namespace {
using numerics::com_poisson;
using numerics::ComPoisson;
using Real = long double;
using Sums = std::array<Real, 6>;  // in the order of ComPoisson

ComPoisson over_all(double eta, double nu) { return com_poisson(eta, nu, 0.0, kInfinity); }
Sums entries(const ComPoisson& c) {
  return {c.log_sum, c.mean, c.mean_log, c.variance, c.covariance, c.variance_log};
}

// All terms from the mode outwards until they are below 1e-25 of it, each by the ratio to the one before; `slip` is a planted
// mistake in the logarithm of the ratios.
Sums long_sums(double eta, double nu, double from, double to, Real slip = 0) {
  const Real e = eta, shape = nu;
  const Real mode = std::clamp(std::floor(std::exp(e)), Real(from), Real(to));
  Sums s{1, 0, 0, 0, 0, 0};
  for (const int direction : {1, -1}) {
    Real g = 0;
    for (Real k = mode; direction > 0 ? k < to : k > from;) {
      g += direction > 0 ? e - std::log(k + 1) + slip : std::log(k) - e + slip;
      k += direction;
      const Real t = std::exp(shape * g), j = k - mode;
      s[0] += t, s[1] += t * j, s[2] += t * g, s[3] += t * j * j, s[4] += t * j * g;
      s[5] += t * g * g;
      if (t < 1e-25L && shape * std::abs(e - std::log(k)) > 1e-9L) break;
    }
  }
  const Real top = mode * e - std::lgamma(mode + 1), z = s[0], j = s[1] / z, g = s[2] / z;
  return {shape * top + std::log(z), mode + j,         top + g,
          s[3] / z - j * j,          s[4] / z - j * g, s[5] / z - g * g};
}

struct Case {
  double eta, nu, from = 0.0, to = kInfinity;
};
std::vector<Case> com_cases() {
  std::vector<Case> all;
  for (const double mu : {1e-3, 0.2, 0.9, 1.0, 3.0, 7.5, 20.0, 60.0, 130.0, 900.0})
    for (const double nu : {0.05, 0.3, 1.0, 1.7, 4.0, 15.0, 90.0})
      all.push_back({std::log(mu), nu});
  for (const Case& c : {Case{-0.7 / 1e-6, 1e-6}, Case{1.2, 0.01}, Case{0.5, 1e-3}, Case{8.0, 900.0},
                        Case{2.0, 1.3, 9.0}, Case{2.0, 1.3, 30.0}, Case{2.0, 1.3, 0.0, 3.0},
                        Case{4.0, 0.7, 0.0, 100.0}, Case{4.0, 0.7, 200.0}, Case{7.0, 2.0, 1200.0}})
    all.push_back(c);
  return all;
}

// Errors that com_poisson.hpp states, as multiples of them: largest over the entries.
Real error_of(const Case& c, const Sums& exact) {
  const Sums got = entries(com_poisson(c.eta, c.nu, c.from, c.to));
  const Real mu = std::exp(Real(c.eta)), size = c.nu * mu * (1 + std::abs(c.eta));
  const Real largest = std::max(mu, std::abs(exact[1]) + std::abs(exact[2]));
  const Real far = c.nu * exact[1] * (1 + std::abs(c.eta));  // terms of a tail that is far from mu
  const Real both = std::sqrt(exact[3] * exact[5]);
  // Moments of a distribution that is all at one count are differences of numbers near 1.
  const Sums bound{3e-13L + 1e-14L * std::max(size, far),
                   1e-14L * largest + 1e-14L,
                   1e-14L * largest + 1e-14L,
                   1e-12L * exact[3] + 1e-15L,
                   1e-12L * both + 1e-15L,
                   1e-12L * exact[5] + 1e-15L};
  Real worst = 0;
  for (std::size_t i = 0; i < 6; ++i)
    worst = std::max(worst,
                     std::isnan(got[i]) ? Real(kInfinity) : std::abs(got[i] - exact[i]) / bound[i]);
  return worst;
}

TEST(com_poisson, sums_are_those_of_long_double) {
  for (const Case& c : com_cases())
    EXPECT_LE(error_of(c, long_sums(c.eta, c.nu, c.from, c.to)), 1.0)
        << "eta " << c.eta << ", nu " << c.nu << ", from " << c.from << " to " << c.to;
}
TEST(com_poisson, a_wrong_ratio_is_rejected) {
  for (const Case& c : com_cases())
    if (c.eta > 1.0 && c.nu < 10.0) {
      EXPECT_GT(error_of(c, long_sums(c.eta, c.nu, c.from, c.to, 1e-9L)), 1.0) << c.eta;
    }
}

// log Z = mu, mean and variance mu, E T = E(K log mu - log K!).
TEST(com_poisson, shape_1_is_poisson) {
  for (const double mu : {0.01, 0.5, 3.0, 40.0, 59.0, 61.0, 5000.0, 1e6}) {
    const ComPoisson c = over_all(std::log(mu), 1.0);
    EXPECT_NEAR(c.log_sum, mu, 1e-12 * (1 + mu)) << mu;
    EXPECT_NEAR(c.mean, mu, 1e-12 * (1 + mu)) << mu;
    EXPECT_NEAR(c.variance, mu, 1e-12 * (1 + mu)) << mu;
  }
}
// With lambda = mu^nu: masses 1 and lambda of 0 and 1; those of 2 are lambda^2 / 2^nu.
TEST(com_poisson, a_large_shape_is_bernoulli) {
  const double nu = 80.0, lambda = 3.0;
  const ComPoisson c = over_all(std::log(lambda) / nu, nu);
  EXPECT_NEAR(c.log_sum, std::log(1 + lambda), 1e-14);
  EXPECT_NEAR(c.mean, lambda / (1 + lambda), 1e-14);
  EXPECT_NEAR(c.variance, lambda / ((1 + lambda) * (1 + lambda)), 1e-14);
}
// With lambda = mu^nu below 1: masses lambda^k, less nu log k! of each, which is below 1e-10 where they aren't small.
TEST(com_poisson, a_shape_near_0_is_geometric) {
  const double nu = 1e-13, lambda = 0.6;
  const ComPoisson c = over_all(std::log(lambda) / nu, nu);
  EXPECT_NEAR(c.log_sum, -std::log1p(-lambda), 1e-10);
  EXPECT_NEAR(c.mean, lambda / (1 - lambda), 1e-10);
  EXPECT_NEAR(c.variance, lambda / ((1 - lambda) * (1 - lambda)), 1e-10);
}
// Both ways meet where the series begins: nu mu = 60.
TEST(com_poisson, the_series_continues_the_sum) {
  for (const double nu : {0.05, 0.5, 2.0, 2.7}) {
    const double edge = std::log(60.0 / nu), step = 1e-9;
    const Sums below = entries(over_all(edge - step, nu)),
               above = entries(over_all(edge + step, nu));
    // The slope of each entry times the step is below 1e-8 of the entry; the series errs by 3e-13.
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(static_cast<double>(above[i] / below[i]), 1.0, 1e-7) << nu << ", entry " << i;
    const double slope = static_cast<double>(above[0] - below[0]) / (2 * step);
    EXPECT_NEAR(slope, nu * static_cast<double>(below[1]), 3e-13 / step) << nu;
  }
}
// Entries are derivatives of each other, by four points with step h: error h^4 and 1e-15 size / h.
TEST(com_poisson, moments_are_derivatives) {
  const auto slope = [](const auto& f) {
    const double h = 1e-3;
    return (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12.0 * h);
  };
  for (const Case& c :
       {Case{0.3, 0.4}, Case{1.9, 1.6}, Case{4.6, 2.0}, Case{3.0, 12.0}, Case{7.0, 0.3}}) {
    const ComPoisson at = over_all(c.eta, c.nu);
    const auto by_eta = [&](double ComPoisson::*entry) {
      return slope([&](double h) { return over_all(c.eta + h, c.nu).*entry; });
    };
    const auto by_nu = [&](double ComPoisson::*entry) {
      return slope([&](double h) { return over_all(c.eta, c.nu + h * c.nu).*entry; }) / c.nu;
    };
    const double bound = 1e-9 * (1 + c.nu * std::exp(c.eta)) * (1 + std::abs(c.eta));
    EXPECT_NEAR(by_eta(&ComPoisson::log_sum), c.nu * at.mean, bound) << c.eta;
    EXPECT_NEAR(by_nu(&ComPoisson::log_sum), at.mean_log, bound / c.nu) << c.eta;
    EXPECT_NEAR(by_eta(&ComPoisson::mean), c.nu * at.variance, bound) << c.eta;
    EXPECT_NEAR(by_nu(&ComPoisson::mean), at.covariance, bound / c.nu) << c.eta;
    EXPECT_NEAR(by_nu(&ComPoisson::mean_log), at.variance_log, bound / c.nu) << c.eta;
  }
}
// The sums up to a count and above it are the whole one.
TEST(com_poisson, tails_add_up) {
  for (const double y : {0.0, 2.0, 9.0, 25.0}) {
    const double lower = com_poisson(1.8, 0.7, 0.0, y).log_sum,
                 upper = com_poisson(1.8, 0.7, y + 1.0, kInfinity).log_sum;
    EXPECT_NEAR(std::exp(lower) + std::exp(upper), std::exp(over_all(1.8, 0.7).log_sum), 1e-11);
  }
}
TEST(com_poisson, sums_without_an_end_have_no_value) {
  EXPECT_TRUE(std::isnan(over_all(2.0, 1e-7).log_sum));   // some 1e8 terms
  EXPECT_TRUE(std::isnan(over_all(60.0, 1e26).log_sum));  // counts beyond 2^52
  EXPECT_TRUE(std::isnan(over_all(1.0, 0.0).log_sum));
  EXPECT_TRUE(std::isnan(over_all(kInfinity, 1.0).log_sum));
  EXPECT_EQ(com_poisson(1.0, 1.0, 3.0, 2.0).log_sum, -kInfinity);
  EXPECT_TRUE(std::isfinite(over_all(2.0, 1e-4).log_sum));
}

}  // namespace
}  // namespace credo::test::com_poisson_test
