// Rayleigh: A = -log(-2 eta).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::rayleigh_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {x * x}; }
double log_carrier(double x, Params) { return numerics::log(x); }
bool is_inside(Params eta) { return eta[0] < 0.0; }
double log_partition(Params eta, Params) { return -numerics::log(-2.0 * eta[0]); }
Numbers mean(Params eta, Params) { return {-1.0 / eta[0]}; }
Numbers fisher(Params eta, Params) { return {1.0 / (eta[0] * eta[0])}; }
Numbers to_natural(Params args) { return {-0.5 / (args[0] * args[0])}; }
Numbers to_args(Params eta, Params) { return {std::sqrt(-0.5 / eta[0])}; }
Numbers near_mean(Params mean, Params) { return {-1.0 / mean[0]}; }
}  // namespace

extern const ExponentialFamily rayleigh{.name = "rayleigh",
                                        .distribution = "rayleigh",
                                        .statistics = {"x^2"},
                                        .naturals = {"-1 / (2 sigma^2)"},
                                        .carrier = "log x",
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

}  // namespace credo::dist::families::rayleigh_family
