#include "dist/multi_student_t.hpp"
#include "graph/core/special.hpp"

#include "dist/matrix_moments.hpp"
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

// The expectation of log1p(|L^-1 (y - mu)|^2 / nu) is a difference of digammas.
Moments multi_student_t_moments(double nu, const Expr& mu, const Expr& factor) {
  const double half = 0.5 * nu, half_length = 0.5 * static_cast<double>(mu.size());
  const double entropy = 2.0 * kHalfLog2Pi * half_length -
                         numerics::lgamma_excess(half, half_length) +
                         (half + half_length) * numerics::digamma_delta(half, half_length);
  Moments m = elliptical_moments(mu, factor, nu > 2.0 ? nu / (nu - 2.0) : kNaN, entropy);
  if (nu <= 1.0) m.mean.assign(m.mean.size(), kNaN);
  return m;
}

}  // namespace credo::dist
