#include "dist/multi_student_t.hpp"

#include "dist/samplers.hpp"

namespace credo::dist {
namespace {

// The squared lengths of the columns.
Expr squared_lengths(const Expr& columns) {
  const Index n = columns.shape().rows;
  const Expr ones = graph::fill(graph::row_vector_shape(n), 1.0);
  return matmul(ones, square(columns)).reshaped(graph::vector_shape(columns.shape().cols));
}
}  // namespace

Terms multi_student_t_terms(const Expr& y, const Expr& nu, const Expr& mu, const Expr& factor) {
  const Expr residuals = differences(y, mu);
  const auto count = static_cast<double>(residuals.shape().cols),
             length = static_cast<double>(factor.shape().rows);
  const Expr lengths = squared_lengths(solve_lower(factor, residuals));
  return {-kHalfLog2Pi * count * length, count * lgamma_excess(0.5 * nu, 0.5 * length),
          -(count * sum(log(diagonal(factor)))), -0.5 * (nu + length) * sum(log1p(lengths / nu))};
}

std::vector<double> draw_multi_student_t(Rng& rng, double nu, const Expr& mu, const Expr& factor) {
  const double stretch = numerics::sqrt(0.5 * nu / draw_gamma(rng, 0.5 * nu));
  const Expr stretched = factor * stretch;
  return draw_with_factor(rng, mu.values(), stretched.values());
}

}  // namespace credo::dist
