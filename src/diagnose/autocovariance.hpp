// Autocovariances by Fourier transform.
#pragma once
#include "base/types.hpp"

namespace credo::diagnose {

// c_t = (1 / n) Σ_s (x_s - x̄)(x_{s+t} - x̄) for the lags t = 0 … n - 1 of n values. O(n log n).
std::vector<double> autocovariance(std::span<const double> x);

}  // namespace credo::diagnose
