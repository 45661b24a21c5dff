// The error of every elementary function on every SIMD target, against long double. A row is a
// function, its reference, the ranges its arguments come from and the largest error we promise.
#include <gtest/gtest.h>

#include "numerics/arithmetic.hpp"
#include "numerics/elementary.hpp"
#include "support/ulp.hpp"

namespace credo::numerics {
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
      {Unary::exp, [](Real x) { return std::exp(x); }, 1.0,
       {Uniform{-2, 2}, Uniform{-708, 710}, Uniform{-746, -708}, positive, negative}},
      {Unary::exp2, [](Real x) { return std::exp2(x); }, 1.0,
       {Uniform{-2, 2}, Uniform{-1022, 1025}, Uniform{-1076, -1021}, positive, negative}},
      {Unary::expm1, [](Real x) { return std::expm1(x); }, 0.6,
       {Uniform{-2, 2}, Uniform{-60, 710}, small, small_negative, positive, negative}},
      {Unary::log, [](Real x) { return std::log(x); }, 0.9,
       {positive, Uniform{0.5, 2}, AllDoubles{1 - 1e-6, 1 + 1e-6}, AllDoubles{kTiny, 1e-300}}},
      {Unary::log1p, [](Real x) { return std::log1p(x); }, 0.9,
       {positive, AllDoubles{-1 + 0x1p-53, -kTiny}, Uniform{-0.5, 1}, small, small_negative}},
      {Unary::sqrt, [](Real x) { return std::sqrt(x); }, 0.5, {positive}},
      {Unary::inv_logit, inv_logit_reference, 1.9,
       {Uniform{-40, 40}, Uniform{-750, -40}, positive, negative}},
      {Unary::log1p_exp, softplus, 1.5, {Uniform{-40, 40}, Uniform{-750, -40}, positive, negative}},
      {Unary::log1m_exp, log1m_exp_reference, 1.5,
       {Uniform{-2, 0}, Uniform{-750, 0}, negative, small_negative}},
      {Unary::log_inv_logit, [](Real x) { return -softplus(-x); }, 1.5,
       {Uniform{-40, 40}, Uniform{40, 750}, positive, negative}},
      {Unary::log1m_inv_logit, [](Real x) { return -softplus(x); }, 1.5,
       {Uniform{-40, 40}, Uniform{-750, -40}, positive, negative}},
      {Unary::logit, logit_reference, 2.0,
       {Uniform{0, 1}, Uniform{0.49, 0.51}, AllDoubles{kTiny, 0.5}, AllDoubles{0.5, 1}}},
  };
}

struct Worst {
  double error = 0, argument = 0, value = 0;
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
    if (error > found.error) found = {error, x, value};
  }
  return found;
}

TEST(elementary_functions, stay_within_the_stated_ulp_on_every_target) {
  for (const UnaryRow& row : unary_rows()) {
    std::map<SimdTarget, Worst> largest;
    for (const Range& range : row.ranges) {
      const References points = references(row, range);
      for (SimdTarget target : supported_targets()) {
        force_target(target);
        const Worst here = worst(function(row.function).scalar, points);
        if (here.error > largest[target].error) largest[target] = here;
      }
    }
    for (const auto& [target, found] : largest) {
      const auto name = std::string(function(row.function).name);
      std::printf("%-16s %-7s %.3f ulp at %.17g\n", name.c_str(), target_name(target).data(),
                  found.error, found.argument);
      EXPECT_LE(found.error, row.bound)
          << name << "(" << found.argument << ") = " << found.value << " on " << target_name(target);
    }
  }
}

}  // namespace
}  // namespace credo::numerics
