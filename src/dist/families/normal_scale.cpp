// Normal of known mu: A = -log(-2 eta) / 2.
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::normal_scale_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params known) { return {(x - known[0]) * (x - known[0])}; }
double log_carrier(double, Params) { return -kHalfLog2Pi; }
bool is_inside(Params eta) { return eta[0] < 0.0; }
double log_partition(Params eta, Params) { return -0.5 * numerics::log(-2.0 * eta[0]); }
Numbers mean(Params eta, Params) { return {-0.5 / eta[0]}; }
Numbers fisher(Params eta, Params) { return {0.5 / (eta[0] * eta[0])}; }
Numbers to_natural(Params args) { return {-0.5 / (args[1] * args[1])}; }
Numbers to_args(Params eta, Params known) { return {known[0], std::sqrt(-0.5 / eta[0])}; }
Numbers near_mean(Params mean, Params) { return {-0.5 / mean[0]}; }
}  // namespace

extern const ExponentialFamily normal_scale{.name = "normal_scale",
                                            .distribution = "normal",
                                            .statistics = {"(x - mu)^2"},
                                            .naturals = {"-1 / (2 sigma^2)"},
                                            .carrier = "-log(2 pi) / 2",
                                            .reference = "johnson1994, ch. 13",
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

}  // namespace credo::dist::families::normal_scale_family
