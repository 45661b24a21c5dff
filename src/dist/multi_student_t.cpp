// Multivariate Student t with nu degrees of freedom, location mu and scale matrix Sigma = L L':
//   log p = lgamma_excess(nu/2, n/2) - n/2 log(2 pi) - sum log L_ii - (nu + n)/2 log1p(|L^-1 (y -
//   mu)|^2 / nu).
#include "dist/multi_student_t.hpp"

#include "graph/core/special.hpp"

namespace credo::dist::multi_student_t_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return multi_student_t_terms(y, args[0], args[1], cholesky(args[2]));
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_sizes(y, args[1], args[2], function, checks);
  if (args[2].shape().rows != args[2].shape().cols) return;
  check_covariance(args[2], cholesky(args[2]), function, checks);
}
std::vector<double> draw_all(Rng& rng, Args args) {
  return draw_multi_student_t(rng, args[0].value(), args[1], cholesky(args[2]));
}
Moments moments(Args args) {
  return multi_student_t_moments(args[0].value(), args[1], cholesky(args[2]));
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
    .draw_all = draw_all,
    .moments = moments};

}  // namespace credo::dist::multi_student_t_row
