// Autocovariances, all by Fourier transform or the first ones directly.
#pragma once
#include "base/types.hpp"

namespace credo::diagnose {

// c_t = (1 / n) Σ_s (x_s - x̄)(x_{s+t} - x̄) for the lags t = 0 … n - 1 of n values. O(n log n).
std::vector<double> autocovariance(std::span<const double> x);
// Autocovariances of the lags 0 … num_lags - 1, by their sums, at most n. O(n num_lags), without a transform.
std::vector<double> autocovariance(std::span<const double> x, Index num_lags);
std::vector<double> autocovariance(std::span<const double> x, Index num_lags, double mean);

}  // namespace credo::diagnose
