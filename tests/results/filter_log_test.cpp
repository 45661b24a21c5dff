// What is kept of a filter that goes on: each repeat and the state of the present one, to the bit, and nothing of other work.
#include "results/estimates/filter_log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "results/estimates/filter_run.hpp"

namespace credo::results {
namespace {

std::string path_of(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("credo_" + name + std::to_string(getpid())))
      .string();
}

TEST(filter_log, has_repeats_as_they_were_to_the_bit) {
  FilterRepeat repeat;
  repeat.filtered.log_likelihood = -1.0 / 3.0;
  repeat.filtered.times = {{.ess = 7.1,
                            .max_weight = 0.1,
                            .log_increment = -kInfinity,
                            .resampled = true,
                            .num_roots = 3,
                            .mean = {0.1, kNaN},
                            .sd = {1e-300, 2.0},
                            .quantiles = {-0.0}}};
  repeat.regimes = {{0.25, 0.75}};
  const std::string path = path_of("filter_log");
  WorkLog<FilterRepeat>(path, "this work").add(4, repeat);
  {
    WorkLog<FilterRepeat> log(path, "this work");
    ASSERT_EQ(log.done().size(), 1u);
    EXPECT_EQ(archived<infer::SwitchingResult>(log.done().at(4)),
              archived<infer::SwitchingResult>(repeat));
  }
  EXPECT_THROW(WorkLog<FilterRepeat>(path, "other work"), Error);
  WorkLog<FilterRepeat> log(path, "this work");
  EXPECT_EQ(log.remove(), "");
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

TEST(filter_log, keeps_the_states_of_repeats_of_this_work) {
  const std::string path = path_of("filter_state"), state("a\0b", 3);
  {
    FilterStateFile file(path, "this work");
    EXPECT_FALSE(file.is_there());
    EXPECT_FALSE(file.is_due(2));  // it has just begun
    file.keep(2, state);
    file.keep(5, "another");
    EXPECT_EQ(file.kept(5), "");  // what was there at first
    file.drop(5);
    file.keep(3, "a third");
  }
  EXPECT_EQ(FilterStateFile(path, "this work").kept(2), state);
  EXPECT_EQ(FilterStateFile(path, "this work").kept(3), "a third");
  EXPECT_EQ(FilterStateFile(path, "this work").kept(1), "");
  EXPECT_EQ(FilterStateFile(path, "this work").kept(5), "");  // it was done
  EXPECT_FALSE(FilterStateFile(path, "other work").is_there());
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5);
    file.put('x');
  }
  EXPECT_THROW(FilterStateFile(path, "this work"), Error);
  std::filesystem::remove(path);
}

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
}  // namespace credo::results
