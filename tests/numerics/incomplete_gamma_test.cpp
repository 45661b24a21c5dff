// Incomplete Gamma functions: log values and derivatives by the shape against stored values, their
// recurrences, limits and inverses.
#include "numerics/incomplete_gamma.hpp"

#include <gtest/gtest.h>

#include "numerics/elementary.hpp"
#include "numerics/special.hpp"
#include "special_reference.hpp"

namespace credo::test::incomplete_gamma_test {
namespace {
using numerics::GammaTails;
using numerics::Taylor;

const std::map<std::string, std::vector<SpecialRecord>>& records() {
  static const auto all = read_special(CREDO_SOURCE_DIR "/tests/data/incomplete_reference.txt");
  return all;
}

struct Row {
  const char* name;
  Taylor GammaTails::*series;
  size_t order;
  double tolerance;  // relative, or absolute below 1 for log values, whose exponentials users see
};

// Sums and integrals of one sign: some hundred roundings, times the conditioning of x^a e^-x by its
// exponent, which for the stored arguments is below 2^-52 * 1e3.
const Row kRows[] = {
    {"gamma_log_p", &GammaTails::log_p, 0, 1e-12},
    {"gamma_log_q", &GammaTails::log_q, 0, 1e-12},
    {"gamma_log_p_a", &GammaTails::log_p, 1, 1e-10},
    {"gamma_log_q_a", &GammaTails::log_q, 1, 1e-10},
    {"gamma_log_p_aa", &GammaTails::log_p, 2, 1e-8},
    {"gamma_log_q_aa", &GammaTails::log_q, 2, 1e-8},
};

double worst_error(const Row& row, double factor, std::string* where) {
  double worst = 0;
  for (const auto& record : records().at(row.name)) {
    const GammaTails tails = numerics::gamma_tails(record.arguments[0], record.arguments[1]);
    const double exact = static_cast<double>(record.exact);
    const double error =
        std::abs((tails.*row.series).derivative(row.order) * factor - exact) / std::abs(exact);
    if (!(error <= worst)) {
      worst = error;
      *where = ::testing::PrintToString(record.arguments);
    }
  }
  return worst;
}

TEST(incomplete_gamma, logs_and_shape_derivatives_agree_with_stored_values) {
  for (const Row& row : kRows) {
    std::string where;
    const double worst = worst_error(row, 1, &where);
    EXPECT_LE(worst, row.tolerance) << row.name << " at " << where;
    RecordProperty(row.name, std::to_string(worst));
  }
}

TEST(incomplete_gamma, a_value_off_by_one_in_a_hundred_million_is_rejected) {
  std::string where;
  for (const Row& row : kRows) EXPECT_GT(worst_error(row, 1 + 2e-8, &where), row.tolerance);
}

TEST(incomplete_gamma, tails_add_up_to_one) {
  for (const double a : {1e-5, 0.3, 1.0, 7.0, 29.0, 31.0, 5e3, 1e9}) {
    for (const double ratio : {0.1, 0.9, 1.0, 1.1, 3.0}) {
      const GammaTails t = numerics::gamma_tails(a, a * ratio);
      EXPECT_NEAR(t.p.value() + t.q.value(), 1, 1e-14) << a << " " << ratio;
      EXPECT_NEAR(numerics::exp(t.log_p.value()), t.p.value(), 1e-13);
      EXPECT_NEAR(t.p.derivative(1), -t.q.derivative(1), 1e-13 * std::abs(t.p.derivative(1)));
    }
  }
}

// Third derivatives have no stored values: they are the central difference of the second ones,
// whose error is (step^2 / 6) times the fifth derivative.
TEST(incomplete_gamma, third_derivative_is_the_derivative_of_the_second) {
  for (const double a : {0.4, 3.0, 40.0, 1000.0}) {
    for (const double ratio : {0.9, 1.05}) {
      const double x = a * ratio, step = 1e-4 * std::sqrt(a);
      const auto second = [&](double shape) {
        return numerics::gamma_tails(shape, x).log_p.derivative(2);
      };
      const double difference = (second(a + step) - second(a - step)) / (2 * step);
      const double third = numerics::gamma_tails(a, x).log_p.derivative(3);
      EXPECT_NEAR(third, difference, 1e-5 * std::abs(third) + 1e-12) << a << " " << x;
    }
  }
}

TEST(incomplete_gamma, limits_and_arguments_outside_the_domain) {
  EXPECT_EQ(numerics::gamma_p(2, 0), 0);
  EXPECT_EQ(numerics::log_gamma_p(2, 0), -kInfinity);
  EXPECT_EQ(numerics::gamma_q(2, kInfinity), 0);
  EXPECT_EQ(numerics::log_gamma_q(2, kInfinity), -kInfinity);
  EXPECT_TRUE(std::isnan(numerics::gamma_p(-1, 2)));
  EXPECT_TRUE(std::isnan(numerics::gamma_p(1, -2)));
  EXPECT_TRUE(std::isnan(numerics::gamma_p(kNaN, 2)));
  EXPECT_NEAR(numerics::log_gamma_q(1, 1e6), -1e6, 1e-9);  // Q(1, x) = e^-x
}

TEST(incomplete_gamma, inverse_returns_the_argument) {
  for (const double a : {1e-3, 0.2, 1.0, 3.5, 100.0, 1e6}) {
    for (const double log_p : {-1e4, -300.0, -20.0, -1.0, -0.7}) {
      const double x = numerics::inv_log_gamma_p(a, log_p);
      if (x > 1e-300) {  // else the root is below the smallest number
        EXPECT_NEAR(numerics::log_gamma_p(a, x), log_p, 1e-12 * std::abs(log_p)) << a;
      }
      const double y = numerics::inv_log_gamma_q(a, log_p);
      if (y > 1e-300) {
        EXPECT_NEAR(numerics::log_gamma_q(a, y), log_p, 1e-11 * std::abs(log_p)) << a;
      }
    }
    for (const double p : {0.01, 0.5, 0.99}) {
      const double x = numerics::inv_gamma_p(a, p);
      if (x > 1e-300) {
        EXPECT_NEAR(numerics::gamma_p(a, x), p, 1e-12) << a;
      }
    }
  }
}

}  // namespace
}  // namespace credo::test::incomplete_gamma_test
