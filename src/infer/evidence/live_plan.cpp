#include "infer/evidence/live_plan.hpp"

#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
// R, or p, at each of the points.
std::vector<double> share_of_each(const DeadPoints& first, LiveAim aim) {
  const NestedEvidence found = nested_evidence(first);
  std::vector<double> shares(found.log_weights.size());
  double above = 0.0;
  for (std::size_t i = shares.size(); i-- > 0;) {
    const double weight = numerics::exp(found.log_weights[i]);
    above += weight;
    shares[i] = aim == LiveAim::evidence ? above : weight * first.num_live[i];  // dt = 1 / n
  }
  return shares;
}
}  // namespace

// n = c share, within its limits, with c such that ∫ n dt = mean ∫ dt, by bisection.
LivePlan::LivePlan(const DeadPoints& first, LiveAim aim, const LiveNumbers& numbers)
    : log_likelihoods_(first.log_likelihoods) {
  const std::vector<double> shares = share_of_each(first, aim);
  const auto number = [&](double c, double share) {
    return std::clamp(c * share, numbers.least, numbers.most);
  };
  const std::size_t num_replaced = shares.size() - static_cast<std::size_t>(numbers.num_last);
  const auto excess = [&](double c) {
    double sum = 0.0;
    for (std::size_t i = 0; i < num_replaced; ++i)
      sum += (number(c, shares[i]) - numbers.mean) / first.num_live[i];
    return sum;
  };
  constexpr int kMostDoublings = 200, kNumHalvings = 60;
  double low = 0.0, high = numbers.mean;
  for (int k = 0; k < kMostDoublings && excess(high) < 0.0; ++k) high *= 2.0;
  for (int k = 0; k < kNumHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (excess(middle) < 0.0 ? low : high) = middle;
  }
  for (const double share : shares) counts_.push_back(number(high, share));
}

Index LivePlan::at(double log_likelihood) const {
  const auto above =
      std::upper_bound(log_likelihoods_.begin(), log_likelihoods_.end(), log_likelihood);
  const auto place = static_cast<std::size_t>(above - log_likelihoods_.begin());
  return static_cast<Index>(std::llround(counts_[std::min(place, counts_.size() - 1)]));
}

DeadPoints merged(const DeadPoints& first, const DeadPoints& second, std::vector<Index>& order) {
  DeadPoints all;
  order.clear();
  std::size_t i = 0, j = 0;
  const std::size_t n = first.num_live.size(), m = second.num_live.size();
  while (i < n || j < m) {
    const bool is_first =
        j == m || (i < n && first.log_likelihoods[i] <= second.log_likelihoods[j]);
    const double live = (i < n ? first.num_live[i] : 0.0) + (j < m ? second.num_live[j] : 0.0);
    all.log_likelihoods.push_back(is_first ? first.log_likelihoods[i] : second.log_likelihoods[j]);
    all.num_live.push_back(live);
    order.push_back(static_cast<Index>(is_first ? i++ : n + j++));
  }
  return all;
}

}  // namespace credo::infer
