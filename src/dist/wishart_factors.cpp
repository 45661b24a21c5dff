#include "dist/samplers.hpp"
#include "dist/wishart.hpp"

namespace credo::dist {
namespace {

double order(const Expr& square) { return static_cast<double>(square.shape().rows); }
Expr log_diagonal(const Expr& factor) { return log(diagonal(factor)); }

// log of the multivariate gamma function of K and nu/2, and the power of 2.
Expr log_normaliser(double size, const Expr& nu) {
  Expr total = 0.5 * kLog2 * size * nu + 0.25 * kLogPi * size * (size - 1.0);
  for (double k = 0.0; k < size; k += 1.0) total = total + lgamma(0.5 * (nu - k));
  return total;
}

// A lower triangular B with B B' Wishart of the identity [bartlett1933].
Expr draw_bartlett(Rng& rng, double nu, Index size) {
  std::vector<double> factor(static_cast<std::size_t>(size * size), 0.0);
  for (Index j = 0; j < size; ++j) {
    factor[static_cast<std::size_t>(j + j * size)] =
        numerics::sqrt(2.0 * draw_gamma(rng, 0.5 * (nu - static_cast<double>(j))));
    for (Index i = j + 1; i < size; ++i)
      factor[static_cast<std::size_t>(i + j * size)] = rng.normal();
  }
  return graph::constant(graph::matrix_shape(size, size), factor);
}
}  // namespace

Terms wishart_terms(const Expr& factor, const Expr& nu, const Expr& scale_factor) {
  const double size = order(factor);
  return {-log_normaliser(size, nu), -(nu * sum(log_diagonal(scale_factor))),
          (nu - size - 1.0) * sum(log_diagonal(factor)),
          -0.5 * sum(square(solve_lower(scale_factor, lower_triangle(factor))))};
}

Terms inv_wishart_terms(const Expr& factor, const Expr& nu, const Expr& scale_factor) {
  const double size = order(factor);
  return {-log_normaliser(size, nu), nu * sum(log_diagonal(scale_factor)),
          -((nu + size + 1.0) * sum(log_diagonal(factor))),
          -0.5 * sum(square(solve_lower(factor, lower_triangle(scale_factor))))};
}

Terms factor_jacobian(const Expr& factor) {
  const Index size = factor.shape().rows;
  std::vector<double> powers(static_cast<std::size_t>(size));
  for (std::size_t k = 0; k < powers.size(); ++k)
    powers[k] = static_cast<double>(powers.size() - k);
  return {kLog2 * order(factor),
          dot(graph::constant(graph::vector_shape(size), powers), log_diagonal(factor))};
}

void check_wishart(const Expr& y, Args args, std::string_view function, Checks& checks) {
  const Expr& scale = args[1];
  const double size = order(scale);
  const auto equal_to = [&](double given, std::string_view what) {
    checks.greater_equal(given, size, {function, what, "the number of rows of the scale matrix"});
    checks.less_equal(given, size, {function, what, "the number of rows of the scale matrix"});
  };
  equal_to(scale.shape().cols, "number of columns of the scale matrix");
  checks.greater(args[0], size - 1.0,
                 {function, "degrees of freedom parameter", "greater than the rows less 1"});
  if (y.empty()) return;
  equal_to(y.shape().rows, "number of rows of the random variable");
  equal_to(y.shape().cols, "number of columns of the random variable");
}

void check_wishart_matrices(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_wishart(y, args, function, checks);
  const auto check = [&](const Expr& matrix) {
    if (matrix.empty() || matrix.shape().rows != matrix.shape().cols) return;
    check_covariance(matrix, cholesky(matrix), function, checks);
  };
  check(y);
  check(args[1]);
}

Expr draw_wishart_factor(Rng& rng, double nu, const Expr& scale_factor) {
  return matmul(scale_factor, draw_bartlett(rng, nu, scale_factor.shape().rows));
}

// The inverse of L^-T B B' L^-1 is F F' with F = L B^-T.
Expr draw_inv_wishart_root(Rng& rng, double nu, const Expr& scale_factor) {
  const Expr factor = draw_bartlett(rng, nu, scale_factor.shape().rows);
  return transpose(solve_lower(factor, transpose(scale_factor)));
}

}  // namespace credo::dist
