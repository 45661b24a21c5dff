// Inverse gamma: A = lgamma(alpha) - alpha log(beta).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::inv_gamma_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {numerics::log(x), 1.0 / x}; }
double log_carrier(double, Params) { return 0.0; }
bool is_inside(Params eta) { return eta[0] < -1.0 && eta[1] < 0.0; }
double log_partition(Params eta, Params) {
  return numerics::lgamma(-eta[0] - 1.0) + (eta[0] + 1.0) * numerics::log(-eta[1]);
}
Numbers mean(Params eta, Params) {
  const double alpha = -eta[0] - 1.0, beta = -eta[1];
  return {numerics::log(beta) - numerics::digamma(alpha), alpha / beta};
}
Numbers fisher(Params eta, Params) {
  const double alpha = -eta[0] - 1.0, beta = -eta[1];
  return {numerics::trigamma(alpha), -1.0 / beta, -1.0 / beta, alpha / (beta * beta)};
}
Numbers to_natural(Params args) { return {-args[0] - 1.0, -args[1]}; }
Numbers to_args(Params eta, Params) { return {-eta[0] - 1.0, -eta[1]}; }
Numbers near_mean(Params mean, Params) {
  const double gap = numerics::log(mean[1]) + mean[0];  // about 1 / (2 alpha)
  const double alpha =
      (3.0 - gap + std::sqrt((gap - 3.0) * (gap - 3.0) + 24.0 * gap)) / (12.0 * gap);
  return {-alpha - 1.0, -alpha / mean[1]};
}
}  // namespace

extern const ExponentialFamily inv_gamma{.name = "inv_gamma",
                                         .distribution = "inv_gamma",
                                         .statistics = {"log x", "1 / x"},
                                         .naturals = {"-alpha - 1", "-beta"},
                                         .carrier = "0",
                                         .reference = "johnson1994, ch. 17",
                                         .statistic = of_number<statistic>,
                                         .log_carrier = of_number<log_carrier>,
                                         .is_inside = is_inside,
                                         .log_partition = log_partition,
                                         .mean = mean,
                                         .fisher = fisher,
                                         .to_natural = to_natural,
                                         .to_args = to_args,
                                         .near_mean = near_mean};

}  // namespace credo::dist::families::inv_gamma_family
