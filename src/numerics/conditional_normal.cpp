#include "numerics/conditional_normal.hpp"

#include "numerics/elementary.hpp"

namespace credo::numerics {

ConditionalNormal::ConditionalNormal(Standard features, Standard elements, Index hidden, Rng& rng)
    : features_(std::move(features)),
      elements_(std::move(elements)),
      hidden_(static_cast<std::size_t>(hidden)),
      weights_(constant() + outputs(), 0.0) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(inputs()));
  for (std::size_t k = 0; k < bias() + hidden_; ++k) weights_[k] = scale * rng.normal();
}

ConditionalNormal::Moments ConditionalNormal::at(std::span<const double> features) const {
  Moments distribution;
  for (std::size_t i = 0; i < inputs(); ++i)
    distribution.standardised.push_back(
        std::isnan(features[i]) ? 0.0 : (features[i] - features_.centre[i]) / features_.scale[i]);
  for (std::size_t h = 0; h < hidden_; ++h) {
    double sum = weights_[bias() + h];
    for (std::size_t i = 0; i < inputs(); ++i)
      sum += weights_[h * inputs() + i] * distribution.standardised[i];
    distribution.hidden.push_back(numerics::tanh(sum));
  }
  const std::size_t elements = elements_.centre.size();
  for (std::size_t o = 0; o < outputs(); ++o) {
    double sum = weights_[constant() + o];
    for (std::size_t h = 0; h < hidden_; ++h)
      sum += weights_[from_hidden() + o * hidden_ + h] * distribution.hidden[h];
    for (std::size_t i = 0; i < inputs(); ++i)
      sum += weights_[from_input() + o * inputs() + i] * distribution.standardised[i];
    if (o < elements)
      distribution.mean.push_back(elements_.centre[o] + elements_.scale[o] * sum);
    else
      distribution.log_sd.push_back(numerics::log(elements_.scale[o - elements]) + sum);
  }
  return distribution;
}

void ConditionalNormal::pull_back(const Moments& distribution, std::span<const double> by_mean,
                                  std::span<const double> by_log_sd, std::span<double> gradient,
                                  std::span<double> by_features) const {
  const std::size_t elements = elements_.centre.size();
  std::vector<double> by_hidden(hidden_, 0.0), by_input(inputs(), 0.0);
  for (std::size_t o = 0; o < outputs(); ++o) {
    const double by = o < elements ? elements_.scale[o] * by_mean[o] : by_log_sd[o - elements];
    gradient[constant() + o] += by;
    for (std::size_t h = 0; h < hidden_; ++h) {
      gradient[from_hidden() + o * hidden_ + h] += by * distribution.hidden[h];
      by_hidden[h] += by * weights_[from_hidden() + o * hidden_ + h];
    }
    for (std::size_t i = 0; i < inputs(); ++i) {
      gradient[from_input() + o * inputs() + i] += by * distribution.standardised[i];
      by_input[i] += by * weights_[from_input() + o * inputs() + i];
    }
  }
  for (std::size_t h = 0; h < hidden_; ++h) {
    const double by = by_hidden[h] * (1.0 - distribution.hidden[h] * distribution.hidden[h]);
    gradient[bias() + h] += by;
    for (std::size_t i = 0; i < inputs(); ++i) {
      gradient[h * inputs() + i] += by * distribution.standardised[i];
      by_input[i] += by * weights_[h * inputs() + i];
    }
  }
  for (std::size_t i = 0; i < by_features.size(); ++i)
    by_features[i] = by_input[i] / features_.scale[i];
}

double log_density(const ConditionalNormal::Moments& distribution, std::span<const double> x) {
  constexpr double kHalfLog2Pi = 0.91893853320467274178;
  double sum = 0.0;
  for (std::size_t e = 0; e < x.size(); ++e) {
    const double z = (x[e] - distribution.mean[e]) * numerics::exp(-distribution.log_sd[e]);
    sum -= 0.5 * z * z + kHalfLog2Pi + distribution.log_sd[e];
  }
  return sum;
}

}  // namespace credo::numerics
