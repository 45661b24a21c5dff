// A value is a function of its argument alone: not of the number of lanes, of its neighbours, of
// its place in an array, nor of which of the targets with fused multiply-add computes it.
#include <gtest/gtest.h>

#include <bit>

#include "numerics/simd/highway.hpp"
#include "special_reference.hpp"
#include "special_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/special_lanes_test.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "numerics/simd/special-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// lgamma, log_phi, inv_phi and lbeta(x, 1 + x^2) with vectors of kLanes lanes; count is a multiple
// of 4.
template <size_t kLanes>
void FourFunctions(const double* x, double* out, Index count) {
  const hn::CappedTag<double, kLanes> d;
  const auto step = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < count; i += step) {
    const auto v = hn::LoadU(d, x + i);
    hn::StoreU(Lgamma(d, v), d, out + i);
    hn::StoreU(LogPhi(d, v), d, out + count + i);
    hn::StoreU(InvPhi(d, v), d, out + 2 * count + i);
    hn::StoreU(Lbeta(d, v, hn::MulAdd(v, v, hn::Set(d, 1.0))), d, out + 3 * count + i);
  }
}

void WithLanes(Index lanes, const double* x, double* out, Index count) {
  if (lanes == 1) FourFunctions<1>(x, out, count);
  if (lanes == 2) FourFunctions<2>(x, out, count);
  if (lanes == 4) FourFunctions<4>(x, out, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
HWY_EXPORT(WithLanes);
void run_with_lanes(Index lanes, const double* x, double* out, Index count) {
  HWY_DYNAMIC_DISPATCH(WithLanes)(lanes, x, out, count);
}
}  // namespace credo::numerics

namespace credo::test {
namespace {

// Arguments of all magnitudes and both signs, no pattern in their order.
std::vector<double> arguments(Index count) {
  std::vector<double> xs;
  for (Index i = 0; i < count; ++i) {
    const double phase = std::fmod(0.6180339887498949 * static_cast<double>(i), 1.0);
    const double size = std::exp2(std::fmod(7.3 * static_cast<double>(i), 24.0) - 12.0);
    xs.push_back(i % 3 == 0 ? phase : (i % 3 == 1 ? size : -size * phase));
  }
  return xs;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::vector<double> with_lanes(Index lanes, const std::vector<double>& xs) {
  std::vector<double> out(4 * xs.size());
  numerics::run_with_lanes(lanes, xs.data(), out.data(), ssize(xs));
  return out;
}

// Every function of the table on xs (and, for two arguments, xs with a shifted copy).
std::vector<double> all_functions(const std::vector<double>& xs) {
  const auto& kernels = numerics::special_kernels();
  const Index count = ssize(xs);
  std::vector<double> ys(xs.rbegin(), xs.rend()), out, all;
  out.resize(xs.size());
  for (const UnaryCase& c : kUnaryCases) {
    (kernels.*c.kernel)(xs.data(), out.data(), count);
    all.insert(all.end(), out.begin(), out.end());
  }
  for (const BinaryCase& c : kBinaryCases) {
    (kernels.*c.kernel)(xs.data(), ys.data(), out.data(), count);
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

void use_target(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(special_lanes, one_two_and_four_lanes_give_equal_bits) {
  const auto xs = arguments(1200);
  const auto one = with_lanes(1, xs);
  EXPECT_TRUE(same_bits(one, with_lanes(2, xs)));
  EXPECT_TRUE(same_bits(one, with_lanes(4, xs)));
}

TEST(special_lanes, a_value_is_independent_of_its_place_and_neighbours) {
  const auto xs = arguments(1003);
  const auto whole = all_functions(xs);
  for (const Index i : {Index{0}, Index{5}, Index{501}, Index{1002}}) {
    const Index mirrored = ssize(xs) - 1 - i;  // both arguments of a pair, in an array of two
    const std::vector<double> two = {xs[static_cast<size_t>(i)], xs[static_cast<size_t>(mirrored)]};
    const auto alone = all_functions(two);
    for (size_t f = 0; f * 2 < alone.size(); ++f) {
      const double in_array = whole[f * xs.size() + static_cast<size_t>(i)];
      EXPECT_EQ(std::bit_cast<uint64_t>(in_array), std::bit_cast<uint64_t>(alone[2 * f])) << f;
    }
  }
}

TEST(special_lanes, avx2_and_avx512_give_equal_bits) {
  if ((hwy::SupportedTargets() & HWY_AVX3) == 0) GTEST_SKIP() << "no AVX-512 on this machine";
  const auto xs = arguments(4001);
  use_target(HWY_AVX3);
  const auto wide = all_functions(xs);
  use_target(HWY_AVX2);
  const auto narrow = all_functions(xs);
  use_target(HWY_SSE4);
  const auto other = all_functions(xs);  // a second arithmetic: the comparison must see it
  use_target(0);
  EXPECT_TRUE(same_bits(wide, narrow));
  EXPECT_FALSE(same_bits(wide, other));
}

}  // namespace
}  // namespace credo::test
#endif  // HWY_ONCE
