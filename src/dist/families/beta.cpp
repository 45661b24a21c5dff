// Beta: A = log B(alpha, beta).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::beta_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {numerics::log(x), numerics::log1p(-x)}; }
double log_carrier(double, Params) { return 0.0; }
bool is_inside(Params eta) { return eta[0] > -1.0 && eta[1] > -1.0; }
double log_partition(Params eta, Params) { return numerics::lbeta(eta[0] + 1.0, eta[1] + 1.0); }
Numbers mean(Params eta, Params) {
  const double a = eta[0] + 1.0, b = eta[1] + 1.0;
  const double both = numerics::digamma(a + b);
  return {numerics::digamma(a) - both, numerics::digamma(b) - both};
}
Numbers fisher(Params eta, Params) {
  const double a = eta[0] + 1.0, b = eta[1] + 1.0;
  const double both = numerics::trigamma(a + b);
  return {numerics::trigamma(a) - both, -both, -both, numerics::trigamma(b) - both};
}
Numbers to_natural(Params args) { return {args[0] - 1.0, args[1] - 1.0}; }
Numbers to_args(Params eta, Params) { return {eta[0] + 1.0, eta[1] + 1.0}; }
Numbers near_mean(Params mean,
                  Params) {  // digamma is taken for the logarithm of its argument less 1/2
  const double p = numerics::exp(mean[0]), q = numerics::exp(mean[1]);
  const double rest = 2.0 * (1.0 - p - q);
  return {p / rest - 0.5, q / rest - 0.5};
}
}  // namespace

extern const ExponentialFamily beta{.name = "beta",
                                    .distribution = "beta",
                                    .statistics = {"log x", "log(1 - x)"},
                                    .naturals = {"alpha - 1", "beta - 1"},
                                    .carrier = "0",
                                    .reference = "johnson1995, ch. 25",
                                    .statistic = of_number<statistic>,
                                    .log_carrier = of_number<log_carrier>,
                                    .is_inside = is_inside,
                                    .log_partition = log_partition,
                                    .mean = mean,
                                    .fisher = fisher,
                                    .to_natural = to_natural,
                                    .to_args = to_args,
                                    .near_mean = near_mean};

}  // namespace credo::dist::families::beta_family
