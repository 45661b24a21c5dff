// The rows of transform/table.cpp by name, for the rows that are built from others.
#pragma once
#include "base/row_of_file.hpp"
#include "transform/transform.hpp"

namespace credo::transform {

CREDO_ROW_OF_FILE(Transform, affine_row, affine)
CREDO_ROW_OF_FILE(Transform, bounds_row, bounds)
CREDO_ROW_OF_FILE(Transform, cholesky_factor_corr_row, cholesky_factor_corr)
CREDO_ROW_OF_FILE(Transform, cholesky_factor_cov_row, cholesky_factor_cov)
CREDO_ROW_OF_FILE(Transform, column_stochastic_matrix_row, column_stochastic_matrix)
CREDO_ROW_OF_FILE(Transform, corr_matrix_row, corr_matrix)
CREDO_ROW_OF_FILE(Transform, cov_matrix_row, cov_matrix)
CREDO_ROW_OF_FILE(Transform, ordered_row, ordered)
CREDO_ROW_OF_FILE(Transform, positive_ordered_row, positive_ordered)
CREDO_ROW_OF_FILE(Transform, row_stochastic_matrix_row, row_stochastic_matrix)
CREDO_ROW_OF_FILE(Transform, simplex_row, simplex)
CREDO_ROW_OF_FILE(Transform, sum_to_zero_matrix_row, sum_to_zero_matrix)
CREDO_ROW_OF_FILE(Transform, sum_to_zero_vector_row, sum_to_zero_vector)
CREDO_ROW_OF_FILE(Transform, unit_vector_row, unit_vector)

}  // namespace credo::transform
