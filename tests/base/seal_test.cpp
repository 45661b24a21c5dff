#include "base/seal.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace credo {
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

}  // namespace
}  // namespace credo
