// The family of a normal distribution by its arguments mu and sigma, for x or for a function of it whose normal distribution is meant:
// natural parameters mu / sigma^2 and -1 / (2 sigma^2), A = -eta_1^2 / (4 eta_2) - log(-2 eta_2) / 2 [johnson1994, ch. 13].
#pragma once
#include "dist/families/family.hpp"
#include "numerics/elementary.hpp"

namespace credo::dist::normal_form {
using Numbers = std::vector<double>;

inline bool is_inside(Params eta) { return eta[1] < 0.0; }
inline double log_partition(Params eta, Params) {
  return -eta[0] * eta[0] / (4.0 * eta[1]) - 0.5 * numerics::log(-2.0 * eta[1]);
}
inline Numbers mean(Params eta, Params) {
  const double variance = -0.5 / eta[1], mu = eta[0] * variance;
  return {mu, mu * mu + variance};
}
inline Numbers fisher(Params eta, Params) {
  const double variance = -0.5 / eta[1], mu = eta[0] * variance;
  return {variance, 2.0 * mu * variance, 2.0 * mu * variance,
          2.0 * variance * (variance + 2.0 * mu * mu)};
}
inline Numbers to_natural(Params args) {
  const double precision = 1.0 / (args[1] * args[1]);
  return {args[0] * precision, -0.5 * precision};
}
inline Numbers to_args(Params eta, Params) {
  const double variance = -0.5 / eta[1];
  return {eta[0] * variance, std::sqrt(variance)};
}
inline Numbers near_mean(Params mean, Params) {
  const double precision = 1.0 / (mean[1] - mean[0] * mean[0]);
  return {mean[0] * precision, -0.5 * precision};
}

}  // namespace credo::dist::normal_form
