#include "infer/smc/resampling.hpp"

#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
std::vector<double> exponentials(std::span<const double> values) {
  std::vector<double> all(values.begin(), values.end());
  numerics::function(numerics::Unary::exp).array(all.data(), all.data(), all.size());
  return all;
}
}  // namespace

double normalise_log_weights(std::span<double> log_weights) {
  const double total = numerics::log_sum_exp(log_weights);
  for (double& w : log_weights) w -= total;
  return total;
}

ConditionalEss::ConditionalEss(std::span<const double> log_weights,
                               std::span<const double> log_likelihoods)
    : log_likelihoods_(log_likelihoods),
      largest_(-kInfinity),
      weights_(exponentials(log_weights)),
      terms_(weights_.size()) {
  for (const double x : log_likelihoods) largest_ = std::max(largest_, x);
}

double ConditionalEss::after(double step) {
  if (largest_ == -kInfinity) return 0.0;
  const double scale = largest_ * step;
  for (std::size_t i = 0; i < terms_.size(); ++i) terms_[i] = log_likelihoods_[i] * step - scale;
  numerics::function(numerics::Unary::exp).array(terms_.data(), terms_.data(), terms_.size());
  double weight = 0.0, sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (log_likelihoods_[i] == -kInfinity) continue;
    weight += weights_[i];
    sum += weights_[i] * terms_[i];
    squares += weights_[i] * terms_[i] * terms_[i];
  }
  return squares > 0.0 ? sum * sum / (weight * squares) : 0.0;
}

void WeightSums::add(double log_weight) {
  count_ += 1.0;
  if (log_weight == -kInfinity) return;
  if (log_weight > log_scale_) {
    const double shrunk = numerics::exp(log_scale_ - log_weight);
    sum_ *= shrunk;
    squares_ *= shrunk * shrunk;
    log_scale_ = log_weight;
  }
  const double weight = numerics::exp(log_weight - log_scale_);
  sum_ += weight;
  squares_ += weight * weight;
}

double WeightSums::log_mean() const {
  return sum_ > 0.0 ? log_scale_ + numerics::log(sum_ / count_) : -kInfinity;
}

double WeightSums::relative_error() const {
  constexpr double kFewest = 10.0;  // effective weights
  if (sum_ == 0.0 || sum_ * sum_ < kFewest * squares_) return kInfinity;
  const double mean = sum_ / count_, variance = squares_ / count_ - mean * mean;
  return std::sqrt(std::max(variance, 0.0) / (count_ - 1.0)) / mean;
}

double largest_step(double most, double least, const std::function<double(double)>& kept) {
  if (kept(most) >= least) return most;
  constexpr int kHalvings = 100;
  double low = 0.0, high = most;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;  // no number lies between them
    (kept(middle) < least ? high : low) = middle;
  }
  return low;
}

}  // namespace credo::infer
