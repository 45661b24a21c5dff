// The functions of special_library.hpp satisfy identities that tie them together.
#include "numerics/special_library.hpp"

#include <gtest/gtest.h>

#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::test::special_library_test {
namespace {
constexpr double kPi = 3.14159265358979323846;

// J_{n+1} Y_n - J_n Y_{n+1} = 2 / (pi x); I_n K_{n+1} + I_{n+1} K_n = 1/x [dlmf, 10.5.2, 10.28.2]
TEST(special_library, bessel_functions_have_their_wronskians) {
  for (const int n : {0, 1, 2, 7, 20}) {
    for (const double x : {0.1, 0.9, 3.0, 25.0, 300.0}) {
      const double jy = numerics::bessel_j(n + 1, x) * numerics::bessel_y(n, x);
      const double yj = numerics::bessel_j(n, x) * numerics::bessel_y(n + 1, x);
      const double scale = std::abs(jy) + std::abs(yj);
      EXPECT_NEAR(jy - yj, 2 / (kPi * x), 1e-13 * scale) << n << " " << x;
      const double ik = numerics::bessel_i(n, x) * numerics::bessel_k(n + 1, x) +
                        numerics::bessel_i(n + 1, x) * numerics::bessel_k(n, x);
      EXPECT_NEAR(ik * x, 1, 1e-13) << n << " " << x;
    }
  }
}

TEST(special_library, bessel_functions_of_negative_arguments_follow_their_parity) {
  EXPECT_EQ(numerics::bessel_j(3, -2.5), -numerics::bessel_j(3, 2.5));
  EXPECT_EQ(numerics::bessel_i(2, -2.5), numerics::bessel_i(2, 2.5));
  EXPECT_TRUE(std::isnan(numerics::bessel_y(0, -2)));
  EXPECT_TRUE(std::isnan(numerics::bessel_k(0, -2)));
  EXPECT_EQ(numerics::bessel_y(0, 0), -kInfinity);
  EXPECT_EQ(numerics::bessel_k(0, 0), kInfinity);
}

// T(h, 1) = Phi(h) (1 - Phi(h)) / 2, T(0, a) = atan(a) / (2 pi), odd in a, even in h
TEST(special_library, owens_t_agrees_with_its_closed_forms) {
  for (const double h : {0.0, 0.3, 1.7, 5.0, 12.0}) {
    const double expected = 0.5 * numerics::phi(h) * numerics::phi(-h);
    EXPECT_NEAR(numerics::owens_t(h, 1), expected, 1e-13 * expected) << h;
    EXPECT_EQ(numerics::owens_t(-h, -1), -numerics::owens_t(h, 1));
  }
  EXPECT_NEAR(numerics::owens_t(0, 2.5), numerics::atan(2.5) / (2 * kPi), 1e-16);
}

TEST(special_library, lambert_w_inverts_its_definition) {
  for (const double w : {-0.999, -0.5, 1e-10, 0.7, 5.0, 200.0}) {
    const double x = w * numerics::exp(w);
    // near -1 the inverse loses half the digits: dw/dx = w / (x (1 + w))
    EXPECT_NEAR(numerics::lambert_w0(x), w, 1e-15 * std::abs(w) * (2 + 1 / (1 + w))) << w;
  }
  for (const double w : {-1.001, -1.5, -30.0, -600.0}) {
    const double x = w * numerics::exp(w);
    EXPECT_NEAR(numerics::lambert_wm1(x), w, 1e-15 * std::abs(w) * (2 - 1 / (1 + w))) << w;
  }
  EXPECT_TRUE(std::isnan(numerics::lambert_w0(-0.4)));
  EXPECT_TRUE(std::isnan(numerics::lambert_wm1(0.1)));
}

TEST(special_library, tgamma_is_the_factorial_and_reflects) {
  double factorial = 1;
  for (int n = 1; n <= 170; ++n) {
    EXPECT_NEAR(numerics::tgamma(n) / factorial, 1, 1e-13) << n;
    factorial *= n;
  }
  const double reflected = numerics::tgamma(-2.3) * numerics::tgamma(3.3);
  EXPECT_NEAR(reflected * numerics::sin(2.3 * kPi) / -kPi, 1, 1e-13);
  EXPECT_EQ(numerics::tgamma(172.5), kInfinity);
  EXPECT_TRUE(std::isnan(numerics::tgamma(-3)));
}

}  // namespace
}  // namespace credo::test::special_library_test
