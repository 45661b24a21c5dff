// The Cholesky factor L of a K x K correlation matrix with density proportional to det^(eta - 1) [lewandowski2009]:
//   log p = sum_{k=2..K} (K - k + 2 eta - 2) log L_kk + c(K, eta),
//   c = (K-1) lgamma(eta + (K-1)/2) - sum_{k=1..K-1} (k/2 log pi + lgamma(eta + (K-1-k)/2)).
// Draws by the onion method [lewandowski2009, sec. 3.2]: row k+1 is a uniform direction of length sqrt(B),
// B ~ Beta(k/2, eta + (K-1-k)/2).
#include "dist/batch.hpp"
#include "dist/formula.hpp"
#include "dist/samplers.hpp"

namespace credo::dist {
namespace {

Expr log_normaliser(Index size, const Expr& eta) {
  const auto last = static_cast<double>(size - 1);
  Expr total = last * lgamma(eta + 0.5 * last);
  for (Index k = 1; k < size; ++k) {
    const auto order = static_cast<double>(k);
    total = total - (0.5 * order * kLogPi + lgamma(eta + 0.5 * (last - order)));
  }
  return total;
}

Terms log_density(const Expr& y, Args args) {
  const Index size = y.shape().rows;
  if (size < 2) return {};
  const Expr& eta = args[0];
  std::vector<double> powers;
  for (Index k = 2; k <= size; ++k) powers.push_back(static_cast<double>(size - k) - 2.0);
  const Expr exponents = graph::constant(graph::vector_shape(size - 1), powers) + 2.0 * eta;
  const Expr logs = log(part(diagonal(y), 1, size - 1));
  return {log_normaliser(size, eta), sum(exponents * logs)};
}
void check(const Expr& y, Args, std::string_view function, Checks& checks) {
  if (y.empty()) return;
  checks.greater(diagonal(y), 0.0, {function, "Cholesky factor", "a factor with a positive diagonal"});
}

std::vector<double> draw_all(Rng& rng, Args args) {
  const auto size = static_cast<std::size_t>(args[0].value());
  const double eta = args[1].value();
  std::vector<double> factor(size * size, 0.0), direction(size);
  for (std::size_t row = 0; row < size; ++row) {
    double norm = 0.0;
    for (std::size_t j = 0; j < row; ++j) {
      direction[j] = rng.normal();
      norm += direction[j] * direction[j];
    }
    const double rest = static_cast<double>(size - 1 - row);
    const double log_a = row == 0 ? -kInfinity : draw_log_gamma(rng, 0.5 * static_cast<double>(row));
    const double log_b = row == 0 ? 0.0 : draw_log_gamma(rng, eta + 0.5 * rest);
    const double radius = row == 0 ? 0.0 : numerics::sqrt(numerics::inv_logit(log_a - log_b) / norm);
    for (std::size_t j = 0; j < row; ++j) factor[row + j * size] = radius * direction[j];
    factor[row + row * size] = numerics::sqrt(numerics::inv_logit(log_b - log_a));
  }
  return factor;
}
}  // namespace

extern const Distribution lkj_corr_cholesky{
    .name = "lkj_corr_cholesky",
    .kind = Kind::multivariate,
    .args = {{"shape parameter", Domain::positive_finite}},
    .outcome = {"Cholesky factor", Domain::real},
    .reference = "lewandowski2009",
    .log_density = log_density, .check = check, .draw_all = draw_all};

}  // namespace credo::dist
