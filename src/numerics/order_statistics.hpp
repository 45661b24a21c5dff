// Quantiles of sorted values.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// Quantile, linear between order statistics (type 7 of [hyndman1996]) of ascending values; NaN without
// values. 0 <= p <= 1.
inline double quantile_of_sorted(std::span<const double> sorted, double p) {
  if (sorted.empty()) return kNaN;
  // Counted from 1, since 1 + (n - 1) p rounds to a whole number where (n - 1) p may fall short.
  const double place = 1.0 + static_cast<double>(sorted.size() - 1) * p, below = std::floor(place);
  const auto lower = static_cast<std::size_t>(below) - 1;
  const double weight = place - below;
  const double lo = sorted[lower], hi = sorted[std::min(lower + 1, sorted.size() - 1)];
  return weight == 0.0 || lo == hi ? lo : (1.0 - weight) * lo + weight * hi;
}

}  // namespace credo::numerics
