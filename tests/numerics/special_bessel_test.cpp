// log I_nu(z) and its derivatives against stored values, closed forms and its own recurrence.
#include "numerics/special_bessel.hpp"

#include <gtest/gtest.h>

#include "numerics/elementary.hpp"
#include "numerics/special.hpp"
#include "special_reference.hpp"

namespace credo::test::special_bessel_test {
namespace {
using numerics::LogBesselI;

struct Row {
  const char* name;
  double LogBesselI::*entry;
  double tolerance;  // relative to the terms that make it up
  double (*terms)(double nu, double z);
};

double one(double, double) { return 1; }
double both_logs(double nu, double z) {
  return std::abs(numerics::log(z / (nu + 1))) + 1 / (nu + 1);
}
double order_over_argument(double nu, double z) { return (1 + std::abs(nu)) / z; }
double its_square(double nu, double z) { return (1 + std::abs(nu)) / z / z; }
double inverse(double, double z) { return 1 / z; }

// The trapezoidal rule's 1e-17 and some hundred roundings; moments about the peak add a little.
const Row kRows[] = {
    {"bessel_value", &LogBesselI::value, 1e-13, both_logs},
    {"bessel_order", &LogBesselI::by_order, 1e-13, both_logs},
    {"bessel_argument", &LogBesselI::by_argument, 1e-13, order_over_argument},
    {"bessel_order_twice", &LogBesselI::by_order_twice, 1e-12, one},
    {"bessel_both", &LogBesselI::by_both, 1e-12, inverse},
    {"bessel_argument_twice", &LogBesselI::by_argument_twice, 1e-12, its_square},
};

TEST(log_bessel_i, agrees_with_stored_values) {
  const auto records = read_special(CREDO_SOURCE_DIR "/tests/data/incomplete_reference.txt");
  for (const Row& row : kRows) {
    for (const auto& record : records.at(row.name)) {
      const double nu = record.arguments[0], z = record.arguments[1];
      const double exact = static_cast<double>(record.exact);
      EXPECT_NEAR(numerics::log_bessel_i(nu, z).*row.entry, exact,
                  row.tolerance * (std::abs(exact) + row.terms(nu, z)))
          << row.name << " at " << nu << ", " << z;
    }
  }
}

// I_{1/2}(z) = sqrt(2 / (pi z)) sinh z
TEST(log_bessel_i, of_order_one_half_is_elementary) {
  for (const double z : {1e-5, 0.3, 7.0, 39.9, 41.0, 600.0}) {
    const double sinh_log = z + numerics::log1p(-numerics::exp(-2 * z)) - 0.6931471805599453;
    const double expected = sinh_log - 0.5 * numerics::log(1.5707963267948966 * z);
    EXPECT_NEAR(numerics::log_bessel_i(0.5, z).value, expected, 1e-13 * (1 + std::abs(expected)));
  }
}

TEST(log_bessel_i, of_order_zero_agrees_with_the_vector_function) {
  for (const double z : {1e-3, 1.0, 30.0, 40.0, 1e4, 1e8}) {
    const LogBesselI i0 = numerics::log_bessel_i(0, z);
    EXPECT_NEAR(i0.value, numerics::log_bessel_i0(z), 1e-14 * (1 + std::abs(i0.value)));
    EXPECT_NEAR(i0.by_argument, numerics::bessel_ratio(z), 1e-14);
  }
}

TEST(log_bessel_i, limits_and_arguments_outside_the_domain) {
  EXPECT_EQ(numerics::log_bessel_i(0, 0).value, 0);
  EXPECT_EQ(numerics::log_bessel_i(2, 0).value, -kInfinity);
  EXPECT_TRUE(std::isnan(numerics::log_bessel_i(-1.5, 2).value));
  EXPECT_TRUE(std::isnan(numerics::log_bessel_i(1, -2).value));
}

}  // namespace
}  // namespace credo::test::special_bessel_test
