// Sorting by digits against sorting by comparisons.
#include "numerics/radix_sort.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace credo::numerics::radix_sort_test {
namespace {

// Few and many values, of all sizes and signs, some of them equal.
std::vector<double> values_of(std::size_t count, std::uint32_t number) {
  std::vector<double> values(count);
  Rng rng({.seed = 5, .purpose = purpose::kTest, .chain = number, .iteration = 0});
  for (double& v : values)
    v = std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.uniform() * 600.0) - 300);
  for (std::size_t k = 0; k < count; k += 7) values[k] = values[k / 2];
  if (count > 9) values[3] = kInfinity, values[5] = -kInfinity, values[7] = 0.0, values[8] = -0.0;
  return values;
}

TEST(radix_sort, puts_values_into_the_order_of_comparisons) {
  for (const std::size_t count : {0, 1, 2, 255, 256, 257, 5000}) {
    std::vector<double> values = values_of(count, 1), expected = values;
    sort(values);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(values, expected) << count;
    for (std::size_t k = 1; k < count; ++k)  // -0 before 0
      EXPECT_FALSE(values[k] == 0.0 && std::signbit(values[k]) && values[k - 1] == 0.0 &&
                   !std::signbit(values[k - 1]));
  }
}

TEST(radix_sort, takes_values_that_share_most_digits) {
  std::vector<double> values;
  for (int k = 0; k < 1000; ++k) values.push_back(1.0 + (k * 37 % 1000) * 0x1p-52);
  sort(values);
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(values[static_cast<std::size_t>(k)], 1.0 + k * 0x1p-52);
}

TEST(radix_sort, order_keeps_equal_values_as_they_were) {
  for (const std::size_t count : {1, 100, 4000}) {
    const std::vector<double> values = values_of(count, 2);
    const std::vector<std::uint32_t> order = order_of(values);
    std::vector<std::uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
      const bool zeros = values[a] == 0.0 && values[b] == 0.0;  // -0 before 0
      return zeros ? std::signbit(values[a]) > std::signbit(values[b]) : values[a] < values[b];
    });
    EXPECT_EQ(order, expected) << count;
  }
}

}  // namespace
}  // namespace credo::numerics::radix_sort_test
