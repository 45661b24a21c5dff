// x + ... with the rounding errors of the sum added up beside it [neumaier1974].
#pragma once
#include <cmath>

namespace credo::graph {

struct CompensatedSum {
  double sum = 0.0, error = 0.0;
  void add(double x) {
    const double next = sum + x;
    error += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  double total() const { return sum + error; }
};

}  // namespace credo::graph
