#include "numerics/linear_algebra/triangular_factor.hpp"

namespace credo::numerics {
namespace {

// Four sums at a time: one would wait for its last addition at every element.
double dot(const double* a, const double* b, std::size_t n) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}
}  // namespace

// The factor is zero below its diagonal, so reflection j touches its row j and the new rows only.
void TriangularFactor::add(std::span<double> rows, std::size_t count) {
  for (std::size_t j = 0; j < k_; ++j) {
    double* v = &rows[j * count];
    const double below = dot(v, v, count);
    if (below == 0.0) continue;
    double& diagonal = factor_[j + j * k_];
    const double norm = std::sqrt(diagonal * diagonal + below);
    const double reflected = diagonal > 0.0 ? -norm : norm;
    const double head = diagonal - reflected;  // v, the direction of the reflection, has it on top
    const double half_square = -reflected * head;  // v'v / 2
    for (std::size_t c = j + 1; c < k_; ++c) {
      double* column = &rows[c * count];
      double& top = factor_[j + c * k_];
      const double factor = (head * top + dot(v, column, count)) / half_square;
      top -= factor * head;
      for (std::size_t i = 0; i < count; ++i) column[i] -= factor * v[i];
    }
    diagonal = reflected;
  }
}

}  // namespace credo::numerics
