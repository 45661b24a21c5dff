// Sums over coordinates, in their order.
#pragma once
#include "base/types.hpp"

namespace credo::infer {

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

// y += a x
inline void add(std::span<double> y, double a, std::span<const double> x) {
  for (std::size_t d = 0; d < y.size(); ++d) y[d] += a * x[d];
}

inline double largest(std::span<const double> values) {
  double most = 0.0;
  for (const double x : values) most = std::max(most, std::fabs(x));
  return most;
}

// y = A x, A symmetric or column-major, D × D
inline std::vector<double> product(std::span<const double> matrix, std::span<const double> x) {
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) add(y, x[j], matrix.subspan(j * x.size(), x.size()));
  return y;
}

}  // namespace credo::infer
