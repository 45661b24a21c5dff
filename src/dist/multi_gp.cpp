// Gaussian processes of K outputs that share one N x N kernel matrix Sigma = L L': row i of y is
// normal(0, Sigma/w_i). log p = -KN/2 log(2 pi) - K sum log L_jj + N/2 sum log w - sum_i w_i |L^-1
// y_i'|^2/2.
#include "dist/gaussian_process.hpp"

namespace credo::dist::multi_gp_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return gaussian_process_terms(y, cholesky(args[0]), args[1]);
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_gaussian_process(y, args, function, checks);
  if (args[0].shape().rows != args[0].shape().cols) return;
  check_covariance(args[0], cholesky(args[0]), function, checks);
}
std::vector<double> draw_all(Rng& rng, Args args) {
  return draw_gaussian_process(rng, cholesky(args[0]), args[1]);
}
Moments moments(Args args) { return gaussian_process_moments(cholesky(args[0]), args[1]); }
}  // namespace

extern const Distribution multi_gp{
    .name = "multi_gp",
    .kind = Kind::multivariate,
    .args = {{"kernel matrix", Domain::real}, {"inverse scale vector", Domain::positive_finite}},
    .reference = "rasmussen2006, ch. 2",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .moments = moments};

}  // namespace credo::dist::multi_gp_row
