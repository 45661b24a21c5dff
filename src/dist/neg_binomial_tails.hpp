// The tails of the negative binomial distribution by its mean and concentration:
// P(Y <= y) = I_{phi/(phi + mu)}(phi, y + 1).
//
// When phi grows, that tends to the Poisson distribution, and the derivatives by the shape phi and by
// the odds mu/phi cancel. There Y is taken as Poisson with rate mu G, G gamma(phi, phi), and the
// tail expanded in the cumulants of G about 1: with p the Poisson mass of y, Q its cdf,
//   P(Y <= y) = Q - mu p (C1/(2 phi) + (C2/3 + C3/8)/phi^2 + ...),   mu^j p^(j) = C_j p.
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

struct NegBinomialPoint {
  const Expr &y, &mu, &log_mu, &phi;
};
Expr neg_binomial_log_cdf(const NegBinomialPoint& at);
Expr neg_binomial_log_ccdf(const NegBinomialPoint& at);

}  // namespace credo::dist
