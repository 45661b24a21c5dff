#include "base/seal.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace credo::seal_test {
namespace {

TEST(seal, gives_bytes_back_and_refuses_them_with_any_bit_changed) {
  for (const std::size_t size : {0, 1, 8, 13, 100}) {
    const std::string bytes(size, 'x'), good = sealed(bytes);
    EXPECT_EQ(unsealed(good, "test"), bytes);
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
      EXPECT_THROW(unsealed(bad, "test"), Error) << size << " " << bit;
    }
    EXPECT_THROW(unsealed(good.substr(1), "test"), Error);
    EXPECT_THROW(unsealed(good + 'x', "test"), Error);
  }
}

TEST(check_sum, differs_where_bytes_their_order_their_number_or_the_start_differ) {
  std::string bytes(200, '\0');
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<char>(k);
  const std::uint64_t sum = check_sum(bytes, 0);
  EXPECT_NE(check_sum(bytes, 1), sum);
  for (const std::size_t at : {8, 64, 128}) {
    std::string turned = bytes;
    std::swap_ranges(turned.begin(), turned.begin() + 8, turned.begin() + static_cast<long>(at));
    EXPECT_NE(check_sum(turned, 0), sum) << at;
  }
  EXPECT_NE(check_sum(std::string(32, '\0'), 0), check_sum(std::string(31, '\0'), 0));
}

}  // namespace
}  // namespace credo::seal_test
