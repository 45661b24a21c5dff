#include "lang/trace/value.hpp"

#include <gtest/gtest.h>

namespace credo::lang::value_test {
namespace {

TEST(dims, of_more_elements_than_can_be_counted_have_the_largest_number) {
  constexpr Index kMany = 2'000'000'000;
  EXPECT_EQ(Dims({kMany, kMany}).total(), kMany * kMany);
  EXPECT_EQ(Dims({kMany, kMany, 20}).total(), std::numeric_limits<Index>::max());
  EXPECT_EQ(Dims({kMany, kMany, kMany, kMany}).total(), std::numeric_limits<Index>::max());
  EXPECT_EQ(Dims({kMany, kMany, kMany, 0}).total(), 0);
}

}  // namespace
}  // namespace credo::lang::value_test
