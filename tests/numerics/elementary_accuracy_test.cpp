// The error of every elementary function on every SIMD target, against long double. A row is a
// function, its reference, the ranges its arguments come from and the largest error we promise.
#include <gtest/gtest.h>

#include "numerics/arithmetic.hpp"
#include "numerics/elementary.hpp"
#include "support/ulp.hpp"

namespace credo::numerics::elementary_accuracy_test {
namespace {

using test::AllDoubles;
using test::Range;
using test::SplitMix;
using test::Uniform;
using Real = long double;

constexpr int kDrawsPerRange = 20000;
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

struct UnaryRow {
  Unary function;
  Real (*reference)(Real);
  double bound;  // ulp
  std::vector<Range> ranges;
};

Real softplus(Real x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
Real log1m_exp_reference(Real x) {
  return x > -0.7L ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}
Real inv_logit_reference(Real x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
// 2x - 1 and 1 - x are exact in 64 bits for doubles above 2^-11
Real logit_reference(Real x) {
  if (x > 0.25L && x < 0.75L) return std::log1p((2 * x - 1) / (1 - x));
  return std::log(x) - std::log1p(-x);
}

std::vector<UnaryRow> unary_rows() {
  const Range positive = AllDoubles{kTiny, kMax}, negative = AllDoubles{-kMax, -kTiny};
  const Range small = AllDoubles{1e-20, 1.0}, small_negative = AllDoubles{-1.0, -1e-20};
  return {
      {Unary::exp,
       [](Real x) { return std::exp(x); },
       1.0,
       {Uniform{-2, 2}, Uniform{-708, 710}, Uniform{-746, -708}, positive, negative}},
      {Unary::exp2,
       [](Real x) { return std::exp2(x); },
       1.0,
       {Uniform{-2, 2}, Uniform{-1022, 1025}, Uniform{-1076, -1021}, positive, negative}},
      {Unary::expm1,
       [](Real x) { return std::expm1(x); },
       0.95,
       {Uniform{-2, 2}, Uniform{-60, 710}, small, small_negative, positive, negative}},
      {Unary::log,
       [](Real x) { return std::log(x); },
       0.9,
       {positive, Uniform{0.5, 2}, AllDoubles{1 - 1e-6, 1 + 1e-6}, AllDoubles{kTiny, 1e-300}}},
      {Unary::log1p,
       [](Real x) { return std::log1p(x); },
       0.9,
       {positive, AllDoubles{-1 + 0x1p-53, -kTiny}, Uniform{-0.5, 1}, small, small_negative}},
      {Unary::sqrt, [](Real x) { return std::sqrt(x); }, 0.5, {positive}},
      {Unary::inv_logit,
       inv_logit_reference,
       1.9,
       {Uniform{-40, 40}, Uniform{-750, -40}, positive, negative}},
      {Unary::log1p_exp, softplus, 1.5, {Uniform{-40, 40}, Uniform{-750, -40}, positive, negative}},
      {Unary::log1m_exp,
       log1m_exp_reference,
       1.0,
       {Uniform{-2, 0}, Uniform{-750, 0}, negative, small_negative}},
      {Unary::log_inv_logit,
       [](Real x) { return -softplus(-x); },
       1.5,
       {Uniform{-40, 40}, Uniform{40, 750}, positive, negative}},
      {Unary::log1m_inv_logit,
       [](Real x) { return -softplus(x); },
       1.5,
       {Uniform{-40, 40}, Uniform{-750, -40}, positive, negative}},
      {Unary::logit,
       logit_reference,
       1.1,
       {Uniform{0, 1}, Uniform{0.49, 0.51}, AllDoubles{kTiny, 0.5}, AllDoubles{0.5, 1}}},
      {Unary::log2,
       [](Real x) { return std::log2(x); },
       0.7,
       {positive, Uniform{0.5, 2}, AllDoubles{1 - 1e-6, 1 + 1e-6}}},
      {Unary::log10,
       [](Real x) { return std::log10(x); },
       0.7,
       {positive, Uniform{0.5, 2}, AllDoubles{1 - 1e-6, 1 + 1e-6}}},
      {Unary::cbrt,
       [](Real x) { return std::cbrt(x); },
       0.51,
       {positive, negative, Uniform{0.1, 8}}},
  };
}

std::vector<UnaryRow> trigonometric_rows() {
  const Range positive = AllDoubles{kTiny, kMax}, negative = AllDoubles{-kMax, -kTiny};
  const Range small = AllDoubles{1e-20, 1.0}, small_negative = AllDoubles{-1.0, -1e-20};
  const Range turn = Uniform{-7, 7}, limit = Uniform{0x1p20 - 1000, 0x1p20 + 1000};
  const Range many = Uniform{-1e6, 1e6}, huge = AllDoubles{1e6, 1e300};
  const Range near_pi = Uniform{3.1415926, 3.1415927}, near_half_pi = Uniform{1.5707963, 1.5707964};
  const std::vector<Range> all = {turn,  limit,    many,    huge,        positive,
                                  small, negative, near_pi, near_half_pi};
  const std::vector<Range> unit = {Uniform{-1, 1}, small, small_negative, AllDoubles{0.999, 1},
                                   Uniform{0.49, 0.51}};
  const std::vector<Range> line = {Uniform{-3, 3}, positive, negative, small};
  const std::vector<Range> hyperbolic = {Uniform{-3, 3}, Uniform{-711, 711}, Uniform{-45, 45},
                                         positive,       negative,           small};
  return {
      {Unary::sin, [](Real x) { return std::sin(x); }, 0.8, all},
      {Unary::cos, [](Real x) { return std::cos(x); }, 0.8, all},
      {Unary::tan, [](Real x) { return std::tan(x); }, 0.95, all},
      {Unary::asin, [](Real x) { return std::asin(x); }, 0.8, unit},
      {Unary::acos, [](Real x) { return std::acos(x); }, 0.8, unit},
      {Unary::atan, [](Real x) { return std::atan(x); }, 0.8, line},
      {Unary::sinh, [](Real x) { return std::sinh(x); }, 0.75, hyperbolic},
      {Unary::cosh, [](Real x) { return std::cosh(x); }, 0.75, hyperbolic},
      {Unary::tanh, [](Real x) { return std::tanh(x); }, 0.8, hyperbolic},
      {Unary::asinh, [](Real x) { return std::asinh(x); }, 1.6, line},
      {Unary::acosh,
       [](Real x) { return std::acosh(x); },
       1.8,
       {Uniform{1, 3}, AllDoubles{1, 1.001}, AllDoubles{1, kMax}, Uniform{0x1p27, 0x1p29}}},
      {Unary::atanh, [](Real x) { return std::atanh(x); }, 1.0, unit},
  };
}

struct Worst {
  double error = 0, argument = 0, second = 0, value = 0;
};

using References = std::vector<std::pair<double, Real>>;

References references(const UnaryRow& row, const Range& range) {
  SplitMix random{static_cast<uint64_t>(row.function) + 1};
  References points(kDrawsPerRange);
  for (auto& [x, exact] : points) {
    x = draw(range, random);
    exact = row.reference(x);
  }
  return points;
}

Worst worst(double (*f)(double), const References& points) {
  Worst found;
  for (const auto& [x, exact] : points) {
    const double value = f(x), error = test::ulp_error(value, exact);
    if (error > found.error) found = {error, x, 0, value};
  }
  return found;
}

using Largest = std::map<SimdTarget, Worst>;

Largest largest_errors(const UnaryRow& row) {
  Largest largest;
  for (const Range& range : row.ranges) {
    const References points = references(row, range);
    for (SimdTarget target : supported_targets()) {
      force_target(target);
      const Worst here = worst(function(row.function).scalar, points);
      if (here.error > largest[target].error) largest[target] = here;
    }
  }
  return largest;
}

void expect_within(std::string_view name, double bound, const Largest& largest) {
  for (const auto& [target, found] : largest) {
    std::printf("%-16s %-7s %.3f ulp at %.17g, %.17g\n", std::string(name).c_str(),
                target_name(target).data(), found.error, found.argument, found.second);
    EXPECT_LE(found.error, bound) << name << "(" << found.argument << ", " << found.second
                                  << ") = " << found.value << " on " << target_name(target);
  }
}

TEST(elementary_functions, stay_within_the_stated_ulp_on_every_target) {
  auto rows = unary_rows();
  for (UnaryRow& row : trigonometric_rows()) rows.push_back(std::move(row));
  for (const UnaryRow& row : rows) {
    expect_within(function(row.function).name, row.bound, largest_errors(row));
  }
}

struct BinaryRow {
  Binary function;
  Real (*reference)(Real, Real);
  double bound;     // ulp
  bool of_largest;  // ulp of the largest of the arguments and the result
  std::vector<std::pair<Range, Range>> ranges;
};

Real log_sum_exp_reference(Real a, Real b) {
  return std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}

std::vector<BinaryRow> binary_rows() {
  const Range positive = AllDoubles{kTiny, kMax}, negative = AllDoubles{-kMax, -kTiny};
  const Range near_one = AllDoubles{0.999, 1.001}, moderate = Uniform{0, 20};
  const Range both_signs = Uniform{-1000, 1000}, small = Uniform{-2, 2};
  return {
      {Binary::pow,
       [](Real x, Real y) { return std::pow(x, y); },
       1.1,
       false,
       {{positive, small},
        {moderate, Uniform{-300, 300}},
        {near_one, Uniform{-7e5, 7e5}},
        {Uniform{0.5, 2}, Uniform{-1080, 1024}},
        {positive, positive},
        {positive, negative}}},
      {Binary::log_sum_exp,
       log_sum_exp_reference,
       2.0,
       true,
       {{small, small}, {both_signs, both_signs}, {Uniform{-1, 0}, Uniform{-1, 0}}}},
      {Binary::log_diff_exp,
       [](Real a, Real b) { return a + log1m_exp_reference(b - a); },
       2.0,
       true,
       {{Uniform{0, 1}, Uniform{-1, 0}}, {Uniform{0, 1000}, Uniform{-1000, 0}}}},
      {Binary::atan2,
       [](Real y, Real x) { return std::atan2(y, x); },
       1.4,
       false,
       {{small, small}, {positive, positive}, {positive, negative}, {negative, negative}}},
      {Binary::hypot,
       [](Real x, Real y) { return std::hypot(x, y); },
       1.2,
       false,
       {{small, small}, {positive, positive}, {both_signs, small}}},
      {Binary::fmod,
       [](Real x, Real y) { return std::fmod(x, y); },
       0.0,
       false,
       {{both_signs, small}, {positive, positive}, {negative, positive}}},
  };
}

// For rows relative to the largest operand, the error in ulp of it.
double error_of(const BinaryRow& row, double x, double y, double value) {
  const Real exact = row.reference(x, y);
  if (!row.of_largest) return test::ulp_error(value, exact);
  const Real scale = std::max({std::fabs(exact), std::fabs(Real{x}), std::fabs(Real{y})});
  return static_cast<double>(std::fabs(value - exact) / test::ulp(scale));
}

TEST(elementary_functions_of_two, stay_within_the_stated_ulp_on_every_target) {
  for (const BinaryRow& row : binary_rows()) {
    Largest largest;
    for (SimdTarget target : supported_targets()) {
      force_target(target);
      const auto f = function(row.function).scalar;
      SplitMix random{static_cast<uint64_t>(row.function) + 100};
      for (const auto& [xs, ys] : row.ranges) {
        for (int i = 0; i < kDrawsPerRange; ++i) {
          const double x = draw(xs, random), y = draw(ys, random), value = f(x, y);
          const double error = error_of(row, x, y, value);
          if (error >= largest[target].error) largest[target] = {error, x, y, value};
        }
      }
    }
    expect_within(function(row.function).name, row.bound, largest);
  }
}

// Mutants: what an error of derivation would look like must not pass.
double log_with_a_short_series(double x) {
  int exponent = 0;
  const double f = 2 * std::frexp(x, &exponent) - 1, s = f / (2 + f), z = s * s;
  const double series = 2 * s * (1 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z / 9))));
  return series + (exponent - 1) * 0.6931471805599453;
}
double exp_off_by_two_ulp_at_large_arguments(double x) {
  const double value = std::exp(x);
  return x > 600 && std::isfinite(value) ? value * (1 + 0x1p-51) : value;
}

TEST(the_accuracy_suite, rejects_a_truncated_series_and_a_drift_at_one_end) {
  for (const UnaryRow& row : unary_rows()) {
    double error = 0;
    const auto mutant = row.function == Unary::log   ? log_with_a_short_series
                        : row.function == Unary::exp ? exp_off_by_two_ulp_at_large_arguments
                                                     : nullptr;
    if (mutant == nullptr) continue;
    for (const Range& range : row.ranges) {
      error = std::max(error, worst(mutant, references(row, range)).error);
    }
    EXPECT_GT(error, row.bound) << function(row.function).name;
  }
}

}  // namespace
}  // namespace credo::numerics::elementary_accuracy_test
