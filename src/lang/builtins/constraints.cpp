// The constraints as functions: X_constrain(free, ...) is the constrained value, X_jacobian adds
// the log Jacobian to the target as well, X_unconstrain is the inverse. The first two are the rows
// of transform/table.cpp; the inverses are formulas, so that they can be traced.
#include <fmt/format.h>

#include "lang/builtins/matrix.hpp"
#include "transform/parts_partial_correlations.hpp"
#include "transform/rows.hpp"

namespace credo::lang {
namespace {
using graph::Shape;
using transform::Bounds;
using transform::Transform;

// ---- the transform and the shape of one of its units

struct Kind {
  std::string_view prefix;
  const Transform* transform;
  int more_rows = 0, more_cols = 0;  // unit's size minus the unconstrained value's
  int sizes = 0;                     // arguments that give the unit's sizes
};

const Kind& kind_of(const BuiltinCall& c) {
  static const std::array<Kind, 16> kinds{{
      {"cholesky_factor_corr", &transform::cholesky_factor_corr, 0, 0, 1},
      {"cholesky_factor_cov", &transform::cholesky_factor_cov, 0, 0, 2},
      {"corr_matrix", &transform::corr_matrix, 0, 0, 1},
      {"cov_matrix", &transform::cov_matrix, 0, 0, 1},
      {"lower_bound", &transform::bounds},
      {"lower_upper_bound", &transform::bounds},
      {"offset_multiplier", &transform::affine},
      {"ordered", &transform::ordered},
      {"positive_ordered", &transform::positive_ordered},
      {"simplex", &transform::simplex, 1, 0},
      {"stochastic_column", &transform::column_stochastic_matrix, 1, 0},
      {"stochastic_row", &transform::row_stochastic_matrix, 0, 1},
      {"sum_to_zero", &transform::sum_to_zero_vector, 1, 0},
      {"sum_to_zero", &transform::sum_to_zero_matrix, 1, 1},
      {"unit_vector", &transform::unit_vector},
      {"upper_bound", &transform::bounds},
  }};
  const std::string_view prefix = c.name.substr(0, c.name.rfind('_'));
  const bool is_matrix = base_of(c[0]) == BaseType::matrix;
  const auto fits = [&](const Kind& k) {
    const bool two_forms = prefix == "sum_to_zero";
    return k.prefix == prefix && (!two_forms || (k.more_cols == 1) == is_matrix);
  };
  return *std::find_if(kinds.begin(), kinds.end(), fits);
}

Bounds bounds_of_call(const BuiltinCall& c) {
  const bool differentiable = c.machine.options().differentiable;
  if (c.name.starts_with("upper_bound")) return {{}, c.expr(1), differentiable};
  return {c.expr(1), c.size() > 2 ? c.expr(2) : Expr(), differentiable};
}

void check_bound_sizes(const BuiltinCall& c) {
  for (std::size_t k = 1; k < c.size(); ++k) {
    if (c[k].is_scalar() || dims_of(c[k]) == dims_of(c[0])) continue;
    c.machine.fail(fmt::format("{}: argument {} has sizes {}, but must have {}", c.name, k + 1,
                               to_string(dims_of(c[k])), to_string(dims_of(c[0]))));
  }
}

// Sizes of one unit: those of one unconstrained value plus the transform's, or arguments.
Dims unit_dims(const BuiltinCall& c, const Kind& kind) {
  const Dims free = dims_of(c[0]);
  if (kind.sizes == 1) return {c[1].integer(), c[1].integer()};
  if (kind.sizes == 2) return {c[1].integer(), c[2].integer()};
  if (base_of(c[0]) == BaseType::vector) return {free.back() + kind.more_rows};
  return {free.back(1) + kind.more_rows, free.back() + kind.more_cols};
}

// The array around the units.
Dims with_units(const Dims& arrays, int inner, const Dims& unit) {
  Dims dims;
  for (int d = 0; d < arrays.count - inner; ++d) dims.push(arrays[d]);
  for (int d = 0; d < unit.count; ++d) dims.push(unit[d]);
  return dims;
}

Expr part_of(const Expr& x, Index begin, Index count) {
  if (count == x.size()) return x;
  return graph::slice(graph::vector_shape(count), x, begin);
}

// ---- constrain and jacobian

transform::Constrained constrain_unit(const BuiltinCall& c, const Transform& transform,
                                      const Expr& free, const Shape& unit, const Bounds& bounds) {
  if (transform.require != nullptr) transform.require(free, bounds, c.name, c.machine.checks());
  return transform.constrain(free, unit, bounds);
}

transform::Constrained constrain_all(const BuiltinCall& c, const Kind& kind, const Shape& unit,
                                     const Shape& whole) {
  const Transform& transform = *kind.transform;
  const Index size = transform.free_size(unit), units = whole.batch;
  if (c.expr(0).size() != units * size || (transform.legal_shape && !transform.legal_shape(unit)))
    c.machine.fail(fmt::format("{}: {} unconstrained values for {} x {}, but there must be {}",
                               c.name, c.expr(0).size() / std::max<Index>(units, 1), unit.rows,
                               unit.cols, size));
  std::vector<Expr> parts;
  Expr log_jacobian = 0.0;
  for (Index u = 0; u < units; ++u) {
    const Expr free = part_of(c.expr(0), u * size, size).reshaped(graph::vector_shape(size));
    const auto one = constrain_unit(c, transform, free, unit, {});
    parts.push_back(one.value);
    log_jacobian = log_jacobian + one.log_jacobian;
  }
  return {units == 1 ? parts[0].reshaped(whole) : graph::concat(whole, parts), log_jacobian};
}

Value finished(const BuiltinCall& c, const Value& value, const Expr& log_jacobian) {
  if (c.name.ends_with("_jacobian")) c.machine.add_term(log_jacobian, 0.0, TermKind::user_jacobian);
  return value;
}

Value constrain(const BuiltinCall& c) {
  const Kind& kind = kind_of(c);
  if (kind.transform->elementwise) {
    check_bound_sizes(c);
    const Expr free = c.expr(0);
    const auto all = constrain_unit(c, *kind.transform, free, free.shape(), bounds_of_call(c));
    return finished(c, like(all.value, c[0]), all.log_jacobian);
  }
  const Dims unit = unit_dims(c, kind);
  const BaseType base = unit.count == 2 ? BaseType::matrix : BaseType::vector;
  const Dims dims = with_units(dims_of(c[0]), inner_dims(base_of(c[0])), unit);
  const auto all = constrain_all(c, kind, shape_of(base, unit), shape_of(base, dims));
  return finished(c, from_expr(all.value, base, dims), all.log_jacobian);
}

// ---- unconstrain: formulas for one unit, of a legal value

Expr log_steps(const Expr& x) {  // log(x_k - x_(k-1)) for k = 2, 3, ...
  const Index n = x.size();
  return graph::log(transform::slice(x, 1, n - 1) - transform::slice(x, 0, n - 1));
}
Expr free_ordered(const Expr& x, bool positive) {
  if (x.size() == 0) return x;
  const Expr first = positive ? graph::log(x.element(0)) : x.element(0);
  if (x.size() == 1) return first.reshaped(graph::vector_shape(1));
  return graph::concat(graph::vector_shape(x.size()), std::array{first, log_steps(x)});
}

// Columns (1, ..., 1 [i times], -i, 0, ...) / sqrt(i (i + 1)): y = V' x (sum_to_zero_vector.cpp).
Expr free_sum_to_zero(const Expr& x) {
  const Index n = x.size();
  std::vector<double> v(static_cast<std::size_t>(n * (n - 1)), 0.0);
  for (Index i = 1; i < n; ++i) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(i) * static_cast<double>(i + 1));
    std::fill_n(v.begin() + (i - 1) * n, i, scale);
    v[static_cast<std::size_t>((i - 1) * n + i)] = -static_cast<double>(i) * scale;
  }
  return graph::matmul(graph::constant(graph::matrix_shape(n, n - 1), v), x, true, false);
}
// V' takes the mean out.
Expr free_simplex(const Expr& x) {
  return free_sum_to_zero(graph::log(x).reshaped(graph::vector_shape(x.size())));
}

// y_ij = asinh(L_ij / sqrt(sum of L_im^2, m > j)), i > j (parts_partial_correlations.hpp).
Expr free_correlations(const Expr& factor, std::span<const transform::Place> places) {
  const Index n = factor.shape().rows;
  std::vector<Expr> free;
  for (const auto& [i, j] : places) {
    Expr rest = 0.0;
    for (Index m = j + 1; m <= i; ++m) rest = rest + graph::square(factor.element(i + m * n));
    free.push_back(graph::asinh(factor.element(i + j * n) / graph::sqrt(rest)));
  }
  return graph::pack(graph::vector_shape(ssize(free)), free);
}

// Row by row, logs on the diagonal.
Expr free_lower(const Expr& factor) {
  const Shape shape = factor.shape();
  std::vector<Expr> free;
  for (Index i = 0; i < shape.rows; ++i) {
    for (Index j = 0; j <= std::min<Index>(i, shape.cols - 1); ++j) {
      const Expr x = factor.element(i + j * shape.rows);
      free.push_back(i == j ? graph::log(x) : x);
    }
  }
  return graph::pack(graph::vector_shape(ssize(free)), free);
}

Expr free_columns(const Expr& x, Index rows, Index cols) {
  std::vector<Expr> parts;
  for (Index j = 0; j < cols; ++j) parts.push_back(free_simplex(part_of(x, j * rows, rows)));
  return graph::concat(graph::matrix_shape(rows - 1, cols), parts);
}

// The columns of H are (-a, ..., -a, k a, 0, ..., -a), a = 1 / sqrt(k (k + 1)), and Y = H' x H
// (sum_to_zero_matrix.cpp): the map of the free matrices with a single 1, which are orthonormal.
Expr free_zero_sums(const Expr& x) {
  const Index rows = x.shape().rows, cols = x.shape().cols, n = (rows - 1) * (cols - 1);
  std::vector<Expr> free;
  for (Index k = 0; k < n; ++k) {
    std::vector<double> one(static_cast<std::size_t>(n), 0.0);
    one[static_cast<std::size_t>(k)] = 1.0;
    const Expr unit = graph::constant(graph::vector_shape(n), one);
    free.push_back(
        graph::dot(transform::sum_to_zero_matrix.constrain(unit, x.shape(), {}).value, x));
  }
  return graph::pack(graph::matrix_shape(rows - 1, cols - 1), free);
}

Expr free_unit(const Transform& t, const Expr& x) {
  const Index rows = x.shape().rows, cols = x.shape().cols;
  if (&t == &transform::ordered || &t == &transform::positive_ordered)
    return free_ordered(x, &t == &transform::positive_ordered);
  if (&t == &transform::simplex) return free_simplex(x);
  if (&t == &transform::sum_to_zero_vector) return free_sum_to_zero(x);
  if (&t == &transform::sum_to_zero_matrix) return free_zero_sums(x);
  if (&t == &transform::column_stochastic_matrix) return free_columns(x, rows, cols);
  if (&t == &transform::row_stochastic_matrix)
    return graph::transpose(free_columns(graph::transpose(x), cols, rows));
  if (&t == &transform::cholesky_factor_corr)
    return free_correlations(x, transform::places_by_row(rows));
  if (&t == &transform::corr_matrix)
    return free_correlations(graph::cholesky(x), transform::places_by_column(rows));
  if (&t == &transform::cholesky_factor_cov) return free_lower(x);
  if (&t == &transform::cov_matrix) return free_lower(graph::cholesky(x));
  return x;  // unit_vector
}

// lower: log(x - a); upper: log(b - x); both: the difference; an infinite bound counts as none.
Expr free_between(const Expr& x, const Bounds& bounds) {
  const Expr lower = bounds.first.empty() ? Expr(-kInfinity) : bounds.first;
  const Expr upper = bounds.second.empty() ? Expr(kInfinity) : bounds.second;
  const Expr has_lower = 1.0 - graph::equal(lower, -kInfinity),
             has_upper = 1.0 - graph::equal(upper, kInfinity);
  const Expr above = graph::log(transform::choose(has_lower, x - lower, 1.0)),
             below = graph::log(transform::choose(has_upper, upper - x, 1.0));
  const Expr one_sided = transform::choose(has_lower, above, below);
  return transform::choose(has_lower * has_upper, above - below,
                           transform::choose(has_lower + has_upper, one_sided, x));
}

Value unconstrain_elements(const BuiltinCall& c, const Transform& t) {
  check_bound_sizes(c);
  const Bounds bounds = bounds_of_call(c);
  const Expr x = c.expr(0);
  if (t.require != nullptr) t.require(x, bounds, c.name, c.machine.checks());
  t.check(x, x.shape(), bounds, c.name, c.machine.checks());
  if (&t == &transform::bounds) return like(free_between(x, bounds), c[0]);
  return like((x - bounds.first) / bounds.second, c[0]);
}

// Sizes of the unconstrained value of one unit.
Dims free_dims(const Kind& kind, const Dims& unit, Index free_size) {
  const bool is_vector = unit.count == 1 || kind.more_rows + kind.more_cols == 0;
  if (is_vector) return {free_size};
  return {unit[0] - kind.more_rows, unit[1] - kind.more_cols};
}

Value unconstrain(const BuiltinCall& c) {
  const Kind& kind = kind_of(c);
  const Transform& t = *kind.transform;
  if (t.elementwise) return unconstrain_elements(c, t);
  const Dims dims = dims_of(c[0]);
  const int inner = inner_dims(base_of(c[0]));
  Shape unit = shape_of(base_of(c[0]), dims);
  const Index units = std::exchange(unit.batch, 1);
  if (t.legal_shape != nullptr && !t.legal_shape(unit))
    c.machine.fail(fmt::format("{}: {} can't have size {}", c.name, t.name, to_string(dims)));
  std::vector<Expr> parts;
  for (Index u = 0; u < units; ++u) {
    const Expr x = part_of(c.expr(0), u * unit.size(), unit.size()).reshaped(unit);
    t.check(x, unit, {}, c.name, c.machine.checks());
    parts.push_back(free_unit(t, x));
  }
  const Dims one = inner == 1 ? Dims{dims.back()} : Dims{dims.back(1), dims.back()};
  const Dims free = free_dims(kind, one, t.free_size(unit));
  const BaseType base = free.count == 1 ? BaseType::vector : BaseType::matrix;
  const Dims whole = with_units(dims, inner, free);
  return from_expr(graph::concat(shape_of(base, whole), parts), base, whole);
}

constexpr Builtin kConstraintsRows[] = {
    {"cholesky_factor_corr_constrain", constrain},
    {"cholesky_factor_corr_jacobian", constrain},
    {"cholesky_factor_corr_unconstrain", unconstrain},
    {"cholesky_factor_cov_constrain", constrain},
    {"cholesky_factor_cov_jacobian", constrain},
    {"cholesky_factor_cov_unconstrain", unconstrain},
    {"corr_matrix_constrain", constrain},
    {"corr_matrix_jacobian", constrain},
    {"corr_matrix_unconstrain", unconstrain},
    {"cov_matrix_constrain", constrain},
    {"cov_matrix_jacobian", constrain},
    {"cov_matrix_unconstrain", unconstrain},
    {"lower_bound_constrain", constrain},
    {"lower_bound_jacobian", constrain},
    {"lower_bound_unconstrain", unconstrain},
    {"lower_upper_bound_constrain", constrain},
    {"lower_upper_bound_jacobian", constrain},
    {"lower_upper_bound_unconstrain", unconstrain},
    {"offset_multiplier_constrain", constrain},
    {"offset_multiplier_jacobian", constrain},
    {"offset_multiplier_unconstrain", unconstrain},
    {"ordered_constrain", constrain},
    {"ordered_jacobian", constrain},
    {"ordered_unconstrain", unconstrain},
    {"positive_ordered_constrain", constrain},
    {"positive_ordered_jacobian", constrain},
    {"positive_ordered_unconstrain", unconstrain},
    {"simplex_constrain", constrain},
    {"simplex_jacobian", constrain},
    {"simplex_unconstrain", unconstrain},
    {"stochastic_column_constrain", constrain},
    {"stochastic_column_jacobian", constrain},
    {"stochastic_column_unconstrain", unconstrain},
    {"stochastic_row_constrain", constrain},
    {"stochastic_row_jacobian", constrain},
    {"stochastic_row_unconstrain", unconstrain},
    {"sum_to_zero_constrain", constrain},
    {"sum_to_zero_jacobian", constrain},
    {"sum_to_zero_unconstrain", unconstrain},
    {"unit_vector_constrain", constrain},
    {"unit_vector_jacobian", constrain},
    {"unit_vector_unconstrain", unconstrain},
    {"upper_bound_constrain", constrain},
    {"upper_bound_jacobian", constrain},
    {"upper_bound_unconstrain", unconstrain},
};
}  // namespace

std::span<const Builtin> builtins_constraints() { return kConstraintsRows; }

}  // namespace credo::lang
