// The special functions against stored values of 70 digits and more, over every regime of their
// arguments, on every SIMD target of the machine; and their values at special points.
#include <gtest/gtest.h>

#include "numerics/simd/highway.hpp"
//
#include "hwy/highway.h"
#include "numerics/special.hpp"
#include "special_reference.hpp"
#include "special_table.hpp"
#include "support/ulp.hpp"

namespace credo::test::special_accuracy_test {
namespace {

using Records = std::map<std::string, std::vector<SpecialRecord>>;

const Records& records() {
  static const Records all = read_special(CREDO_SOURCE_DIR "/tests/data/special_reference.txt");
  return all;
}

// The error in units of what is allowed for it: a failure is above 1.
double excess_error(double value, const SpecialRecord& record, double max_ulp, double cancelling) {
  const double ulps = ulp_error(value, record.exact);
  if (ulps <= max_ulp || !std::isfinite(ulps)) return ulps / max_ulp;
  const long double unit = ulp(record.exact);
  return ulps / (max_ulp + static_cast<double>(0x1p-52L * cancelling / unit));
}

struct Worst {
  double error = 0;
  std::vector<double> arguments;
  Index count = 0;
  void add(double candidate, const SpecialRecord& record) {
    ++count;
    if (candidate > error) *this = {candidate, record.arguments, count};
  }
};

Worst worst_of(const UnaryCase& c, double factor = 1) {
  Worst worst;
  for (const auto& record : records().at(c.name)) {
    double value;
    (numerics::special_kernels().*c.kernel)(record.arguments.data(), &value, 1);
    worst.add(excess_error(value * factor, record, c.max_ulp, c.cancelling(record.arguments[0])),
              record);
  }
  return worst;
}

Worst worst_of(const BinaryCase& c) {
  Worst worst;
  for (const auto& record : records().at(c.name)) {
    const double x = record.arguments[0], y = record.arguments[1];
    double value;
    (numerics::special_kernels().*c.kernel)(&x, &y, &value, 1);
    worst.add(excess_error(value, record, c.max_ulp, c.cancelling(x, y)), record);
  }
  return worst;
}

// Runs `check` on each SIMD target that this machine has.
template <class Check>
void on_every_target(Check check) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(special, functions_of_one_number_are_within_their_error_bound) {
  on_every_target([] {
    for (const UnaryCase& c : kUnaryCases) {
      const Worst worst = worst_of(c);
      EXPECT_GE(worst.count, 1) << c.name;
      EXPECT_LE(worst.error, 1) << c.name << " at " << ::testing::PrintToString(worst.arguments);
    }
  });
}

TEST(special, functions_of_two_numbers_are_within_their_error_bound) {
  on_every_target([] {
    for (const BinaryCase& c : kBinaryCases) {
      const Worst worst = worst_of(c);
      EXPECT_GE(worst.count, 1) << c.name;
      EXPECT_LE(worst.error, 1) << c.name << " at " << ::testing::PrintToString(worst.arguments);
    }
  });
}

// The planted mutant: a relative error of 10 ulp somewhere in the value must not pass.
TEST(special, a_factor_of_one_plus_two_femto_is_rejected) {
  for (const UnaryCase& c : kUnaryCases) EXPECT_GT(worst_of(c, 1 + 2e-15).error, 1) << c.name;
}

TEST(special, values_at_special_points_are_exact) {
  EXPECT_EQ(numerics::lgamma(1), 0);
  EXPECT_EQ(numerics::lgamma(2), 0);
  for (const double pole : {0.0, -0.0, -1.0, -2.0, -1e5, -0x1p60}) {
    EXPECT_EQ(numerics::lgamma(pole), kInfinity) << pole;
    EXPECT_EQ(numerics::trigamma(pole), kInfinity) << pole;
    EXPECT_EQ(numerics::pentagamma(pole), kInfinity) << pole;
  }
  EXPECT_TRUE(std::isnan(numerics::digamma(0.0)));
  EXPECT_TRUE(std::isnan(numerics::digamma(-3.0)));
  EXPECT_EQ(numerics::lgamma(kInfinity), kInfinity);
  EXPECT_EQ(numerics::lgamma(-kInfinity), kInfinity);
  EXPECT_EQ(numerics::digamma(kInfinity), kInfinity);
  EXPECT_EQ(numerics::trigamma(kInfinity), 0);
  EXPECT_EQ(numerics::lchoose(7, 0), 0);
  EXPECT_EQ(numerics::lchoose(7, 7), 0);
}

TEST(special, normal_functions_reach_their_limits) {
  EXPECT_EQ(numerics::phi(0), 0.5);
  EXPECT_EQ(numerics::phi(kInfinity), 1);
  EXPECT_EQ(numerics::phi(-kInfinity), 0);
  EXPECT_EQ(numerics::log_phi(kInfinity), 0);
  EXPECT_EQ(numerics::log_phi(-kInfinity), -kInfinity);
  EXPECT_EQ(numerics::erf(-kInfinity), -1);
  EXPECT_EQ(numerics::erfc(-kInfinity), 2);
  EXPECT_EQ(numerics::erfcx(-30), kInfinity);
  EXPECT_TRUE(std::signbit(numerics::erf(-0.0)));
  EXPECT_EQ(numerics::inv_phi(0.5), 0);
  EXPECT_EQ(numerics::inv_phi(0), -kInfinity);
  EXPECT_EQ(numerics::inv_phi(1), kInfinity);
  EXPECT_EQ(numerics::inv_phi_log(0), kInfinity);
  EXPECT_EQ(numerics::inv_phi_log(-kInfinity), -kInfinity);
  for (const double outside : {-0.1, 1.5}) EXPECT_TRUE(std::isnan(numerics::inv_phi(outside)));
  EXPECT_TRUE(std::isnan(numerics::inv_phi_log(0.1)));
}

TEST(special, every_function_returns_the_one_nan_for_nan) {
  const double x = -kNaN, y = 2;
  for (const UnaryCase& c : kUnaryCases) {
    double value;
    (numerics::special_kernels().*c.kernel)(&x, &value, 1);
    EXPECT_TRUE(std::isnan(value) && !std::signbit(value)) << c.name;
  }
  for (const BinaryCase& c : kBinaryCases) {
    double value;
    (numerics::special_kernels().*c.kernel)(&y, &x, &value, 1);
    EXPECT_TRUE(std::isnan(value) && !std::signbit(value)) << c.name;
  }
}

}  // namespace
}  // namespace credo::test::special_accuracy_test
