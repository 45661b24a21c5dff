// Multinomial of known size N: counts of families/counts_form.hpp.
#include "dist/families/counts_form.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::multinomial_family {
namespace {

using counts_form::Numbers;
double log_carrier(Params x, Params known) {
  double sum = numerics::lgamma(known[0] + 1.0);
  for (const double count : x) sum -= numerics::lgamma(count + 1.0);
  return sum;
}
double log_partition(Params eta, Params known) { return counts_form::log_partition(eta, known[0]); }
Numbers mean(Params eta, Params known) { return counts_form::mean(eta, known[0]); }
Numbers fisher(Params eta, Params known) { return counts_form::fisher(eta, known[0]); }
Numbers to_natural(Params args) { return counts_form::to_natural(args.first(args.size() - 1)); }
Numbers to_args(Params eta, Params known) {
  Numbers args = counts_form::shares(eta);
  args.push_back(known[0]);
  return args;
}
Numbers near_mean(Params mean, Params known) { return counts_form::near_mean(mean, known[0]); }
}  // namespace

extern const ExponentialFamily multinomial{.name = "multinomial",
                                           .distribution = "multinomial",
                                           .statistics = {"x_k, k < K"},
                                           .naturals = {"log(theta_k / theta_K)"},
                                           .carrier = "log(N! / prod x_k!)",
                                           .reference = "johnson1997, ch. 35",
                                           .known_args = {1},
                                           .shapes = {ArgShape::vector, ArgShape::number},
                                           .statistic = counts_form::statistic,
                                           .log_carrier = log_carrier,
                                           .is_inside = counts_form::is_inside,
                                           .log_partition = log_partition,
                                           .mean = mean,
                                           .fisher = fisher,
                                           .to_natural = to_natural,
                                           .to_args = to_args,
                                           .near_mean = near_mean};

}  // namespace credo::dist::families::multinomial_family
