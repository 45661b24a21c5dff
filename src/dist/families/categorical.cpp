// Categorical: one trial of families/counts_form.hpp. The outcome x is the vector that is 1 at its category and 0 elsewhere.
#include "dist/families/counts_form.hpp"

namespace credo::dist::families::categorical_family {
namespace {

using counts_form::Numbers;
double log_carrier(Params, Params) { return 0.0; }
double log_partition(Params eta, Params) { return counts_form::log_partition(eta, 1.0); }
Numbers mean(Params eta, Params) { return counts_form::mean(eta, 1.0); }
Numbers fisher(Params eta, Params) { return counts_form::fisher(eta, 1.0); }
Numbers to_args(Params eta, Params) { return counts_form::shares(eta); }
Numbers near_mean(Params mean, Params) { return counts_form::near_mean(mean, 1.0); }
}  // namespace

extern const ExponentialFamily categorical{.name = "categorical",
                                           .distribution = "categorical",
                                           .statistics = {"x = k, k < K"},
                                           .naturals = {"log(theta_k / theta_K)"},
                                           .carrier = "0",
                                           .reference = "johnson1997, ch. 35",
                                           .shapes = {ArgShape::vector},
                                           .statistic = counts_form::statistic,
                                           .log_carrier = log_carrier,
                                           .is_inside = counts_form::is_inside,
                                           .log_partition = log_partition,
                                           .mean = mean,
                                           .fisher = fisher,
                                           .to_natural = counts_form::to_natural,
                                           .to_args = to_args,
                                           .near_mean = near_mean};

}  // namespace credo::dist::families::categorical_family
