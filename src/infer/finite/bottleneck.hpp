// Conductance: the narrowest way out of a half of the space.
//
//   phi = min over sets S with 0 < pi(S) <= 1/2 of  sum over x in S, y not in S of pi(x) P(x, y) /
//   pi(S)
//
// (one printing of the formula leaves out pi(x)). With g the gap of the chain, for a chain that
// isn't reversible of the mean of it and its time reversal: phi^2 / 2 <= g <= 2 phi (Cheeger)
// [levin2017, theorem 13.10].
#pragma once
#include "infer/finite/chain_distributions.hpp"

namespace credo::infer::finite {

struct Bottleneck {
  double conductance = 0.0;  // exact, or that of the best set found: an upper bound
  bool exact = false;
  double lower = 0.0;       // g / 2; phi itself if exact
  std::vector<Index> side;  // the set S, ascending
  double side_probability = 0.0;
  double gap = 0.0;  // g
};

// distribution: positive everywhere, stationary. Tries all 2^(n-1) pairs of sides up to max_exact_states,
// which may be 24 at most; beyond at the n - 1 sets that the second eigenvector orders. A single
// state has no set: 1.
Bottleneck bottleneck_of(const FiniteChain& chain, std::span<const double> distribution,
                         Index max_exact_states = 22);

// The flow out of a set of any probability, over the smaller of the probabilities of
// both sides.
double flow_ratio(const FiniteChain& chain, std::span<const double> distribution,
                  std::span<const Index> side);

}  // namespace credo::infer::finite
