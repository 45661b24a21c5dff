// With δ the target, α_t the statistic of iteration t [hoffman2014, alg. 5]:
//
//   h_t = (1 - η) h_{t-1} + η (δ - α_t),   η = 1 / (t + t0)      error_sum_
//   x_t = μ - h_t sqrt(t) / γ                                    the log step size to try
//   x̄_t = t^-κ x_t + (1 - t^-κ) x̄_{t-1}                          log_average_
#include "infer/adapt/dual_averaging.hpp"

#include "numerics/elementary.hpp"

namespace credo::infer {

double DualAveraging::averaged_step_size() const { return numerics::exp(log_average_); }

void DualAveraging::restart(double step_size) {
  shrink_towards_ = numerics::log(10.0 * step_size);
  log_average_ = numerics::log(step_size);  // until the first update, whose weight is 1
  error_sum_ = count_ = 0.0;
}

double DualAveraging::learn(double accept_stat) {
  count_ += 1.0;
  const double accepted = std::isnan(accept_stat) ? 0.0 : std::min(accept_stat, 1.0);
  const double rate = 1.0 / (count_ + options_.stabilisation);
  error_sum_ += rate * (options_.target_accept - accepted - error_sum_);
  const double log_step = shrink_towards_ - error_sum_ * std::sqrt(count_) / options_.shrinkage;
  const double weight = numerics::pow(count_, -options_.relaxation);
  log_average_ += weight * (log_step - log_average_);
  return numerics::exp(log_step);
}

}  // namespace credo::infer
