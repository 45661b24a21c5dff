// Linear quantile regression: the coefficients b that minimise Σ_i pinball_γ(y_i - x_i b) [koenker1978].
#pragma once
#include "base/types.hpp"

namespace credo::score {

struct QuantileFit {
  std::vector<double> coefficients;
  double loss = kNaN;  // the least sum
  double gap = kNaN;   // no coefficients have a loss lower by more than this
  Index num_iterations = 0;
};

// `design`: N × P, row after row, of rank P <= N; outcomes: N; 0 < level < 1. A primal-dual interior point method
// with Mehrotra's corrector [portnoy1997]; then the vertex next to it, which is exact, where its loss is no higher. O(N P²) an
// iteration, some 20 of them. Throws Error(data) where the columns depend on each other.
QuantileFit fit_quantile_regression(std::span<const double> design,
                                    std::span<const double> outcomes, double level);

}  // namespace credo::score
