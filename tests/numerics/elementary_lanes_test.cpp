// The number of lanes changes no bit: functions with every kind of building block (pairs, tables of
// intervals, lane-by-lane reduction) evaluated by vectors of 1, 2, 4 and 8 lanes.
#include <gtest/gtest.h>

#include "numerics/arithmetic.hpp"
#include "numerics/simd/highway.hpp"
#include "support/ulp.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/elementary_lanes_test.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "numerics/simd/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kNumFunctions = 10;

// All functions of a pair of arguments, one block of `n` results each.
template <size_t kLanes>
void EvaluateAll(const double* x, const double* y, size_t n, double* out) {
  const hn::CappedTag<double, kLanes> d;
  for (size_t i = 0; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, y + i);
    const hn::Vec<decltype(d)> values[kNumFunctions] = {
        Exp(d, a), Expm1(d, a), Log(d, a),    Log1p(d, a),    Log1mExp(d, a),
        Sin(d, a), Tanh(d, a),  Pow(d, a, b), Atan2(d, a, b), Cbrt(d, a),
    };
    for (size_t f = 0; f < kNumFunctions; ++f) hn::StoreU(values[f], d, out + f * n + i);
  }
}

void EvaluateByLanes(size_t lanes, const double* x, const double* y, size_t n, double* out) {
  if (lanes == 1) return EvaluateAll<1>(x, y, n, out);
  if (lanes == 2) return EvaluateAll<2>(x, y, n, out);
  if (lanes == 4) return EvaluateAll<4>(x, y, n, out);
  EvaluateAll<8>(x, y, n, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {

HWY_EXPORT(EvaluateByLanes);

struct Arguments {
  std::vector<double> x, y;
};

Arguments arguments() {
  test::SplitMix random{11};
  const double max = std::numeric_limits<double>::max(), tiny = 5e-324;
  const test::Range ranges[] = {test::Uniform{-3, 3}, test::Uniform{-800, 800},
                                test::AllDoubles{tiny, max}, test::AllDoubles{-max, -tiny}};
  Arguments result;
  for (int i = 0; i < 8 * 1000; ++i) {
    result.x.push_back(draw(ranges[random.bits() % 4], random));
    result.y.push_back(draw(ranges[random.bits() % 4], random));
  }
  return result;
}

std::vector<uint64_t> bits_by_lanes(size_t lanes, const Arguments& a) {
  std::vector<double> out(10 * a.x.size());
  HWY_DYNAMIC_DISPATCH(EvaluateByLanes)(lanes, a.x.data(), a.y.data(), a.x.size(), out.data());
  std::vector<uint64_t> bits(out.size());
  std::memcpy(bits.data(), out.data(), out.size() * sizeof(double));
  return bits;
}

TEST(elementary_functions, have_the_same_bits_for_every_number_of_lanes) {
  const Arguments a = arguments();
  for (SimdTarget target : supported_targets()) {
    force_target(target);
    const auto alone = bits_by_lanes(1, a);
    for (size_t lanes : {2u, 4u, 8u}) {
      EXPECT_TRUE(alone == bits_by_lanes(lanes, a)) << lanes << " on " << target_name(target);
    }
  }
}

}  // namespace
}  // namespace credo::numerics
#endif
