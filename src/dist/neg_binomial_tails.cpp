#include "dist/neg_binomial_tails.hpp"

#include "graph/core/special.hpp"

namespace credo::dist {
namespace {

// True if the expansion's next term is below 1e-12 of its first: (mu + (y - mu)^2)/phi < 1e-4.
Expr is_near_poisson(const NegBinomialPoint& at) {
  return less(1e4 * (1.0 + at.mu + square(at.y - at.mu)), at.phi);
}

// The expansion's terms over p; 0 where it isn't used.
Expr correction(const NegBinomialPoint& at, const Expr& near) {
  const Expr mu = select(near, at.mu, 1.0), &y = at.y;
  const Expr inverse = select(near, 1.0 / at.phi, 0.0);
  const Expr c1 = y - mu, c2 = square(c1) - y, c3 = c1 * (c2 - 2.0 * y) + 2.0 * y;
  return mu * inverse * (0.5 * c1 + inverse * (c2 / 3.0 + c3 / 8.0));
}

// log(exp(tail) + sign p correction), the tail and p of the Poisson distribution.
Expr corrected(const NegBinomialPoint& at, const Expr& near, const Expr& log_tail, double sign) {
  const Expr mu = select(near, at.mu, 1.0), log_mu = select(near, at.log_mu, 0.0);
  const Expr log_mass = at.y * log_mu - mu - lgamma(at.y + 1.0);
  return log_tail + log1p(sign * exp(log_mass - log_tail) * correction(at, near));
}
}  // namespace

Expr neg_binomial_log_cdf(const NegBinomialPoint& at) {
  const Expr near = is_near_poisson(at), shape = select(near, 1.0, at.phi);
  const Expr mu = select(near, at.mu, 1.0);
  return select(near, corrected(at, near, log_gamma_q(at.y + 1.0, mu), -1.0),
                log_inc_beta(shape, at.y + 1.0, log(shape) - at.log_mu));
}

Expr neg_binomial_log_ccdf(const NegBinomialPoint& at) {
  const Expr near = is_near_poisson(at), shape = select(near, 1.0, at.phi);
  const Expr mu = select(near, at.mu, 1.0);
  return select(near, corrected(at, near, log_gamma_p(at.y + 1.0, mu), 1.0),
                log_inc_beta(at.y + 1.0, shape, at.log_mu - log(shape)));
}

}  // namespace credo::dist
