// Wishart: a K x K covariance matrix W with nu degrees of freedom and scale matrix S,
//   log p = (nu - K - 1)/2 log|W| - tr(S^-1 W)/2 - nu/2 log|S| - nu K/2 log 2 - log Gamma_K(nu/2).
#include "dist/wishart.hpp"

namespace credo::dist::wishart_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return wishart_terms(cholesky(y), args[0], cholesky(args[1]));
}
std::vector<double> draw_all(Rng& rng, Args args) {
  const Expr factor = draw_wishart_factor(rng, args[0].value(), cholesky(args[1]));
  return numbers(matmul(factor, factor, false, true));
}
}  // namespace

extern const Distribution wishart{
    .name = "wishart",
    .kind = Kind::multivariate,
    .args = {{"degrees of freedom parameter", Domain::positive_finite},
             {"scale matrix", Domain::real}},
    .outcome = {"random variable", Domain::real},
    .reference = "kollo2005, ch. 2",
    .log_density = log_density,
    .check = check_wishart_matrices,
    .draw_all = draw_all,
    .drawn = Drawn::square_matrix,
    .moments = wishart_moments};

}  // namespace credo::dist::wishart_row
