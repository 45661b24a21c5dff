// Shared parts of the two forms of the LKJ distribution [lewandowski2009].
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

// c = (K-1) lgamma(eta + (K-1)/2) - sum_{k=1..K-1} (k/2 log pi + lgamma(eta + (K-1-k)/2))
Expr lkj_log_normaliser(Index size, const Expr& eta);

// A Cholesky factor, column by column; arguments K and eta.
std::vector<double> draw_lkj_factor(Rng& rng, Args args);
// Arguments K and eta.
Moments lkj_moments(Args args);
Moments lkj_factor_moments(Args args);

}  // namespace credo::dist
