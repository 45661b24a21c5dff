// M x N lower triangular matrices with positive diagonal, M >= N: unconstrained values row by row, those on
// the diagonal as logs; rows below the N-th are full. log Jacobian: the sum of the unconstrained values on
// the diagonal.
#include "transform/parts.hpp"
#include "transform/rows.hpp"

namespace credo::transform::cholesky_factor_cov_row {
namespace {

// Unconstrained values on the diagonal and below it, and their places in the matrix.
struct Layout {
  std::vector<std::int32_t> diagonal_from, other_from, to;  // to: diagonal ones first
};

Layout layout_of(const Shape& unit) {
  Layout layout;
  std::vector<std::int32_t> other_to;
  std::int32_t next = 0;
  for (std::int32_t i = 0; i < unit.rows; ++i) {
    for (std::int32_t j = 0; j <= std::min(i, unit.cols - 1); ++j, ++next) {
      (i == j ? layout.diagonal_from : layout.other_from).push_back(next);
      (i == j ? layout.to : other_to).push_back(i + j * unit.rows);
    }
  }
  layout.to.insert(layout.to.end(), other_to.begin(), other_to.end());
  return layout;
}

Constrained constrain(const Expr& free, const Shape& unit, const Bounds&) {
  if (unit.size() == 0) return {graph::fill(unit, 0.0), 0.0};
  Layout layout = layout_of(unit);
  const Shape on = graph::vector_shape(ssize(layout.diagonal_from));
  const Shape off = graph::vector_shape(ssize(layout.other_from));
  const Expr logs = graph::gather(on, free, std::move(layout.diagonal_from));
  std::vector<Expr> parts{graph::exp(logs)};
  if (off.size() > 0) parts.push_back(graph::gather(off, free, std::move(layout.other_from)));
  const Expr joined = graph::concat(graph::vector_shape(on.size() + off.size()), parts);
  return {graph::scatter_add(unit, joined, std::move(layout.to)), graph::sum(logs)};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(cholesky_factor_cov, value, unit, bounds)) {
    return Unexpected{*broken};
  }
  std::vector<double> free;
  for (Index i = 0; i < unit.rows; ++i) {
    for (Index j = 0; j <= std::min<Index>(i, unit.cols - 1); ++j) {
      const double x = value[static_cast<std::size_t>(i + j * unit.rows)];
      free.push_back(i == j ? std::log(x) : x);
    }
  }
  return free;
}

void check(const Expr& value, const Shape& unit, const Bounds&, std::string_view variable,
           Checks& checks) {
  const Expr x = value.reshaped(unit);
  check_lower_triangular(x, variable, checks);
  checks.greater(diagonal(x), 0.0, {variable, "an element of the diagonal", "positive"});
}

Index free_size(const Shape& unit) {
  const Index rows = unit.rows, cols = unit.cols;
  return cols * (cols + 1) / 2 + (rows - cols) * cols;
}
}  // namespace

const Transform cholesky_factor_cov{
    .name = "cholesky_factor_cov",
    .elementwise = false,
    .free_size = free_size,
    .constrain = constrain,
    .unconstrain = unconstrain,
    .check = check,
    .legal_shape = [](const Shape& unit) { return unit.rows >= unit.cols; }};

}  // namespace credo::transform::cholesky_factor_cov_row
