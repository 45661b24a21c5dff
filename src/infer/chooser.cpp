#include "infer/chooser.hpp"

namespace credo::infer {

Index Chooser::choose_log(std::span<const double> log_weights) {
  const double top = *std::max_element(log_weights.begin(), log_weights.end());
  weights_.resize(log_weights.size());
  for (std::size_t k = 0; k < log_weights.size(); ++k) weights_[k] = std::exp(log_weights[k] - top);
  return choose(weights_);
}

// The first index whose cumulated weight exceeds a uniform share of the total. Rounding may leave
// the share at the total itself: then the last index with a weight.
Index RngChooser::choose(std::span<const double> weights) {
  double total = 0.0;
  for (const double weight : weights) total += weight;
  CREDO_ASSERT(total > 0.0 && std::isfinite(total), "weights are at least 0 and not all 0");
  const double share = rng_->uniform() * total;
  double sum = 0.0;
  Index last = 0;
  for (Index k = 0; k < ssize(weights); ++k) {
    if (weights[k] > 0.0) last = k;
    sum += weights[k];
    if (share < sum) return k;
  }
  return last;
}

}  // namespace credo::infer
