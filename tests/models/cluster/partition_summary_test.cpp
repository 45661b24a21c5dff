// Partitions that stand for many, against all partitions of few points, and entropies against their definition.
#include "models/cluster/partition_summary.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "support/test_seed.hpp"

namespace credo::models::partition_summary_test {
namespace {

// All partitions of n points, by growth strings.
void all_partitions(std::size_t n, Labels& labels, std::vector<Labels>& all) {
  if (labels.size() == n) return all.push_back(labels);
  const Index most = labels.empty() ? 0 : std::ranges::max(labels) + 1;
  for (Index label = 0; label <= most; ++label) {
    labels.push_back(label);
    all_partitions(n, labels, all);
    labels.pop_back();
  }
}

TEST(variation_of_information, is_that_of_entropies) {
  const Labels a{0, 0, 1, 1, 2, 2}, b{0, 0, 0, 1, 1, 1};
  const double ha = std::log(3.0), hb = std::log(2.0);
  // Joint cells: 2, 1, 1, 2 of 6.
  const double joint = -2.0 * (2.0 / 6.0 * std::log(2.0 / 6.0) + 1.0 / 6.0 * std::log(1.0 / 6.0));
  EXPECT_NEAR(variation_of_information(a, b), 2.0 * joint - ha - hb, 1e-14);
  EXPECT_EQ(variation_of_information(a, {5, 5, 0, 0, 3, 3}), 0.0);
  EXPECT_NEAR(variation_of_information({0, 1, 2, 3}, {0, 0, 0, 0}), std::log(4.0), 1e-14);
}

TEST(best_partition, is_the_best_of_all_partitions_of_few_points) {
  std::vector<Labels> all;
  Labels labels;
  all_partitions(7, labels, all);
  ASSERT_EQ(all.size(), 877u);  // Bell's number
  Index num_right = 0;
  for (std::uint32_t set = 0; set < 20; ++set) {
    Rng rng({.seed = credo::testing::test_seed(1), .purpose = set});
    std::vector<Labels> draws;
    for (int s = 0; s < 60; ++s) {
      Labels draw{0, 0, 0, 1, 1, 1, 2};
      for (Index& label : draw)
        if (rng.uniform() < 0.15) label = rng.index_below(4);
      draws.push_back(draw);
    }
    double least = kInfinity;
    for (const Labels& one : all) least = std::min(least, expected_variation(one, draws));
    const double found = expected_variation(best_partition(draws), draws);
    EXPECT_GE(found, least - 1e-12);
    num_right += found < least + 1e-12;
    EXPECT_LT(found, least + 0.05);
  }
  EXPECT_GE(num_right,
            18);  // moves of single points may end at a partition that two moves would improve
}

TEST(best_partition, of_equal_draws_is_theirs_with_the_largest_group_first) {
  const std::vector<Labels> draws(5, Labels{2, 0, 0, 1, 0, 1});
  EXPECT_EQ(best_partition(draws), (Labels{2, 0, 0, 1, 0, 1}));
  const std::vector<Labels> others(5, Labels{0, 0, 1, 1, 1});
  EXPECT_EQ(best_partition(others), (Labels{1, 1, 0, 0, 0}));
}

TEST(co_clustering, is_the_share_of_draws_with_equal_labels) {
  const std::vector<Labels> draws{{0, 0, 1}, {0, 1, 1}, {0, 0, 0}, {1, 1, 0}};
  const std::vector<double> shares = co_clustering(draws, 3);
  EXPECT_EQ(shares[0 * 3 + 1], 0.75);
  EXPECT_EQ(shares[1 * 3 + 2], 0.5);
  EXPECT_EQ(shares[0 * 3 + 2], 0.25);
  EXPECT_EQ(shares[2 * 3 + 2], 1.0);
}

// Among all assignments of labels the matched one agrees in the most points.
TEST(matched_labels, agree_with_the_reference_in_as_many_points_as_possible) {
  Rng rng({.seed = credo::testing::test_seed(3)});
  for (int trial = 0; trial < 50; ++trial) {
    Labels labels, reference;
    for (int i = 0; i < 30; ++i)
      labels.push_back(rng.index_below(4)), reference.push_back(rng.index_below(4));
    for (Index k = 0; k < 4; ++k) labels.push_back(k), reference.push_back(k);
    const Labels matched = matched_labels(labels, reference);
    const auto agreement = [&](const Labels& to) {
      Index count = 0;
      for (std::size_t i = 0; i < labels.size(); ++i)
        count += to[static_cast<std::size_t>(labels[i])] == reference[i];
      return count;
    };
    Labels permutation{0, 1, 2, 3};
    Index most = 0;
    do most = std::max(most, agreement(permutation));
    while (std::ranges::next_permutation(permutation).found);
    EXPECT_EQ(agreement(matched), most);
  }
  EXPECT_EQ(matched_labels({0, 0, 1, 2}, {0, 0, 0, 0}), (Labels{0, -1, -1}));
}
}  // namespace
}  // namespace credo::models::partition_summary_test
