// Multivariate normal by its precision matrix Q = L L': log p = -n/2 log(2 pi) + sum log L_ii -
// |L'(y - mu)|^2 / 2.
#include "dist/batch.hpp"
#include "dist/formula.hpp"
#include "dist/matrix_moments.hpp"

namespace credo::dist::multi_normal_prec_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr factor = cholesky(args[1]), residuals = differences(y, args[0]);
  const auto count = static_cast<double>(residuals.shape().cols),
             length = static_cast<double>(factor.shape().rows);
  return {-kHalfLog2Pi * count * length, count * sum(log(diagonal(factor))),
          -0.5 * sum(square(matmul(factor, residuals, true)))};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_sizes(y, args[0], args[1], function, checks);
  if (args[1].shape().rows != args[1].shape().cols) return;
  check_covariance(args[1], cholesky(args[1]), function, checks);
}
// A root of the covariance: L^-T.
Expr root(Args args) {
  const Index n = args[1].shape().rows;
  return transpose(solve_lower(cholesky(args[1]), identity(n)));
}
std::vector<double> draw_all(Rng& rng, Args args) {
  return draw_with_root(rng, args[0], root(args));
}
Moments moments(Args args) {
  return elliptical_moments(args[0], root(args), 1.0, entropy_of_normals(args[0].size()));
}
}  // namespace

extern const Distribution multi_normal_prec{
    .name = "multi_normal_prec",
    .kind = Kind::multivariate,
    .args = {{"location parameter"}, {"precision matrix", Domain::real}},
    .reference = "kotz2000, ch. 45",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .moments = moments};

}  // namespace credo::dist::multi_normal_prec_row
