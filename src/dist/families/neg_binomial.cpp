// Negative binomial of known shape alpha: A = -alpha log(1 - exp eta).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::neg_binomial_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {x}; }
double log_carrier(double x, Params known) {
  return numerics::lgamma_delta(known[0], x) - numerics::lgamma(x + 1.0);
}
bool is_inside(Params eta) { return eta[0] < 0.0; }
double log_partition(Params eta, Params known) { return -known[0] * numerics::log1m_exp(eta[0]); }
Numbers mean(Params eta, Params known) { return {known[0] / numerics::expm1(-eta[0])}; }
Numbers fisher(Params eta, Params known) {
  const double odds = 1.0 / numerics::expm1(-eta[0]);
  return {known[0] * odds * (1.0 + odds)};
}
Numbers to_natural(Params args) { return {-numerics::log1p(args[1])}; }
Numbers to_args(Params eta, Params known) { return {known[0], numerics::expm1(-eta[0])}; }
Numbers near_mean(Params mean, Params known) { return {-numerics::log1p(known[0] / mean[0])}; }
}  // namespace

extern const ExponentialFamily neg_binomial{.name = "neg_binomial",
                                            .distribution = "neg_binomial",
                                            .statistics = {"x"},
                                            .naturals = {"-log(1 + beta)"},
                                            .carrier = "log choose(x + alpha - 1, x)",
                                            .reference = "johnson2005, ch. 5",
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

}  // namespace credo::dist::families::neg_binomial_family
