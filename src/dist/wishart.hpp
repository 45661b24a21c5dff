// Shared parts of the four forms of the Wishart distribution [kollo2005, ch. 2].
#pragma once
#include "dist/batch.hpp"

namespace credo::dist {

// Log densities of W = L_W L_W' with nu degrees of freedom and scale matrix S = L_S L_S', by the
// lower factors, K x K; and of its inverse's distribution.
Terms wishart_terms(const Expr& factor, const Expr& nu, const Expr& scale_factor);
Terms inv_wishart_terms(const Expr& factor, const Expr& nu, const Expr& scale_factor);
// Terms of the factor's density beyond that of the matrix: log 2^K prod L_kk^(K - k + 1).
Terms factor_jacobian(const Expr& factor);

// Sizes, more than K - 1 degrees of freedom; matrices by check_covariance.
void check_wishart(const Expr& y, Args args, std::string_view function, Checks& checks);
void check_wishart_matrices(const Expr& y, Args args, std::string_view function, Checks& checks);

// Factors of a draw, from the numbers nu and L_S: lower triangular, and one F with F F' the draw.
Expr draw_wishart_factor(Rng& rng, double nu, const Expr& scale_factor);
Expr draw_inv_wishart_root(Rng& rng, double nu, const Expr& scale_factor);
// Arguments: nu, and S or its factor.
Moments wishart_moments(Args args);
Moments inv_wishart_moments(Args args);
Moments wishart_cholesky_moments(Args args);
Moments inv_wishart_cholesky_moments(Args args);
inline std::vector<double> numbers(const Expr& constant) {
  const auto values = constant.values();
  return {values.begin(), values.end()};
}

}  // namespace credo::dist
