#include "transform/rows.hpp"

namespace credo::transform {

std::span<const Transform* const> table() {
  static const std::array<const Transform*, 14> rows{
      &affine,
      &bounds,
      &cholesky_factor_corr,
      &cholesky_factor_cov,
      &column_stochastic_matrix,
      &corr_matrix,
      &cov_matrix,
      &ordered,
      &positive_ordered,
      &row_stochastic_matrix,
      &simplex,
      &sum_to_zero_matrix,
      &sum_to_zero_vector,
      &unit_vector,
  };
  return rows;
}

const Transform* find(std::string_view name) {
  for (const Transform* row : table()) {
    if (row->name == name) return row;
  }
  return nullptr;
}

}  // namespace credo::transform
