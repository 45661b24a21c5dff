// Inverse Wishart: W whose inverse is Wishart with nu degrees of freedom and scale matrix S^-1,
//   log p = nu/2 log|S| - (nu + K + 1)/2 log|W| - tr(S W^-1)/2 - nu K/2 log 2 - log Gamma_K(nu/2).
#include "dist/wishart.hpp"

namespace credo::dist::inv_wishart_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return inv_wishart_terms(cholesky(y), args[0], cholesky(args[1]));
}
std::vector<double> draw_all(Rng& rng, Args args) {
  const Expr root = draw_inv_wishart_root(rng, args[0].value(), cholesky(args[1]));
  return numbers(matmul(root, root, false, true));
}
}  // namespace

extern const Distribution inv_wishart{
    .name = "inv_wishart",
    .kind = Kind::multivariate,
    .args = {{"degrees of freedom parameter", Domain::positive_finite},
             {"scale matrix", Domain::real}},
    .outcome = {"random variable", Domain::real},
    .reference = "kollo2005, ch. 2",
    .log_density = log_density,
    .check = check_wishart_matrices,
    .draw_all = draw_all,
    .drawn = Drawn::square_matrix,
    .moments = inv_wishart_moments};

}  // namespace credo::dist::inv_wishart_row
