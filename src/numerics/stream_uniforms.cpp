// Philox 4x32-10 [salmon2011] with a stream in each lane of 64 bits, whose upper halves are 0 between rounds.
#include "numerics/stream_uniforms.hpp"

#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/stream_uniforms.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> LongProduct(D, hn::Vec<D> a, std::uint32_t b) {  // product of lower halves
  const hn::Repartition<std::uint32_t, D> half;
  return hn::MulEven(hn::BitCast(half, a), hn::Set(half, b));
}

// The centre of one of 2^52 cells, as Rng::uniform() makes it of the first 64 bits.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<double, D>> FirstUniform(D d, std::uint64_t seed,
                                                       std::uint32_t purpose, hn::Vec<D> path) {
  const auto mask = hn::Set(d, std::uint64_t{0xffffffff});
  auto c0 = hn::Zero(d), c1 = hn::And(path, mask), c2 = hn::ShiftRight<32>(path),
       c3 = hn::Set(d, std::uint64_t{purpose});
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const auto first = LongProduct(d, c0, 0xD2511F53u), second = LongProduct(d, c2, 0xCD9E8D57u);
    c0 = hn::Xor3(hn::ShiftRight<32>(second), c1, hn::Set(d, std::uint64_t{k0}));
    c2 = hn::Xor3(hn::ShiftRight<32>(first), c3, hn::Set(d, std::uint64_t{k1}));
    c1 = hn::And(second, mask);
    c3 = hn::And(first, mask);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  const hn::Rebind<double, D> real;
  const auto bits = hn::ShiftRight<12>(hn::Or(c0, hn::ShiftLeft<32>(c1)));
  const auto whole =
      hn::Sub(hn::BitCast(real, hn::Or(bits, hn::Set(d, std::uint64_t{0x4330000000000000}))),
              hn::Set(real, 0x1p52));
  return hn::Mul(hn::Add(whole, hn::Set(real, 0.5)), hn::Set(real, 0x1p-52));
}

void UniformsOfStreams(std::uint64_t seed, std::uint32_t purpose,
                       std::span<const std::uint64_t> paths, double* out) {
  const hn::ScalableTag<std::uint64_t> d;
  const hn::ScalableTag<double> real;
  const hn::CappedTag<std::uint64_t, 1> one;
  const hn::CappedTag<double, 1> one_real;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= paths.size(); i += hn::Lanes(d))
    hn::StoreU(FirstUniform(d, seed, purpose, hn::LoadU(d, paths.data() + i)), real, out + i);
  for (; i < paths.size(); ++i)
    hn::StoreU(FirstUniform(one, seed, purpose, hn::LoadU(one, paths.data() + i)), one_real,
               out + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
HWY_EXPORT(UniformsOfStreams);

void uniforms_of_streams(std::uint64_t seed, std::uint32_t purpose,
                         std::span<const std::uint64_t> paths, double* out) {
  HWY_DYNAMIC_DISPATCH(UniformsOfStreams)(seed, purpose, paths, out);
}

}  // namespace credo::numerics
#endif
