// Binomial of known size N: A = N log(1 + exp eta).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::binomial_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {x}; }
double log_carrier(double x, Params known) { return numerics::lchoose(known[0], x); }
bool is_inside(Params eta) { return std::isfinite(eta[0]); }
double log_partition(Params eta, Params known) { return known[0] * numerics::log1p_exp(eta[0]); }
Numbers mean(Params eta, Params known) { return {known[0] * numerics::inv_logit(eta[0])}; }
Numbers fisher(Params eta, Params known) {
  return {known[0] * numerics::inv_logit(eta[0]) * numerics::inv_logit(-eta[0])};
}
Numbers to_natural(Params args) { return {numerics::logit(args[1])}; }
Numbers to_args(Params eta, Params known) { return {known[0], numerics::inv_logit(eta[0])}; }
Numbers near_mean(Params mean, Params known) { return {numerics::logit(mean[0] / known[0])}; }
}  // namespace

extern const ExponentialFamily binomial{.name = "binomial",
                                        .distribution = "binomial",
                                        .statistics = {"x"},
                                        .naturals = {"logit theta"},
                                        .carrier = "log choose(N, x)",
                                        .reference = "johnson2005, ch. 3",
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

}  // namespace credo::dist::families::binomial_family
