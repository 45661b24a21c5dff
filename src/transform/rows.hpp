// The rows of transform/table.cpp by name, for the rows that are built from others.
#pragma once
#include "transform/transform.hpp"

namespace credo::transform {

extern const Transform affine, bounds, cholesky_factor_corr, cholesky_factor_cov,
    column_stochastic_matrix, corr_matrix, cov_matrix, ordered, positive_ordered,
    row_stochastic_matrix, simplex, sum_to_zero_matrix, sum_to_zero_vector, unit_vector;

}  // namespace credo::transform
