// Inverse chi-square: A = lgamma(nu / 2) + (nu / 2) log 2.
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::inv_chi_square_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {numerics::log(x)}; }
double log_carrier(double x, Params) { return -0.5 / x; }
bool is_inside(Params eta) { return eta[0] < -1.0; }
double log_partition(Params eta, Params) {
  return numerics::lgamma(-eta[0] - 1.0) - (eta[0] + 1.0) * kLog2;
}
Numbers mean(Params eta, Params) { return {-numerics::digamma(-eta[0] - 1.0) - kLog2}; }
Numbers fisher(Params eta, Params) { return {numerics::trigamma(-eta[0] - 1.0)}; }
Numbers to_natural(Params args) { return {-0.5 * args[0] - 1.0}; }
Numbers to_args(Params eta, Params) { return {-2.0 * (eta[0] + 1.0)}; }
Numbers near_mean(Params mean, Params) {
  const double target = -mean[0] - kLog2;  // digamma(nu / 2), above log(nu / 2 - 1 / 2) for nu > 1
  const double half = target > -2.0 ? numerics::exp(target) + 0.5 : -1.0 / (target + kEuler);
  return {-half - 1.0};
}
}  // namespace

extern const ExponentialFamily inv_chi_square{.name = "inv_chi_square",
                                              .distribution = "inv_chi_square",
                                              .statistics = {"log x"},
                                              .naturals = {"-nu / 2 - 1"},
                                              .carrier = "-1 / (2 x)",
                                              .reference = "johnson1994, ch. 18",
                                              .statistic = of_number<statistic>,
                                              .log_carrier = of_number<log_carrier>,
                                              .is_inside = is_inside,
                                              .log_partition = log_partition,
                                              .mean = mean,
                                              .fisher = fisher,
                                              .to_natural = to_natural,
                                              .to_args = to_args,
                                              .near_mean = near_mean};

}  // namespace credo::dist::families::inv_chi_square_family
