// Incomplete Beta functions: log values and derivatives by both shapes against stored values,
// symmetry, limits, inverses; Student's t distribution function.
#include "numerics/incomplete_beta.hpp"

#include <gtest/gtest.h>

#include "numerics/elementary.hpp"
#include "numerics/incomplete_quadrature.hpp"
#include "special_reference.hpp"

namespace credo::test::incomplete_beta_test {
namespace {
using numerics::BetaTails;
using numerics::ShapeDirection;
using numerics::Taylor;

const std::map<std::string, std::vector<SpecialRecord>>& records() {
  static const auto all = read_special(CREDO_SOURCE_DIR "/tests/data/incomplete_reference.txt");
  return all;
}

struct Row {
  const char* name;
  Taylor BetaTails::*series;
  ShapeDirection direction;
  size_t order;
  double tolerance;
};

const Row kRows[] = {
    {"beta_log_p", &BetaTails::log_p, numerics::kAlongA, 0, 1e-12},
    {"beta_log_q", &BetaTails::log_q, numerics::kAlongA, 0, 1e-12},
    {"beta_log_p_a", &BetaTails::log_p, numerics::kAlongA, 1, 1e-10},
    {"beta_log_q_a", &BetaTails::log_q, numerics::kAlongA, 1, 1e-10},
    {"beta_log_p_b", &BetaTails::log_p, numerics::kAlongB, 1, 1e-10},
    {"beta_log_q_b", &BetaTails::log_q, numerics::kAlongB, 1, 1e-10},
    {"beta_log_p_aa", &BetaTails::log_p, numerics::kAlongA, 2, 1e-8},
    {"beta_log_q_aa", &BetaTails::log_q, numerics::kAlongA, 2, 1e-8},
};

double worst_error(const Row& row, double factor, std::string* where) {
  double worst = 0;
  for (const auto& record : records().at(row.name)) {
    const auto& v = record.arguments;
    const BetaTails tails = numerics::beta_tails(v[0], v[1], v[2], row.direction);
    const double exact = static_cast<double>(record.exact);
    const double error =
        std::abs((tails.*row.series).derivative(row.order) * factor - exact) / std::abs(exact);
    if (!(error <= worst)) {
      worst = error;
      *where = ::testing::PrintToString(v);
    }
  }
  return worst;
}

TEST(incomplete_beta, logs_and_shape_derivatives_agree_with_stored_values) {
  for (const Row& row : kRows) {
    std::string where;
    const double worst = worst_error(row, 1, &where);
    EXPECT_LE(worst, row.tolerance) << row.name << " at " << where;
  }
}

TEST(incomplete_beta, a_value_off_by_one_in_a_hundred_million_is_rejected) {
  std::string where;
  for (const Row& row : kRows) EXPECT_GT(worst_error(row, 1 + 2e-8, &where), row.tolerance);
}

TEST(incomplete_beta, mixed_derivative_agrees_with_stored_values) {
  for (const auto& record : records().at("beta_log_p_ab")) {
    const auto& v = record.arguments;
    const double exact = static_cast<double>(record.exact);
    const double along_both =
        numerics::beta_tails(v[0], v[1], v[2], numerics::kAlongBoth).log_p.derivative(2);
    const double along_a = numerics::beta_tails(v[0], v[1], v[2]).log_p.derivative(2);
    // the three second derivatives cancel: the error is relative to the largest
    const double scale = std::max({std::abs(exact), std::abs(along_both), std::abs(along_a)});
    EXPECT_NEAR(numerics::log_inc_beta_mixed(v[0], v[1], v[2]), exact, 1e-8 * scale)
        << ::testing::PrintToString(v);
  }
}

TEST(incomplete_beta, exchanging_shapes_and_tails_changes_nothing) {
  for (const double a : {0.01, 0.7, 4.0, 300.0}) {
    for (const double b : {0.02, 1.0, 6.0, 5000.0}) {
      for (const double z : {-30.0, -2.0, 0.0, 0.3, 9.0}) {
        const BetaTails one = numerics::beta_tails_logit(a, b, z);
        const BetaTails other = numerics::beta_tails_logit(b, a, -z, numerics::kAlongB);
        const auto near = [](const Taylor& u, const Taylor& v) {
          for (size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(u.c[k], v.c[k], 1e-12 * std::abs(u.c[k]) + 1e-300);
        };
        near(one.log_p, other.log_q);
        near(one.log_q, other.log_p);
      }
    }
  }
}

TEST(incomplete_beta, limits_and_arguments_outside_the_domain) {
  EXPECT_EQ(numerics::inc_beta(2, 3, 0), 0);
  EXPECT_EQ(numerics::inc_beta(2, 3, 1), 1);
  EXPECT_EQ(numerics::log_inc_beta(2, 3, 0), -kInfinity);
  EXPECT_TRUE(std::isnan(numerics::inc_beta(2, 3, 1.2)));
  EXPECT_TRUE(std::isnan(numerics::inc_beta(-1, 3, 0.5)));
  EXPECT_NEAR(numerics::log_inc_beta(1e6, 1, 0.5), 1e6 * numerics::log(0.5), 1e-8);  // x^a
}

TEST(incomplete_beta, inverse_returns_the_argument) {
  for (const double a : {0.05, 1.0, 20.0, 1e5}) {
    for (const double b : {0.1, 2.0, 3e4}) {
      for (const double log_p : {-1e3, -30.0, -2.0, -0.7, -0.1, -1e-9}) {
        const double z = numerics::inv_log_inc_beta_logit(a, b, log_p);
        const double back = numerics::beta_tails_logit(a, b, z).log_p.value();
        EXPECT_NEAR(back, log_p, 1e-11 * std::abs(log_p)) << a << " " << b;
      }
      const double x = numerics::inv_inc_beta(a, b, 0.3);
      // the rounding of x costs its distance times the density
      if (x > 1e-300 && x < 0.999) {
        EXPECT_NEAR(numerics::inc_beta(a, b, x), 0.3, 1e-12);
      }
    }
  }
}

// nu = 1: 1/2 + atan(t)/pi; nu = 2: 1/2 + t / (2 sqrt(2 + t^2)), its lower tail as 1/(2 s (s +
// |t|)).
TEST(incomplete_beta, student_t_agrees_with_closed_forms) {
  for (const double t : {-1e9, -50.0, -1.0, -1e-3, 1e-9, 0.5, 3.0, 200.0}) {
    const double cauchy = t < 0 ? numerics::atan(-1 / t) / 3.14159265358979323846
                                : 0.5 + numerics::atan(t) / 3.14159265358979323846;
    EXPECT_NEAR(numerics::student_t_cdf(t, 1), cauchy, 1e-13 * cauchy) << t;
    const double s = std::sqrt(2 + t * t);
    const double two = t < 0 ? 1 / (s * (s - t)) : 0.5 + 0.5 * t / s;
    EXPECT_NEAR(numerics::student_t_cdf(t, 2), two, 1e-13 * two) << t;
    EXPECT_NEAR(numerics::inv_student_t(numerics::student_t_cdf(t, 3.5), 3.5), t,
                1e-9 * std::abs(t) + (t > 0 ? 1e-13 : 0))
        << t;
  }
}

TEST(quadrature, the_rule_is_exact_for_even_powers_up_to_78) {
  for (int power = 0; power <= 78; power += 2) {
    double sum = 0;
    for (const auto& node : numerics::kGaussRule)
      sum += 2 * node.weight * std::pow(node.abscissa, power);
    EXPECT_NEAR(sum, 2.0 / (power + 1), 1e-15) << power;
  }
}

}  // namespace
}  // namespace credo::test::incomplete_beta_test
