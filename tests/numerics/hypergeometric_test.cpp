// Hypergeometric series against closed forms, over the range where the sum doesn't cancel.
#include "numerics/hypergeometric.hpp"

#include <gtest/gtest.h>

namespace credo::numerics::hypergeometric_test {
namespace {

double sum(std::vector<double> upper, std::vector<double> lower, double z) {
  return hypergeometric({upper, lower}, z);
}

// 1F0(a; z) = (1 - z)^-a, 2F1(1/2, 1/2; 3/2; z^2) = asin(z)/z, 0F1(; 1/2; z^2/4) = cosh z,
// 1F1(1; 2; z) = (e^z - 1)/z. Terms of one sign: errors of a few hundred roundings at most.
TEST(hypergeometric, keeps_thirteen_digits_where_all_terms_are_positive) {
  for (const double z : {1e-9, 0.1, 0.5, 0.9, 0.99}) {
    EXPECT_NEAR(sum({2.3}, {}, z) * std::pow(1 - z, 2.3), 1.0, 1e-13) << z;
    EXPECT_NEAR(sum({0.5, 0.5}, {1.5}, z * z) * z / std::asin(z), 1.0, 1e-13) << z;
    EXPECT_NEAR(sum({}, {0.5}, z * z / 4) / std::cosh(z), 1.0, 1e-13) << z;
    EXPECT_NEAR(sum({1}, {2}, z) * z / std::expm1(z), 1.0, 1e-13) << z;
  }
}

TEST(hypergeometric, by_a_shape_is_the_slope_of_the_series) {
  const std::vector<double> a{1.3, 0.4}, b{2.2};
  const double z = 0.7, h = 1e-5;
  const auto at = [&](Index k, double shift) {
    std::vector<double> upper = a, lower = b;
    (k < 2 ? upper[static_cast<std::size_t>(k)] : lower[0]) += shift;
    return hypergeometric({upper, lower}, z);
  };
  for (Index k = 0; k < 3; ++k)  // central differences: h^2 and rounding / h
    EXPECT_NEAR(hypergeometric_by({a, b}, z, k), (at(k, h) - at(k, -h)) / (2 * h), 1e-9) << k;
}

TEST(hypergeometric, that_diverges_is_no_number) {
  EXPECT_TRUE(std::isnan(sum({1.5, 2.0}, {1.0}, 1.2)));
  EXPECT_TRUE(std::isnan(sum({1.5, 2.0, 1.0}, {1.0}, 0.2)));
}

}  // namespace
}  // namespace credo::numerics::hypergeometric_test
