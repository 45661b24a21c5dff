// The mixture of several runs of a filter.
#include "results/estimates/filter_run.hpp"

#include <gtest/gtest.h>

#include "results/arrays/arrays.hpp"

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

// Runs whose method reports a vector at each time beside the state.
FilterRun with_arrays(bool of_draws) {
  std::vector<infer::FilterAnswer> runs(2);
  for (std::size_t r = 0; r < 2; ++r) {
    infer::FilteredTime at;
    at.mean = {0.0}, at.sd = {1.0};
    at.quantiles.assign(mixture_levels().size(), 0.0);
    runs[r].filtered.times = {at, at};
    const double shift = static_cast<double>(r);
    runs[r].arrays = {{.group = "gains",
                       .field = "gain",
                       .dimension = "direction",
                       .help = "gain of each direction",
                       .values = {{1.0 + shift, 2.0, 3.0}, {4.0, 5.0, 6.0 - shift}}}};
  }
  FilterRun run{.program = "p",
                .method = "m",
                .state = density::Layout({density::Variable{.name = "x", .dims = {1}}}),
                .first_forecast = 2,
                .of_draws = of_draws,
                .options = {},
                .repeats = {},
                .likelihood = {}};
  take_repeats(run, std::move(runs));
  return run;
}

TEST(filter_arrays, arrays_of_a_method_are_those_of_the_first_run_or_the_mean_over_draws) {
  const auto gains = [](const ArrayList& answer) {
    EXPECT_EQ(answer.find_group("gains")->size_of("direction"), 3);
    return answer.find("gains", "gain");
  };
  EXPECT_EQ(gains(arrays_of(with_arrays(false))), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(gains(arrays_of(with_arrays(true))), (std::vector<double>{1.5, 2, 3, 4, 5, 5.5}));
}

}  // namespace
}  // namespace credo::results::filter_run_test
