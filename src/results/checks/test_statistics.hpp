// Statistics of data that predictive checks compare: one number of many.
#pragma once
#include "base/types.hpp"

namespace credo::results {

struct TestStatistic {
  std::string_view name, summary;
  bool of_counts = false;  // only of whole numbers
  bool of_binary =
      false;  // informative about 0/1 values, of which the others are functions of the mean
  double (*value)(std::span<const double> values);  // at least one
  bool of_order = false;                            // depends on the order of the values
};

std::span<const TestStatistic> test_statistics();
const TestStatistic& find_test_statistic(
    std::string_view name);  // throws Error(usage) with the names there are

}  // namespace credo::results
