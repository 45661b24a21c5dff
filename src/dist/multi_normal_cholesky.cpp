// Multivariate normal by the lower Cholesky factor L of its covariance:
//   log p = -n/2 log(2 pi) - sum log L_ii - |L^-1 (y - mu)|^2 / 2, for each outcome.
#include "dist/batch.hpp"
#include "dist/formula.hpp"
#include "dist/matrix_moments.hpp"

namespace credo::dist::multi_normal_cholesky_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr& factor = args[1];
  const Expr residuals = differences(y, args[0]);
  const auto count = static_cast<double>(residuals.shape().cols),
             length = static_cast<double>(factor.shape().rows);
  return {-kHalfLog2Pi * count * length, -(count * sum(log(diagonal(factor)))),
          -0.5 * sum(square(solve_lower(factor, residuals)))};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_sizes(y, args[0], args[1], function, checks);
}
std::vector<double> draw_all(Rng& rng, Args args) {
  return draw_with_factor(rng, args[0].values(), args[1].values());
}
Moments moments(Args args) {
  return elliptical_moments(args[0], lower_triangle(args[1]), 1.0,
                            entropy_of_normals(args[0].size()));
}
}  // namespace

extern const Distribution multi_normal_cholesky{
    .name = "multi_normal_cholesky",
    .kind = Kind::multivariate,
    .args = {{"location parameter"}, {"Cholesky factor", Domain::real}},
    .reference = "kotz2000, ch. 45",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .moments = moments};

}  // namespace credo::dist::multi_normal_cholesky_row
