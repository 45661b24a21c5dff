#include "infer/compose/chooser.hpp"

#include "base/choice.hpp"

namespace credo::infer {

Index Chooser::choose_log(std::span<const double> log_weights) {
  const double top = *std::max_element(log_weights.begin(), log_weights.end());
  weights_.resize(log_weights.size());
  double total = 0.0;
  for (std::size_t k = 0; k < log_weights.size(); ++k)
    total += weights_[k] = std::exp(log_weights[k] - top);
  if (!std::isfinite(total))  // NaN, +inf, or -inf everywhere
    throw Error(ErrorCode::evaluation,
                "log weights of a choice must not be NaN or +inf, and one must be finite",
                "choose_log", "start where the distribution has a positive probability");
  return choose(weights_);
}

Index RngChooser::choose(std::span<const double> weights) {
  return choose_by_weight(weights, rng_->uniform());
}

}  // namespace credo::infer
