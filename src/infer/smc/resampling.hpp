// Weights of particles, and how many copies each gets. Weights are given by their logarithms, which are
// finite or -infinity, one at least finite; a common factor doesn't matter.
#pragma once
#include "base/types.hpp"

namespace credo::infer {

// Subtracts log Σ exp: the weights add up to 1. Returns the subtracted number.
double normalise_log_weights(std::span<double> log_weights);

// The conditional effective number of particles, as a share of those with a weight: what reweighting by
// w_i = exp(step log_likelihoods[i]) leaves of particles that have weights W_i already,
//   (Σ W w)² / (Σ W Σ W w²),   1 where all w are equal [zhou2016, 3.3.2].
// A particle with a log likelihood of -infinity is outside of the support and doesn't count as loss.
class ConditionalEss {
 public:
  // The log likelihoods must outlive it.
  ConditionalEss(std::span<const double> log_weights, std::span<const double> log_likelihoods);
  double after(double step);  // step > 0

 private:
  std::span<const double> log_likelihoods_;
  double largest_;
  std::vector<double> weights_, terms_;
};

// The mean of weights that come one by one. Plain data.
class WeightSums {
 public:
  void add(double log_weight);
  double log_mean() const;  // -infinity without a weight above 0
  // Standard error of the mean, over the mean; infinite where so few weights count that nobody knows.
  double relative_error() const;
  static void saved(auto& self, auto&& field) {
    field(self.count_);
    field(self.log_scale_);
    field(self.sum_);
    field(self.squares_);
  }

 private:
  double count_ = 0.0, log_scale_ = -kInfinity;  // log of the largest weight
  double sum_ = 0.0, squares_ = 0.0;             // of weights over that
};

// The largest step within (0, most] that keeps a share of at least `least`, where kept(step) falls as the
// step grows, from 1 at 0: by bisection.
double largest_step(double most, double least, const std::function<double(double)>& kept);

}  // namespace credo::infer
