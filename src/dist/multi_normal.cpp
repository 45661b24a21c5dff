// Multivariate normal by its covariance: multi_normal_cholesky with the factor of Sigma.
#include "dist/batch.hpp"
#include "dist/formula.hpp"
#include "dist/matrix_moments.hpp"

namespace credo::dist::multi_normal_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr factor = cholesky(args[1]), residuals = differences(y, args[0]);
  const auto count = static_cast<double>(residuals.shape().cols),
             length = static_cast<double>(factor.shape().rows);
  return {-kHalfLog2Pi * count * length, -(count * sum(log(diagonal(factor)))),
          -0.5 * sum(square(solve_lower(factor, residuals)))};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_sizes(y, args[0], args[1], function, checks);
  if (args[1].shape().rows != args[1].shape().cols) return;
  check_covariance(args[1], cholesky(args[1]), function, checks);
}
std::vector<double> draw_all(Rng& rng, Args args) {
  const Expr factor = cholesky(args[1]);
  return draw_with_factor(rng, args[0].values(), factor.values());
}
Moments moments(Args args) {
  return elliptical_moments(args[0], cholesky(args[1]), 1.0, entropy_of_normals(args[0].size()));
}
}  // namespace

extern const Distribution multi_normal{
    .name = "multi_normal",
    .kind = Kind::multivariate,
    .args = {{"location parameter"}, {"covariance matrix", Domain::real}},
    .reference = "kotz2000, ch. 45",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .moments = moments};

}  // namespace credo::dist::multi_normal_row
