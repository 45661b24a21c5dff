// Sums of exponentials of plain numbers, without overflow. Two terms: numerics::log_sum_exp of elementary.hpp.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// log Σ exp(x_i); -infinity of nothing. The sum is taken in order.
double log_sum_exp(std::span<const double> values);

// Replaces x_i by exp(x_i - x_k) for the largest x_k, which is returned: softmax weights up to their sum, the largest one 1. They
// are NaN if all x_i are -infinity or one is infinite.
double weights_of_largest(std::span<double> logs);

}  // namespace credo::numerics
