// Coupling: two chains that move independently until they meet and together from then on. While
// they are apart, their distributions may differ; once they meet they have the same distribution, so
//
//   sum over y of |P(X_t = y) - P(Y_t = y)| <= 2 P(H > t),   H the time of meeting,
//
// so the total variation is at most P(H > t). With Y stationary from the start this bounds
// the distance of X from stationarity.
#pragma once
#include "infer/finite/chain_distributions.hpp"

namespace credo::infer::finite {

// P(H > t) for t = 0, ..., max_time, exactly, for X_0 and Y_0 independent with these distributions.
// O(n^3) a step.
std::vector<double> meeting_tail(const FiniteChain& chain, std::span<const double> first,
                                 std::span<const double> second, Index max_time);

// H of one simulated pair; nothing if it is above max_time.
struct Pair {
  Index first = 0, second = 0;
};
std::optional<Index> meeting_time(const FiniteChain& chain, Pair at, Chooser& chooser,
                                  Index max_time);

}  // namespace credo::infer::finite
