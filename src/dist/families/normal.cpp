// Normal.
#include "dist/families/normal_form.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::normal_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {x, x * x}; }
double log_carrier(double, Params) { return -kHalfLog2Pi; }
}  // namespace

extern const ExponentialFamily normal{.name = "normal",
                                      .distribution = "normal",
                                      .statistics = {"x", "x^2"},
                                      .naturals = {"mu / sigma^2", "-1 / (2 sigma^2)"},
                                      .carrier = "-log(2 pi) / 2",
                                      .reference = "johnson1994, ch. 13",
                                      .statistic = of_number<statistic>,
                                      .log_carrier = of_number<log_carrier>,
                                      .is_inside = normal_form::is_inside,
                                      .log_partition = normal_form::log_partition,
                                      .mean = normal_form::mean,
                                      .fisher = normal_form::fisher,
                                      .to_natural = normal_form::to_natural,
                                      .to_args = normal_form::to_args,
                                      .near_mean = normal_form::near_mean};

}  // namespace credo::dist::families::normal_family
