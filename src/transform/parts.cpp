#include "transform/parts.hpp"

#include <fmt/format.h>

namespace credo::transform {
namespace {

// Takes requirements on constants and keeps the first that is broken.
class FirstBroken final : public Checks {
 public:
  std::optional<Broken> text;

 private:
  std::int32_t number(const graph::Requirement&) override { return 1; }
  void failed(const graph::Requirement& r, double value) override {
    if (!text) text = fmt::format("{} is {}, but must be {}", r.argument, value, r.rule);
  }
};

// 1, 0 or, where it isn't the same known value everywhere, nothing.
std::optional<bool> known(const Expr& mask) {
  if (!mask.is_constant() || mask.size() == 0) return std::nullopt;
  const auto values = mask.values();
  const bool first = values[0] != 0.0;
  for (const double value : values) {
    if ((value != 0.0) != first) return std::nullopt;
  }
  return first;
}

bool is_zero(const Expr& x) { return x.is_constant() && x.is_scalar() && x.value() == 0.0; }
}  // namespace

std::vector<std::int32_t> positions(Index first, Index count, Index step) {
  std::vector<std::int32_t> index(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    index[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(first + i * step);
  }
  return index;
}

Expr slice(const Expr& x, Index begin, Index count, Index stride) {
  return graph::gather(graph::vector_shape(count), x, positions(begin, count, stride));
}

Expr choose(const Expr& mask, const Expr& x, const Expr& y) {
  const std::optional<bool> fixed = known(mask);
  if (fixed) return *fixed ? x : y;
  return graph::select(mask, x, y);
}

Expr total(const Expr& x, Index size) {
  if (!x.is_scalar()) return graph::sum(x);
  if (size == 1 || is_zero(x)) return x;
  return static_cast<double>(size) * x;
}

Expr sum_of(std::span<const Expr> terms) {
  Expr result = 0.0;
  for (const Expr& term : terms) {
    if (is_zero(term)) continue;
    result = is_zero(result) ? term : result + term;
  }
  return result;
}

void check_near(const Expr& x, double target, const graph::Requirement& requirement,
                Checks& checks) {
  checks.greater_equal(x, target - kTolerance, requirement);
  checks.less_equal(x, target + kTolerance, requirement);
}

void check_lower_triangular(const Expr& matrix, std::string_view variable, Checks& checks) {
  const Index rows = matrix.shape().rows, cols = matrix.shape().cols;
  std::vector<std::int32_t> index;
  for (Index j = 1; j < cols; ++j) {
    for (Index i = 0; i < std::min(j, rows); ++i) {
      index.push_back(static_cast<std::int32_t>(i + j * rows));
    }
  }
  const Shape shape = graph::vector_shape(ssize(index));
  const Expr upper = graph::gather(shape, matrix, std::move(index));
  const graph::Requirement zero{variable, "element above the diagonal", "0"};
  checks.greater_equal(upper, 0.0, zero);
  checks.less_equal(upper, 0.0, zero);
}

void check_symmetric(const Expr& matrix, std::string_view variable, Checks& checks) {
  check_near(matrix - graph::transpose(matrix), 0.0,
             {variable, "difference of two opposite elements", "0 (symmetric within 1e-8)"},
             checks);
}

void check_positive_definite(const Expr& matrix, std::string_view variable, Checks& checks) {
  checks.greater(diagonal(graph::cholesky(matrix)), 0.0,
                 {variable, "a pivot of the factorisation", "positive (positive definite)"});
}

Expr diagonal(const Expr& matrix) {
  const Index rows = matrix.shape().rows, cols = matrix.shape().cols;
  return slice(matrix, 0, cols, rows + 1);
}

std::optional<Broken> first_broken(const Transform& transform, std::span<const double> value,
                                   const Shape& unit, const Bounds& limits) {
  FirstBroken checks;
  transform.check(graph::constant(unit, value), unit, limits, transform.name, checks);
  return checks.text;
}

std::vector<double> plain_cholesky(std::span<const double> matrix, Index n) {
  const Expr factor = graph::cholesky(graph::constant(graph::matrix_shape(n, n), matrix));
  const auto values = factor.values();
  return {values.begin(), values.end()};
}

}  // namespace credo::transform
