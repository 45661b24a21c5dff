#include "numerics/stream_uniforms.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "numerics/arithmetic.hpp"

namespace credo::numerics::stream_uniforms_test {
namespace {

// Every length around the widths of vectors, every SIMD target, seeds and paths with all words.
TEST(stream_uniforms, have_the_bits_of_the_streams) {
  Rng rng({.seed = 1, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  for (std::size_t n : {0, 1, 2, 3, 7, 8, 9, 16, 17, 100}) {
    const std::uint64_t seed = rng.bits();
    const SimdTarget before = active_target();
    std::vector<std::uint64_t> paths(n);
    for (std::uint64_t& path : paths) path = rng.bits();
    if (n > 2) paths[1] = 0, paths[2] = ~std::uint64_t{0};
    for (const SimdTarget target : supported_targets()) {
      force_target(target);
      std::vector<double> found(n);
      uniforms_of_streams(seed, purpose::kCall, paths, found.data());
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_EQ(found[i], Rng({.seed = seed,
                                 .purpose = purpose::kCall,
                                 .chain = static_cast<std::uint32_t>(paths[i] >> 32),
                                 .iteration = static_cast<std::uint32_t>(paths[i])})
                                .uniform());
    }
    force_target(before);
  }
}

}  // namespace
}  // namespace credo::numerics::stream_uniforms_test
