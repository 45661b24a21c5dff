// The Cholesky factor L of a K x K correlation matrix with density proportional to det^(eta - 1)
// [lewandowski2009]:
//   log p = sum_{k=2..K} (K - k + 2 eta - 2) log L_kk + c(K, eta),
//   c = (K-1) lgamma(eta + (K-1)/2) - sum_{k=1..K-1} (k/2 log pi + lgamma(eta + (K-1-k)/2)).
#include "dist/batch.hpp"
#include "dist/formula.hpp"
#include "dist/lkj.hpp"

namespace credo::dist::lkj_corr_cholesky_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Index size = y.shape().rows;
  if (size < 2) return {};
  const Expr& eta = args[0];
  std::vector<double> powers;
  for (Index k = 2; k <= size; ++k) powers.push_back(static_cast<double>(size - k) - 2.0);
  const Expr exponents = graph::constant(graph::vector_shape(size - 1), powers) + 2.0 * eta;
  const Expr logs = log(part(diagonal(y), 1, size - 1));
  return {lkj_log_normaliser(size, eta), sum(exponents * logs)};
}
void check(const Expr& y, Args, std::string_view function, Checks& checks) {
  if (y.empty()) return;
  checks.greater(diagonal(y), 0.0,
                 {function, "Cholesky factor", "a factor with a positive diagonal"});
}

}  // namespace

extern const Distribution lkj_corr_cholesky{.name = "lkj_corr_cholesky",
                                            .kind = Kind::multivariate,
                                            .args = {{"shape parameter", Domain::positive_finite}},
                                            .outcome = {"Cholesky factor", Domain::real},
                                            .reference = "lewandowski2009",
                                            .log_density = log_density,
                                            .check = check,
                                            .draw_all = draw_lkj_factor,
                                            .drawn = Drawn::square_matrix,
                                            .moments = lkj_factor_moments};

}  // namespace credo::dist::lkj_corr_cholesky_row
