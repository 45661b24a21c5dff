// A K x K covariance matrix y = D R D with lognormal(mu_k, sigma_k) standard deviations D and
// lkj_corr(eta) correlations R [lewandowski2009], by these and not by the elements of y: there is
// no Jacobian, as in the language's definition.
#include "dist/batch.hpp"
#include "dist/formula.hpp"
#include "dist/lkj.hpp"

namespace credo::dist::lkj_cov_row {
namespace {

// With L the factor of y, that of R is L_kk / sd_k on its diagonal.
Terms log_density(const Expr& y, Args args) {
  const Index size = y.shape().rows;
  const Expr &mu = args[0], &sigma = args[1], &eta = args[2];
  const auto column = [&](const Expr& x) { return x.reshaped(graph::vector_shape(x.size())); };
  const Expr log_sd = column(0.5 * log(diagonal(y)));
  const Expr scale = sigma.is_scalar() ? sigma : column(sigma);
  const Expr z = standardised(log_sd, mu.is_scalar() ? mu : column(mu), scale);
  const Expr log_scales =
      sigma.is_scalar() ? static_cast<double>(size) * log(sigma) : sum(log(scale));
  const Expr log_pivots = column(log(diagonal(cholesky(y)))) - log_sd;
  return {static_cast<double>(size) * -kHalfLog2Pi,
          -log_scales,
          -sum(log_sd),
          -0.5 * dot(z, z),
          size < 2 ? Expr(0.0) : lkj_log_normaliser(size, eta),
          2.0 * (eta - 1.0) * sum(log_pivots)};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  if (y.empty()) return;
  const Index size = y.shape().rows;
  check_covariance(y, cholesky(y), function, checks);
  for (std::size_t k = 0; k < 2; ++k) {
    if (args[k].is_scalar() && size != 1 && args[k].size() == 1) continue;
    checks.less_equal(std::abs(static_cast<double>(args[k].size() - size)), 0.0,
                      {function, "difference of the sizes of its arguments", "0"});
  }
}
}  // namespace

extern const Distribution lkj_cov{.name = "lkj_cov",
                                  .kind = Kind::multivariate,
                                  .only_density = true,
                                  .args = {{"location parameter", Domain::finite},
                                           {"scale parameter", Domain::positive_finite},
                                           {"shape parameter", Domain::positive_finite}},
                                  .outcome = {"covariance matrix", Domain::real},
                                  .reference = "lewandowski2009",
                                  .log_density = log_density,
                                  .check = check};

}  // namespace credo::dist::lkj_cov_row
