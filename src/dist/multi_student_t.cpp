// Multivariate Student t with nu degrees of freedom, location mu and scale matrix Sigma = L L':
//   log p = lgamma_excess(nu/2, n/2) - n/2 log(2 pi) - sum log L_ii - (nu + n)/2 log1p(|L^-1 (y -
//   mu)|^2 / nu).
#include "dist/batch.hpp"
#include "dist/formula.hpp"
#include "dist/samplers.hpp"

namespace credo::dist {
namespace {

// The squared lengths of the columns.
Expr squared_lengths(const Expr& columns) {
  const Index n = columns.shape().rows;
  const Expr ones = graph::fill(graph::row_vector_shape(n), 1.0);
  return matmul(ones, square(columns)).reshaped(graph::vector_shape(columns.shape().cols));
}

Terms log_density(const Expr& y, Args args) {
  const Expr& nu = args[0];
  const Expr factor = cholesky(args[2]), residuals = differences(y, args[1]);
  const auto count = static_cast<double>(residuals.shape().cols),
             length = static_cast<double>(factor.shape().rows);
  const Expr lengths = squared_lengths(solve_lower(factor, residuals));
  return {-kHalfLog2Pi * count * length, count * lgamma_excess(0.5 * nu, 0.5 * length),
          -(count * sum(log(diagonal(factor)))), -0.5 * (nu + length) * sum(log1p(lengths / nu))};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_sizes(y, args[1], args[2], function, checks);
  if (args[2].shape().rows != args[2].shape().cols) return;
  check_covariance(args[2], cholesky(args[2]), function, checks);
}
std::vector<double> draw_all(Rng& rng, Args args) {
  const double nu = args[0].value();
  const double stretch = numerics::sqrt(0.5 * nu / draw_gamma(rng, 0.5 * nu));
  const Expr factor = cholesky(args[2]) * stretch;
  return draw_with_factor(rng, args[1].values(), factor.values());
}
}  // namespace

extern const Distribution multi_student_t{
    .name = "multi_student_t",
    .kind = Kind::multivariate,
    .args = {{"degrees of freedom parameter", Domain::positive_finite},
             {"location parameter"},
             {"scale matrix", Domain::real}},
    .reference = "kotz2004",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all};

}  // namespace credo::dist
