#include "diagnose/weights.hpp"

#include "numerics/elementary.hpp"

namespace credo::diagnose {

// Relative to the largest weight, so that the sums neither overflow nor vanish.
double weight_ess(std::span<const double> log_weights) {
  double largest = -kInfinity;
  for (const double w : log_weights) {
    if (std::isnan(w)) return kNaN;
    largest = std::max(largest, w);
  }
  if (!std::isfinite(largest)) return kNaN;
  double sum = 0.0, squares = 0.0;
  for (const double w : log_weights) {
    const double relative = numerics::exp(w - largest);
    sum += relative, squares += relative * relative;
  }
  return sum * sum / squares;
}

}  // namespace credo::diagnose
