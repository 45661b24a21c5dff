// A choice by weights.
#pragma once
#include "base/types.hpp"

namespace credo {

// The first index whose cumulated weight exceeds the share `uniform`, in [0, 1), of the total.
// Rounding may leave the share at the total itself: then the last index with a weight. Weights are
// finite, at least 0 and not all 0.
inline Index choose_by_weight(std::span<const double> weights, double uniform) {
  double total = 0.0;
  for (const double weight : weights) total += weight;
  const double share = uniform * total;
  double sum = 0.0;
  std::size_t last = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] > 0.0) last = k;
    sum += weights[k];
    if (share < sum) return static_cast<Index>(k);
  }
  return static_cast<Index>(last);
}

}  // namespace credo
