// The mixture of several runs of a filter.
#include "results/estimates/filter_run.hpp"

#include <gtest/gtest.h>

namespace credo::results::filter_run_test {
namespace {

// Two runs that are normal distributions: mean, deviation and quantiles of their mixture are those of its distribution
// function.
TEST(filter_mixture, has_the_mean_deviation_and_quantiles_of_a_mixture_of_normal_distributions) {
  const std::array<double, 2> means = {-1.0, 2.0}, sds = {0.5, 1.5};
  std::vector<infer::FilterResult> runs(2);
  for (std::size_t r = 0; r < 2; ++r) {
    infer::FilteredTime at;
    at.ess = 10.0 + static_cast<double>(r);
    at.mean = {means[r]}, at.sd = {sds[r]};
    for (const double level : mixture_levels()) {  // by bisection
      double low = -20.0, high = 20.0;
      for (int k = 0; k < 100; ++k) {
        const double middle = 0.5 * (low + high);
        (0.5 * std::erfc((means[r] - middle) / sds[r] / std::sqrt(2.0)) < level ? low : high) =
            middle;
      }
      at.quantiles.push_back(low);
    }
    runs[r].times.push_back(at);
  }
  const infer::FilteredTime mixed = mixture_of(runs).at(0);
  EXPECT_NEAR(mixed.mean[0], 0.5, 1e-14);
  EXPECT_NEAR(mixed.sd[0], std::sqrt((0.25 + 2.25) / 2.0 + 2.25), 1e-14);
  EXPECT_EQ(mixed.ess, 10.0);
  for (std::size_t k = 0; k < 3; ++k) {
    const double x = mixed.quantiles[k];
    double below = 0.0;
    for (std::size_t r = 0; r < 2; ++r)
      below += 0.25 * std::erfc((means[r] - x) / sds[r] / std::sqrt(2.0));
    EXPECT_NEAR(below, infer::kFilterLevels[k], 0.01);  // each run has a point in each fiftieth
  }
}

}  // namespace
}  // namespace credo::results::filter_run_test
