// The lower Cholesky factor of a Wishart matrix, by that of its scale matrix.
#include "dist/wishart.hpp"

namespace credo::dist::wishart_cholesky_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  Terms terms = wishart_terms(y, args[0], args[1]);
  for (const Expr& term : factor_jacobian(y)) terms.push_back(term);
  return terms;
}
std::vector<double> draw_all(Rng& rng, Args args) {
  return numbers(draw_wishart_factor(rng, args[0].value(), lower_triangle(args[1])));
}
}  // namespace

extern const Distribution wishart_cholesky{
    .name = "wishart_cholesky",
    .kind = Kind::multivariate,
    .args = {{"degrees of freedom parameter", Domain::positive_finite},
             {"scale factor", Domain::real}},
    .outcome = {"random variable", Domain::real},
    .reference = "kollo2005, ch. 2",
    .log_density = log_density,
    .check = check_wishart,
    .draw_all = draw_all,
    .drawn = Drawn::square_matrix,
    .moments = wishart_cholesky_moments};

}  // namespace credo::dist::wishart_cholesky_row
