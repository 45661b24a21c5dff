// Pareto of known minimum m: A = -log(alpha) - alpha log(m).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::pareto_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {numerics::log(x)}; }
double log_carrier(double, Params) { return 0.0; }
bool is_inside(Params eta) { return eta[0] < -1.0; }
double log_partition(Params eta, Params known) {
  return -numerics::log(-eta[0] - 1.0) + (eta[0] + 1.0) * numerics::log(known[0]);
}
Numbers mean(Params eta, Params known) { return {numerics::log(known[0]) - 1.0 / (eta[0] + 1.0)}; }
Numbers fisher(Params eta, Params) { return {1.0 / ((eta[0] + 1.0) * (eta[0] + 1.0))}; }
Numbers to_natural(Params args) { return {-args[1] - 1.0}; }
Numbers to_args(Params eta, Params known) { return {known[0], -eta[0] - 1.0}; }
Numbers near_mean(Params mean, Params known) {
  return {-1.0 - 1.0 / (mean[0] - numerics::log(known[0]))};
}
}  // namespace

extern const ExponentialFamily pareto{.name = "pareto",
                                      .distribution = "pareto",
                                      .statistics = {"log x"},
                                      .naturals = {"-alpha - 1"},
                                      .carrier = "0",
                                      .reference = "johnson1994, ch. 20",
                                      .known_args = {0},
                                      .statistic = of_number<statistic>,
                                      .log_carrier = of_number<log_carrier>,
                                      .is_inside = is_inside,
                                      .log_partition = log_partition,
                                      .mean = mean,
                                      .fisher = fisher,
                                      .to_natural = to_natural,
                                      .to_args = to_args,
                                      .near_mean = near_mean};

}  // namespace credo::dist::families::pareto_family
