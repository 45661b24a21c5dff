// Multivariate Student t by the lower Cholesky factor of its scale matrix.
#include "dist/multi_student_t.hpp"

namespace credo::dist::multi_student_t_cholesky_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return multi_student_t_terms(y, args[0], args[1], args[2]);
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_sizes(y, args[1], args[2], function, checks);
}
std::vector<double> draw_all(Rng& rng, Args args) {
  return draw_multi_student_t(rng, args[0].value(), args[1], args[2]);
}
Moments moments(Args args) {
  return multi_student_t_moments(args[0].value(), args[1], lower_triangle(args[2]));
}
}  // namespace

extern const Distribution multi_student_t_cholesky{
    .name = "multi_student_t_cholesky",
    .kind = Kind::multivariate,
    .args = {{"degrees of freedom parameter", Domain::positive_finite},
             {"location parameter"},
             {"Cholesky factor of the scale matrix", Domain::real}},
    .reference = "kotz2004",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .moments = moments};

}  // namespace credo::dist::multi_student_t_cholesky_row
