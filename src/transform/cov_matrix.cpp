// Covariance matrices x = L L', with L a Cholesky factor of transform/cholesky_factor_cov.cpp. log
// Jacobian: K log 2 + sum_k (K - k + 2) log L_kk, the factor's own exponential included.
#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::cov_matrix_row {
namespace {

constexpr double kLn2 = 0.69314718055994530942;

Constrained constrain(const Expr& free, const Shape& unit, const Bounds& none) {
  const Index n = unit.rows;
  if (n == 0) return {graph::fill(unit, 0.0), 0.0};
  const Expr factor = cholesky_factor_cov.constrain(free, unit, none).value;
  std::vector<std::int32_t> on_diagonal;
  std::vector<double> weights;
  for (Index k = 1; k <= n; ++k) {
    on_diagonal.push_back(static_cast<std::int32_t>(k * (k + 1) / 2 - 1));
    weights.push_back(static_cast<double>(n - k + 2));
  }
  const Expr logs = graph::gather(graph::vector_shape(n), free, std::move(on_diagonal));
  const Expr weighted = graph::dot(logs, graph::constant(graph::vector_shape(n), weights));
  return {graph::matmul(factor, factor, false, true), static_cast<double>(n) * kLn2 + weighted};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(cov_matrix, value, unit, bounds)) {
    return Unexpected{*broken};
  }
  return cholesky_factor_cov.unconstrain(plain_cholesky(value, unit.rows), unit, bounds);
}

void check(const Expr& value, const Shape& unit, const Bounds&, std::string_view variable,
           Checks& checks) {
  const Expr x = value.reshaped(unit);
  check_symmetric(x, variable, checks);
  check_positive_definite(x, variable, checks);
}
}  // namespace

const Transform cov_matrix{
    .name = "cov_matrix",
    .elementwise = false,
    .free_size = [](const Shape& unit) { return Index{unit.rows} * (unit.rows + 1) / 2; },
    .constrain = constrain,
    .unconstrain = unconstrain,
    .check = check,
    .legal_shape = [](const Shape& unit) { return unit.rows == unit.cols; },
    .renew = renew_covariances};

}  // namespace credo::transform::cov_matrix_row
