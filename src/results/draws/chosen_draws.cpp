#include "results/draws/chosen_draws.hpp"

#include "base/error.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {

ChosenDraws::ChosenDraws(const Fit& fit, Index most) : same_weight_(equally_weighted(fit)) {
  const Index chains = fit.num_chains();
  per_chain_ = fit.num_draws(false);
  if (per_chain_ == 0)
    throw Error(ErrorCode::data, "the fit has no draw after warm-up", fit.origin().source);
  count_ = std::clamp<Index>(most / chains, 1, per_chain_);
}

Index ChosenDraws::draw(Index chain, Index k) const {
  const Index s = k * per_chain_ / count_;
  const Index first = chain * per_chain_;  // same_weight_ counts draws of all chains
  return same_weight_.empty() ? s : same_weight_[static_cast<std::size_t>(first + s)] - first;
}

}  // namespace credo::results
