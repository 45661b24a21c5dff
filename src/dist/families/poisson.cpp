// Poisson: A = exp eta.
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::poisson_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {x}; }
double log_carrier(double x, Params) { return -numerics::lgamma(x + 1.0); }
bool is_inside(Params eta) { return std::isfinite(eta[0]); }
double log_partition(Params eta, Params) { return numerics::exp(eta[0]); }
Numbers mean(Params eta, Params) { return {numerics::exp(eta[0])}; }
Numbers fisher(Params eta, Params) { return {numerics::exp(eta[0])}; }
Numbers to_natural(Params args) { return {numerics::log(args[0])}; }
Numbers to_args(Params eta, Params) { return {numerics::exp(eta[0])}; }
Numbers near_mean(Params mean, Params) { return {numerics::log(mean[0])}; }
}  // namespace

extern const ExponentialFamily poisson{.name = "poisson",
                                       .distribution = "poisson",
                                       .statistics = {"x"},
                                       .naturals = {"log lambda"},
                                       .carrier = "-log x!",
                                       .reference = "johnson2005, ch. 4",
                                       .statistic = of_number<statistic>,
                                       .log_carrier = of_number<log_carrier>,
                                       .is_inside = is_inside,
                                       .log_partition = log_partition,
                                       .mean = mean,
                                       .fisher = fisher,
                                       .to_natural = to_natural,
                                       .to_args = to_args,
                                       .near_mean = near_mean};

}  // namespace credo::dist::families::poisson_family
