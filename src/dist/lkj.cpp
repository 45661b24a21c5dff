// Draws by the onion method [lewandowski2009, sec. 3.2]: row k+1 of the factor is a uniform
// direction of length sqrt(B), B ~ Beta(k/2, eta + (K-1-k)/2).
#include "dist/lkj.hpp"

#include "dist/samplers.hpp"

namespace credo::dist {

Expr lkj_log_normaliser(Index size, const Expr& eta) {
  const auto last = static_cast<double>(size - 1);
  Expr total = last * lgamma(eta + 0.5 * last);
  for (Index k = 1; k < size; ++k) {
    const auto order = static_cast<double>(k);
    total = total - (0.5 * order * kLogPi + lgamma(eta + 0.5 * (last - order)));
  }
  return total;
}

std::vector<double> draw_lkj_factor(Rng& rng, Args args) {
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
    const double log_a =
        row == 0 ? -kInfinity : draw_log_gamma(rng, 0.5 * static_cast<double>(row));
    const double log_b = row == 0 ? 0.0 : draw_log_gamma(rng, eta + 0.5 * rest);
    const double radius =
        row == 0 ? 0.0 : numerics::sqrt(numerics::inv_logit(log_a - log_b) / norm);
    for (std::size_t j = 0; j < row; ++j) factor[row + j * size] = radius * direction[j];
    factor[row + row * size] = numerics::sqrt(numerics::inv_logit(log_b - log_a));
  }
  return factor;
}

}  // namespace credo::dist
