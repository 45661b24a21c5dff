// Shares of long tests: each is run in exactly one of them.
#include "support/share.hpp"

namespace credo::testing::share_test {
namespace {

TEST(shares, have_each_number_and_each_name_once) {
  for (std::uint64_t item = 0; item < 100; ++item) {
    const std::string name = "suite.name_" + std::to_string(item);
    int with_number = 0, with_name = 0;
    for (std::uint64_t k = 0; k < 10; ++k) {
      with_number += Share{k, 10}.has(item);
      with_name += Share{k, 10}.has(std::string_view(name));
    }
    EXPECT_EQ(with_number, 1) << item;
    EXPECT_EQ(with_name, 1) << name;
  }
}

TEST(shares, of_one_have_everything) {
  EXPECT_TRUE(Share{}.has(7));
  EXPECT_TRUE(Share{}.has(std::string_view("suite.name")));
}

// Published values of FNV-1a in 32 bits: of "" 811c9dc5, of "a" e40c292c, of "foobar" bf9cf968.
TEST(shares, of_names_are_found_by_fnv_1a) {
  constexpr std::uint64_t kMost = 0x1'0000'0000;
  EXPECT_TRUE((Share{0x811c9dc5, kMost}.has(std::string_view(""))));
  EXPECT_TRUE((Share{0xe40c292c, kMost}.has(std::string_view("a"))));
  EXPECT_TRUE((Share{0xbf9cf968, kMost}.has(std::string_view("foobar"))));
}

TEST(shares, are_read_or_refused) {
  EXPECT_EQ(read_share("3/10").number, 3u);
  EXPECT_EQ(read_share("3/10").count, 10u);
  for (const char* const wrong : {"", "3", "3/", "/10", "10/10", "-1/10", "3/10 ", "3/0", "a/b"})
    EXPECT_EQ(read_share(wrong).count, 0u) << wrong;
}

}  // namespace
}  // namespace credo::testing::share_test
