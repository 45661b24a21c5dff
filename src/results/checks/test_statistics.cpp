#include "results/checks/test_statistics.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "diagnose/chains.hpp"

namespace credo::results {
namespace {
using Values = std::span<const double>;

double sd(Values x) { return x.size() < 2 ? 0.0 : std::sqrt(diagnose::variance(x)); }
double zeros(Values x) {
  return static_cast<double>(std::count(x.begin(), x.end(), 0.0)) / static_cast<double>(x.size());
}
// Correlation of neighbours in the order of the data; 0 for values that are all the same.
double autocorrelation(Values x) {
  const double mean = diagnose::mean(x);
  double product = 0.0, square = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    square += (x[i] - mean) * (x[i] - mean);
    if (i > 0) product += (x[i] - mean) * (x[i - 1] - mean);
  }
  return square > 0.0 ? product / square : 0.0;
}

constexpr std::array<TestStatistic, 7> kStatistics{{
    {"mean", "the mean", false, true, [](Values x) { return diagnose::mean(x); }},
    {"sd", "the standard deviation", false, false, sd},
    {"min", "the smallest value", false, false,
     [](Values x) { return *std::min_element(x.begin(), x.end()); }},
    {"median", "the median", false, false, [](Values x) { return diagnose::quantile(x, 0.5); }},
    {"max", "the largest value", false, false,
     [](Values x) { return *std::max_element(x.begin(), x.end()); }},
    {"zeros", "the share of zeros", true, false, zeros},
    {"autocorrelation", "that of neighbours", false, true, autocorrelation, true},
}};
}  // namespace

std::span<const TestStatistic> test_statistics() { return kStatistics; }

const TestStatistic& find_test_statistic(std::string_view name) {
  std::string names;
  for (const TestStatistic& statistic : kStatistics) {
    if (statistic.name == name) return statistic;
    names += (names.empty() ? "" : ", ") + std::string(statistic.name);
  }
  throw Error(ErrorCode::usage, fmt::format("there is no statistic '{}'", name), "--statistic",
              "use one of " + names);
}

}  // namespace credo::results
