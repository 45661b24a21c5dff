// Draws against their distribution.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "support/test_seed.hpp"

namespace credo::testing {

// Kolmogorov's distance times sqrt(n); above 2.28 with probability 6e-5 where the cdf is right.
inline constexpr double kKolmogorovLimit = 2.28;

inline double kolmogorov(std::vector<double> draws, const std::function<double(double)>& cdf) {
  std::sort(draws.begin(), draws.end());
  const double n = static_cast<double>(draws.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = cdf(draws[i]), rank = static_cast<double>(i);
    distance = std::max({distance, p - rank / n, (rank + 1.0) / n - p});
  }
  return distance * std::sqrt(n);
}

}  // namespace credo::testing
