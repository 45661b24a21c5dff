#include "base/nearest_name.hpp"

#include <gtest/gtest.h>

namespace credo::nearest_name_test {
namespace {

// The plain recursive definition, exponential in the length.
int slow_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return static_cast<int>(a.size() + b.size());
  const int replaced = slow_distance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1);
  int best =
      std::min({replaced, slow_distance(a.substr(1), b) + 1, slow_distance(a, b.substr(1)) + 1});
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    best = std::min(best, slow_distance(a.substr(2), b.substr(2)) + 1);
  }
  return best;
}

TEST(edit_distance, equals_its_recursive_definition) {
  const std::vector<std::string> words = {"",    "a",     "ab",    "ba", "abc", "acb",
                                          "bca", "sigma", "sgima", "mu", "um",  "theta"};
  for (const auto& a : words) {
    for (const auto& b : words)
      EXPECT_EQ(edit_distance(a, b), slow_distance(a, b)) << a << " " << b;
  }
}

TEST(nearest_name, finds_swaps_and_slips_and_nothing_far) {
  const std::vector<std::string> names = {"sigma", "theta", "mu", "x"};
  EXPECT_EQ(nearest_name("sgima", names), "sigma");
  EXPECT_EQ(nearest_name("Theta", names), "theta");
  EXPECT_EQ(nearest_name("sigma", names), std::nullopt);  // it is there
  EXPECT_EQ(nearest_name("y", names), std::nullopt);      // all of it would change
  EXPECT_EQ(nearest_name("lambda", names), std::nullopt);
  EXPECT_EQ(nearest_name("", names), std::nullopt);
  EXPECT_EQ(nearest_name("X", names), "x");  // nothing changes but the case
}

TEST(nearest_name, prefers_the_nearer_and_then_the_first) {
  const std::vector<std::string> names = {"alphas", "alpha1", "alpha"};
  EXPECT_EQ(nearest_name("alphaa", names), "alphas");
  EXPECT_EQ(did_you_mean("alpha2", names), "did you mean alphas?");
}

}  // namespace
}  // namespace credo::nearest_name_test
