#include "infer/variational/families/shared_directions.hpp"

#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {

void SharedDirections::prepare(std::span<const double> scales) {
  const auto count = static_cast<Index>(num_directions_);
  numerics::RowMatrix m = numerics::diagonal_matrix(count, 1.0);
  for (std::size_t i = 0; i < num_values_; ++i)
    for (std::size_t r = 0; r < num_directions_; ++r)
      for (std::size_t s = 0; s < num_directions_; ++s)
        m(static_cast<Index>(r), static_cast<Index>(s)) +=
            loading(i, r) * loading(i, s) / (scales[i] * scales[i]);
  const numerics::RowMatrix factor = numerics::lower_factor(m);
  const numerics::RowMatrix inverse = numerics::inverse_from_factor(factor);
  half_log_ratio_ = 0.5 * numerics::log_determinant_of_factor(factor);
  for (std::size_t i = 0; i < num_values_; ++i)
    for (std::size_t r = 0; r < num_directions_; ++r) {
      double sum = 0.0;
      for (std::size_t s = 0; s < num_directions_; ++s)
        sum += loading(i, s) * inverse(static_cast<Index>(s), static_cast<Index>(r));
      solved_[i * num_directions_ + r] = sum / (scales[i] * scales[i]);  // D⁻¹ L M⁻¹ = Σ⁻¹ L
    }
}

double SharedDirections::slope_of_scale(std::size_t i) const {
  double kept = 1.0;
  for (std::size_t r = 0; r < num_directions_; ++r) kept -= slope(i, r) * loading(i, r);
  return kept;
}

void SharedDirections::solve(std::span<double> values) {
  std::fill(work_.begin(), work_.end(), 0.0);
  for (std::size_t i = 0; i < num_values_; ++i)
    for (std::size_t r = 0; r < num_directions_; ++r) work_[r] += loading(i, r) * values[i];
  for (std::size_t i = 0; i < num_values_; ++i)
    for (std::size_t r = 0; r < num_directions_; ++r) values[i] -= slope(i, r) * work_[r];
}

}  // namespace credo::infer
