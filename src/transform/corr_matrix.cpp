// Correlation matrices x = L L' with L the factor of parts_partial_correlations.hpp; the partial
// correlations column by column.
//
// log Jacobian: sum log(1 - z^2) + 1/2 sum_{k<=K-2} sum_{i>k} (K - k - 1) log(1 - z_ik^2): l_ik has
// the weight K - k + 1.
#include "transform/parts_partial_correlations.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::corr_matrix_row {
namespace {

Constrained constrain(const Expr& free, const Shape& unit, const Bounds&) {
  const Index n = unit.rows;
  const std::vector<Place> places = places_by_column(n);
  const auto [factor, l] = correlation_factor(free, n, places);
  const auto weight = [n](const Place& p) { return static_cast<double>(n - p.col); };
  return {graph::matmul(factor, factor, false, true), weighted_sum(l, places, weight)};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(corr_matrix, value, unit, bounds)) {
    return Unexpected{*broken};
  }
  return free_partial_correlations(plain_cholesky(value, unit.rows), unit.rows,
                                   places_by_column(unit.rows));
}

void check(const Expr& value, const Shape& unit, const Bounds&, std::string_view variable,
           Checks& checks) {
  const Expr x = value.reshaped(unit);
  check_symmetric(x, variable, checks);
  check_near(diagonal(x), 1.0, {variable, "an element of the diagonal", "1 (within 1e-8)"}, checks);
  check_positive_definite(x, variable, checks);
}
}  // namespace

const Transform corr_matrix{
    .name = "corr_matrix",
    .elementwise = false,
    .free_size = [](const Shape& unit) { return Index{unit.rows} * (unit.rows - 1) / 2; },
    .constrain = constrain,
    .unconstrain = unconstrain,
    .check = check,
    .legal_shape = [](const Shape& unit) { return unit.rows == unit.cols; },
    .reference = "lewandowski2009",
    .renew = renew_correlations};

}  // namespace credo::transform::corr_matrix_row
