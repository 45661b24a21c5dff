// Factors of correlation matrices: lower triangular, positive diagonal, rows of length one; the
// partial correlations row by row.
//
// log Jacobian: sum log(1 - z^2) + 1/2 sum_i sum_{1<j<i} log(1 - sum_{m<j} x_im^2); in l (see
// parts_partial_correlations.hpp), l_im has the weight 2 + (i - 1 - m).
#include "transform/parts_partial_correlations.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::cholesky_factor_corr_row {
namespace {

Constrained constrain(const Expr& free, const Shape& unit, const Bounds&) {
  const Index n = unit.rows;
  const std::vector<Place> places = places_by_row(n);
  const auto [factor, l] = correlation_factor(free, n, places);
  const auto weight = [](const Place& p) { return static_cast<double>(p.row - p.col + 1); };
  return {factor, weighted_sum(l, places, weight)};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(cholesky_factor_corr, value, unit, bounds)) {
    return Unexpected{*broken};
  }
  return free_partial_correlations(value, unit.rows, places_by_row(unit.rows));
}

void check(const Expr& value, const Shape& unit, const Bounds&, std::string_view variable,
           Checks& checks) {
  check_lower_triangular(value, variable, checks);
  checks.greater(diagonal(value), 0.0, {variable, "an element of the diagonal", "positive"});
  const Expr x = value.reshaped(unit), ones = graph::fill(graph::vector_shape(unit.cols), 1.0);
  check_near(graph::matmul(x * x, ones), 1.0,
             {variable, "sum of the squares of a row", "1 (within 1e-8)"}, checks);
}
}  // namespace

const Transform cholesky_factor_corr{
    .name = "cholesky_factor_corr",
    .elementwise = false,
    .free_size = [](const Shape& unit) { return Index{unit.rows} * (unit.rows - 1) / 2; },
    .constrain = constrain,
    .unconstrain = unconstrain,
    .check = check,
    .legal_shape = [](const Shape& unit) { return unit.rows == unit.cols; },
    .reference = "lewandowski2009",
    .renew = renew_row_lengths};

}  // namespace credo::transform::cholesky_factor_corr_row
