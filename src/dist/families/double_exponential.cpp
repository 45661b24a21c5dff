// Double exponential (Laplace) of known location mu: A = log 2 - log(-eta).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::double_exponential_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params known) { return {std::abs(x - known[0])}; }
double log_carrier(double, Params) { return 0.0; }
bool is_inside(Params eta) { return eta[0] < 0.0; }
double log_partition(Params eta, Params) { return kLog2 - numerics::log(-eta[0]); }
Numbers mean(Params eta, Params) { return {-1.0 / eta[0]}; }
Numbers fisher(Params eta, Params) { return {1.0 / (eta[0] * eta[0])}; }
Numbers to_natural(Params args) { return {-1.0 / args[1]}; }
Numbers to_args(Params eta, Params known) { return {known[0], -1.0 / eta[0]}; }
Numbers near_mean(Params mean, Params) { return {-1.0 / mean[0]}; }
}  // namespace

extern const ExponentialFamily double_exponential{.name = "double_exponential",
                                                  .distribution = "double_exponential",
                                                  .statistics = {"|x - mu|"},
                                                  .naturals = {"-1 / sigma"},
                                                  .carrier = "0",
                                                  .reference = "johnson1995, ch. 24",
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

}  // namespace credo::dist::families::double_exponential_family
