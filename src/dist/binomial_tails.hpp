// The tails of the binomial distribution by its size and log odds:
// P(Y <= y) = I_{1-theta}(N - y, y + 1) for y < N, else 1.
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

Expr binomial_log_cdf(const Expr& y, const Expr& size, const Expr& log_odds);
Expr binomial_log_ccdf(const Expr& y, const Expr& size, const Expr& log_odds);

}  // namespace credo::dist
