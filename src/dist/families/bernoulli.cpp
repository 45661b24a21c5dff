// Bernoulli: A = log(1 + exp eta).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::bernoulli_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {x}; }
double log_carrier(double, Params) { return 0.0; }
bool is_inside(Params eta) { return std::isfinite(eta[0]); }
double log_partition(Params eta, Params) { return numerics::log1p_exp(eta[0]); }
Numbers mean(Params eta, Params) { return {numerics::inv_logit(eta[0])}; }
Numbers fisher(Params eta, Params) {
  return {numerics::inv_logit(eta[0]) * numerics::inv_logit(-eta[0])};
}
Numbers to_natural(Params args) { return {numerics::logit(args[0])}; }
Numbers to_args(Params eta, Params) { return {numerics::inv_logit(eta[0])}; }
Numbers near_mean(Params mean, Params) { return {numerics::logit(mean[0])}; }
}  // namespace

extern const ExponentialFamily bernoulli{.name = "bernoulli",
                                         .distribution = "bernoulli",
                                         .statistics = {"x"},
                                         .naturals = {"logit theta"},
                                         .carrier = "0",
                                         .reference = "johnson2005, ch. 3",
                                         .statistic = of_number<statistic>,
                                         .log_carrier = of_number<log_carrier>,
                                         .is_inside = is_inside,
                                         .log_partition = log_partition,
                                         .mean = mean,
                                         .fisher = fisher,
                                         .to_natural = to_natural,
                                         .to_args = to_args,
                                         .near_mean = near_mean};

}  // namespace credo::dist::families::bernoulli_family
