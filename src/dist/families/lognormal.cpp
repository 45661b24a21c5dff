// Log-normal: a normal's family of log x, with the Jacobian in the carrier.
#include "dist/families/normal_form.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::lognormal_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) {
  const double log_x = numerics::log(x);
  return {log_x, log_x * log_x};
}
double log_carrier(double x, Params) { return -numerics::log(x) - kHalfLog2Pi; }
}  // namespace

extern const ExponentialFamily lognormal{.name = "lognormal",
                                         .distribution = "lognormal",
                                         .statistics = {"log x", "log^2 x"},
                                         .naturals = {"mu / sigma^2", "-1 / (2 sigma^2)"},
                                         .carrier = "-log x - log(2 pi) / 2",
                                         .reference = "johnson1994, ch. 14",
                                         .statistic = of_number<statistic>,
                                         .log_carrier = of_number<log_carrier>,
                                         .is_inside = normal_form::is_inside,
                                         .log_partition = normal_form::log_partition,
                                         .mean = normal_form::mean,
                                         .fisher = normal_form::fisher,
                                         .to_natural = normal_form::to_natural,
                                         .to_args = normal_form::to_args,
                                         .near_mean = normal_form::near_mean};

}  // namespace credo::dist::families::lognormal_family
