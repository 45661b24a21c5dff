// Importance weights: how many equal ones they are worth.
#pragma once
#include "base/types.hpp"

namespace credo::diagnose {

// Kish's effective sample size of weights w_i = exp(log_weights[i]), known up to a common factor:
//   ESS = (Σ w_i)² / Σ w_i²,   1 to N, k if k equal ones are above 0 [kish1965; murphy2023].
// It says nothing of autocorrelation: that of chains is another number (diagnose/convergence.hpp).
// NaN without a weight above zero, or if a log weight is NaN or +infinity.
double weight_ess(std::span<const double> log_weights);

}  // namespace credo::diagnose
