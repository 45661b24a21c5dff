#include "numerics/machine_speed.hpp"

#include "numerics/arithmetic.hpp"

namespace credo::numerics::machine_speed_test {
namespace {

TEST(machine_speed, reading_sees_every_value_once) {
  const SimdTarget before = active_target();
  for (const SimdTarget target : supported_targets()) {
    force_target(target);
    for (const std::size_t size : {0, 1, 7, 8, 31, 32, 33, 100}) {
      std::vector<double> powers(size);  // of 2: each subset has a sum of its own
      for (std::size_t i = 0; i < size; ++i) powers[i] = std::ldexp(1.0, static_cast<int>(i % 50));
      double sum = 0.0;  // exact, so in any order
      for (const double power : powers) sum += power;
      EXPECT_EQ(streaming_read(powers), sum) << size;
    }
  }
  force_target(before);
}

TEST(machine_speed, operations_are_counted_for_every_round_and_number) {
  const SimdTarget before = active_target();
  for (const SimdTarget target : supported_targets()) {
    force_target(target);
    const double lanes = target == SimdTarget::avx512 ? 8 : target == SimdTarget::avx2 ? 4 : 2;
    EXPECT_EQ(multiply_adds(1000).count, 1000 * 12 * 2 * lanes) << target_name(target);
    EXPECT_TRUE(std::isfinite(multiply_adds(1000).value));
  }
  force_target(before);
}

}  // namespace
}  // namespace credo::numerics::machine_speed_test
