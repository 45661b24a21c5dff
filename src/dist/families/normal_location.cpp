// Normal of known sigma: A = sigma^2 eta^2 / 2.
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::normal_location_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {x}; }
double log_carrier(double x, Params known) {
  const double z = x / known[0];
  return -0.5 * z * z - numerics::log(known[0]) - kHalfLog2Pi;
}
bool is_inside(Params eta) { return std::isfinite(eta[0]); }
double log_partition(Params eta, Params known) {
  return 0.5 * known[0] * known[0] * eta[0] * eta[0];
}
Numbers mean(Params eta, Params known) { return {known[0] * known[0] * eta[0]}; }
Numbers fisher(Params, Params known) { return {known[0] * known[0]}; }
Numbers to_natural(Params args) { return {args[0] / (args[1] * args[1])}; }
Numbers to_args(Params eta, Params known) { return {known[0] * known[0] * eta[0], known[0]}; }
Numbers near_mean(Params mean, Params known) { return {mean[0] / (known[0] * known[0])}; }
}  // namespace

extern const ExponentialFamily normal_location{
    .name = "normal_location",
    .distribution = "normal",
    .statistics = {"x"},
    .naturals = {"mu / sigma^2"},
    .carrier = "-x^2 / (2 sigma^2) - log(2 pi sigma^2) / 2",
    .reference = "johnson1994, ch. 13",
    .known_args = {1},
    .statistic = of_number<statistic>,
    .log_carrier = of_number<log_carrier>,
    .is_inside = is_inside,
    .log_partition = log_partition,
    .mean = mean,
    .fisher = fisher,
    .to_natural = to_natural,
    .to_args = to_args,
    .near_mean = near_mean};

}  // namespace credo::dist::families::normal_location_family
