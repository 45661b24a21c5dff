// A K x K correlation matrix y with density proportional to det(y)^(eta - 1) [lewandowski2009]:
//   log p = 2 (eta - 1) sum log L_kk + c(K, eta), y = L L'.
#include "dist/batch.hpp"
#include "dist/formula.hpp"
#include "dist/lkj.hpp"

namespace credo::dist::lkj_corr_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr& eta = args[0];
  if (y.shape().rows < 2) return {};
  return {lkj_log_normaliser(y.shape().rows, eta),
          2.0 * (eta - 1.0) * sum(log(diagonal(cholesky(y))))};
}
void check(const Expr& y, Args, std::string_view function, Checks& checks) {
  if (y.empty()) return;
  constexpr double kTolerance = 1e-8;
  const auto rule = [&](std::string_view words) {
    return graph::Requirement{function, "correlation matrix", words};
  };
  checks.less_equal(abs(y - transpose(y)), kTolerance, rule("symmetric"));
  checks.less_equal(abs(diagonal(y) - 1.0), kTolerance, rule("a matrix with ones on its diagonal"));
  checks.greater(diagonal(cholesky(y)), 0.0, rule("positive definite"));
}
std::vector<double> draw_all(Rng& rng, Args args) {
  const std::vector<double> factor = draw_lkj_factor(rng, args);
  const auto size = static_cast<std::int32_t>(args[0].value());
  const Expr l = graph::constant({1, size, size}, factor), product = matmul(l, l, false, true);
  const auto values = product.values();
  return {values.begin(), values.end()};
}
}  // namespace

extern const Distribution lkj_corr{.name = "lkj_corr",
                                   .kind = Kind::multivariate,
                                   .args = {{"shape parameter", Domain::positive_finite}},
                                   .outcome = {"correlation matrix", Domain::real},
                                   .reference = "lewandowski2009",
                                   .log_density = log_density,
                                   .check = check,
                                   .draw_all = draw_all,
                                   .drawn = Drawn::square_matrix,
                                   .moments = lkj_moments};

}  // namespace credo::dist::lkj_corr_row
