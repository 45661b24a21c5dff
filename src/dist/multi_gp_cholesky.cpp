// multi_gp by the lower Cholesky factor of the kernel matrix.
#include "dist/gaussian_process.hpp"

namespace credo::dist::multi_gp_cholesky_row {
namespace {

Terms log_density(const Expr& y, Args args) { return gaussian_process_terms(y, args[0], args[1]); }
std::vector<double> draw_all(Rng& rng, Args args) {
  return draw_gaussian_process(rng, lower_triangle(args[0]), args[1]);
}
Moments moments(Args args) { return gaussian_process_moments(lower_triangle(args[0]), args[1]); }
}  // namespace

extern const Distribution multi_gp_cholesky{
    .name = "multi_gp_cholesky",
    .kind = Kind::multivariate,
    .args = {{"Cholesky factor of the kernel matrix", Domain::real},
             {"inverse scale vector", Domain::positive_finite}},
    .reference = "rasmussen2006, ch. 2",
    .log_density = log_density,
    .check = check_gaussian_process,
    .draw_all = draw_all,
    .moments = moments};

}  // namespace credo::dist::multi_gp_cholesky_row
