// Information of two columns: errors over simulated rows, the permutation test, neighbours and kernels on normal distributions.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "models/information/dependence.hpp"
#include "support/test_seed.hpp"

namespace credo::models::dependence_test {
namespace {
// Y is X with probability `same`, else another of three levels. Z is a coin that shifts both.
LevelRows rows_of(double same, Index n, bool has_common_cause, Rng& rng) {
  LevelRows rows;
  rows.num_first = rows.num_second = 3, rows.num_given = 2;
  for (Index k = 0; k < n; ++k) {
    const auto z = static_cast<std::int32_t>(rng.index_below(2));
    const auto biased = [&] {
      return static_cast<std::int32_t>(
          has_common_cause && rng.uniform() < 0.6 ? z : rng.index_below(3));
    };
    rows.given.push_back(z);
    rows.first.push_back(biased());
    rows.second.push_back(rng.uniform() < same ? rows.first.back() : biased());
  }
  return rows;
}
DependenceOptions without_test() { return {.num_permutations = 0}; }
struct Normals {
  std::vector<double> x, y;
};
Normals normals(double correlation, Index n, Rng& rng) {
  Normals made;
  for (Index k = 0; k < n; ++k) {
    made.x.push_back(rng.normal());
    made.y.push_back(correlation * made.x.back() +
                     std::sqrt(1.0 - correlation * correlation) * rng.normal());
  }
  return made;
}
}  // namespace

TEST(dependence, errors_of_levels_are_honest) {
  Rng rng({.seed = testing::test_seed(31), .purpose = purpose::kTest});
  constexpr int kRuns = 300;
  for (const double same : {0.0, 0.4}) {
    // P(x = y) = same + (1 - same) / 3 of nine cells.
    const double on = (same + (1.0 - same) / 3.0) / 3.0, off = (1.0 - same) / 9.0;
    const double truth = 3.0 * on * std::log(9.0 * on) + 6.0 * off * std::log(9.0 * off);
    double squares = 0.0, naive = 0.0;
    for (int r = 0; r < kRuns; ++r) {
      LevelRows rows = rows_of(same, 200, false, rng);
      rows.given.assign(rows.given.size(), 0), rows.num_given = 1;
      const auto own =
          information_of_levels(rows, find_entropy_estimator("miller_madow"), without_test());
      squares += std::pow((own.value - truth) / own.sd, 2) / kRuns;
      naive +=
          std::pow(
              (information_of_levels(rows, find_entropy_estimator("plugin"), without_test()).value -
               truth) /
                  own.sd,
              2) /
          kRuns;
    }
    // A mean of 300 squares of nearly normal z-scores spreads by 0.08, of chi-squared ones by 0.15. Without dependence the first
    // term of the variance is estimated from noise, and the error is too large by a factor of up to 1.5.
    EXPECT_LT(squares, 1.4) << same;
    EXPECT_GT(squares, same == 0.0 ? 0.3 : 0.6) << same;
    if (same == 0.0) {
      EXPECT_GT(naive, 2.0 * squares);  // the mutant: the estimate without its correction
    }
  }
}

TEST(dependence, the_test_is_uniform_without_dependence_and_sees_a_common_cause) {
  Rng rng({.seed = testing::test_seed(32), .purpose = purpose::kTest});
  constexpr int kRuns = 200;
  int small = 0, conditional = 0, marginal = 0;
  const EntropyEstimator& plugin = find_entropy_estimator("plugin");
  DependenceOptions options{.num_permutations = 99};
  for (int r = 0; r < kRuns; ++r) {
    options.seed = static_cast<std::uint64_t>(r);
    LevelRows rows = rows_of(0.0, 120, true, rng);
    conditional += information_of_levels(rows, plugin, options).p_value <= 0.1;
    rows.given.assign(rows.given.size(), 0), rows.num_given = 1;
    marginal += information_of_levels(rows, plugin, options).p_value <= 0.1;
    small += information_of_levels(rows_of(0.0, 60, false, rng), plugin, options).p_value <= 0.1;
  }
  // 20 of 200 are expected with an sd of 4.2.
  EXPECT_NEAR(small, 20, 17);
  EXPECT_NEAR(conditional, 20, 17);
  EXPECT_GT(marginal, 150);  // without its condition the common cause is dependence
}

TEST(dependence, neighbours_and_kernels_find_the_information_of_normal_laws) {
  Rng rng({.seed = testing::test_seed(33), .purpose = purpose::kTest});
  constexpr int kRuns = 60;
  for (const double correlation : {0.0, 0.6, 0.9}) {
    const double truth = -0.5 * std::log1p(-correlation * correlation);
    double squares = 0.0, bias = 0.0, kernels = 0.0;
    for (int r = 0; r < kRuns; ++r) {
      const Normals data = normals(correlation, 400, rng);
      const auto own = information_by_neighbours(data.x, data.y, without_test());
      squares += std::pow((own.value - truth) / own.sd, 2) / kRuns;
      bias += (own.value - truth) / kRuns;
      kernels += (information_by_kernels(data.x, data.y, without_test()).value - truth) / kRuns;
    }
    EXPECT_NEAR(bias, 0.0, 0.025) << correlation;    // kraskov2004, figure 4: below 0.02
    EXPECT_NEAR(squares, 1.1, 0.7) << correlation;   // an sd from 45 degrees of freedom
    EXPECT_NEAR(kernels, 0.0, 0.15) << correlation;  // smooths the distribution
  }
}

TEST(dependence, ties_are_refused_with_their_rows) {
  Rng rng({.seed = testing::test_seed(35), .purpose = purpose::kTest});
  Normals data = normals(0.3, 50, rng);
  data.y[17] = data.y[4];
  try {
    information_by_neighbours(data.x, data.y, without_test());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rows 5 and 18"), std::string::npos) << error.what();
  }
}
}  // namespace credo::models::dependence_test
