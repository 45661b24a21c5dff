// Normal: A = -eta_1^2 / (4 eta_2) - log(-2 eta_2) / 2.
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::normal_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {x, x * x}; }
double log_carrier(double, Params) { return -kHalfLog2Pi; }
bool is_inside(Params eta) { return eta[1] < 0.0; }
double log_partition(Params eta, Params) {
  return -eta[0] * eta[0] / (4.0 * eta[1]) - 0.5 * numerics::log(-2.0 * eta[1]);
}
Numbers mean(Params eta, Params) {
  const double variance = -0.5 / eta[1], mu = eta[0] * variance;
  return {mu, mu * mu + variance};
}
Numbers fisher(Params eta, Params) {
  const double variance = -0.5 / eta[1], mu = eta[0] * variance;
  return {variance, 2.0 * mu * variance, 2.0 * mu * variance,
          2.0 * variance * (variance + 2.0 * mu * mu)};
}
Numbers to_natural(Params args) {
  const double precision = 1.0 / (args[1] * args[1]);
  return {args[0] * precision, -0.5 * precision};
}
Numbers to_args(Params eta, Params) {
  const double variance = -0.5 / eta[1];
  return {eta[0] * variance, std::sqrt(variance)};
}
Numbers near_mean(Params mean, Params) {
  const double precision = 1.0 / (mean[1] - mean[0] * mean[0]);
  return {mean[0] * precision, -0.5 * precision};
}
}  // namespace

extern const ExponentialFamily normal{.name = "normal",
                                      .distribution = "normal",
                                      .statistics = {"x", "x^2"},
                                      .naturals = {"mu / sigma^2", "-1 / (2 sigma^2)"},
                                      .carrier = "-log(2 pi) / 2",
                                      .reference = "johnson1994, ch. 13",
                                      .statistic = statistic,
                                      .log_carrier = log_carrier,
                                      .is_inside = is_inside,
                                      .log_partition = log_partition,
                                      .mean = mean,
                                      .fisher = fisher,
                                      .to_natural = to_natural,
                                      .to_args = to_args,
                                      .near_mean = near_mean};

}  // namespace credo::dist::families::normal_family
