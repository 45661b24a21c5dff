#include "numerics/machine_speed.hpp"

#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/machine_speed.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Numbers = hn::ScalableTag<double>;

double StreamingRead(const double* values, size_t size) {
  const Numbers d;
  const size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  size_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    a = hn::Add(a, hn::LoadU(d, values + i));
    b = hn::Add(b, hn::LoadU(d, values + i + lanes));
    c = hn::Add(c, hn::LoadU(d, values + i + 2 * lanes));
    e = hn::Add(e, hn::LoadU(d, values + i + 3 * lanes));
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
  for (; i < size; ++i) sum += values[i];
  return sum;
}

// Twelve chains: more than latency (4) times units (2), fewer than the sixteen registers of AVX2.
Operations MultiplyAdds(Index rounds) {
  const Numbers d;
  const auto factor = hn::Set(d, 0.999999), summand = hn::Set(d, 1e-6);
  auto a = hn::Iota(d, 0.0), b = hn::Iota(d, 1.0), c = hn::Iota(d, 2.0), e = hn::Iota(d, 3.0);
  auto f = hn::Iota(d, 4.0), g = hn::Iota(d, 5.0), h = hn::Iota(d, 6.0), k = hn::Iota(d, 7.0);
  auto l = hn::Iota(d, 8.0), m = hn::Iota(d, 9.0), n = hn::Iota(d, 10.0), o = hn::Iota(d, 11.0);
  for (Index r = 0; r < rounds; ++r) {
    a = hn::MulAdd(a, factor, summand), b = hn::MulAdd(b, factor, summand);
    c = hn::MulAdd(c, factor, summand), e = hn::MulAdd(e, factor, summand);
    f = hn::MulAdd(f, factor, summand), g = hn::MulAdd(g, factor, summand);
    h = hn::MulAdd(h, factor, summand), k = hn::MulAdd(k, factor, summand);
    l = hn::MulAdd(l, factor, summand), m = hn::MulAdd(m, factor, summand);
    n = hn::MulAdd(n, factor, summand), o = hn::MulAdd(o, factor, summand);
  }
  const auto first = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(f, g));
  const auto second = hn::Add(hn::Add(hn::Add(h, k), hn::Add(l, m)), hn::Add(n, o));
  return {2.0 * 12.0 * double(hn::Lanes(d)) * double(rounds),
          hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second)))};
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
HWY_EXPORT(StreamingRead);
HWY_EXPORT(MultiplyAdds);
}  // namespace

double streaming_read(std::span<const double> values) {
  return HWY_DYNAMIC_DISPATCH(StreamingRead)(values.data(), values.size());
}
Operations multiply_adds(Index rounds) { return HWY_DYNAMIC_DISPATCH(MultiplyAdds)(rounds); }

}  // namespace credo::numerics
#endif  // HWY_ONCE
