// Weibull of known shape alpha: A = -log(-eta).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::weibull_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params known) { return {numerics::pow(x, known[0])}; }
double log_carrier(double x, Params known) {
  return numerics::log(known[0]) + (known[0] - 1.0) * numerics::log(x);
}
bool is_inside(Params eta) { return eta[0] < 0.0; }
double log_partition(Params eta, Params) { return -numerics::log(-eta[0]); }
Numbers mean(Params eta, Params) { return {-1.0 / eta[0]}; }
Numbers fisher(Params eta, Params) { return {1.0 / (eta[0] * eta[0])}; }
Numbers to_natural(Params args) { return {-numerics::pow(args[1], -args[0])}; }
Numbers to_args(Params eta, Params known) {
  return {known[0], numerics::pow(-eta[0], -1.0 / known[0])};
}
Numbers near_mean(Params mean, Params) { return {-1.0 / mean[0]}; }
}  // namespace

extern const ExponentialFamily weibull{.name = "weibull",
                                       .distribution = "weibull",
                                       .statistics = {"x^alpha"},
                                       .naturals = {"-sigma^-alpha"},
                                       .carrier = "log(alpha) + (alpha - 1) log x",
                                       .reference = "johnson1994, ch. 21",
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

}  // namespace credo::dist::families::weibull_family
