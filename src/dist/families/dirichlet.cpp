// Dirichlet: A = sum of lgamma(alpha) - lgamma(sum of alpha).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::dirichlet_family {
namespace {

using Numbers = std::vector<double>;
Numbers to_args(Params eta, Params) {
  Numbers alpha(eta.begin(), eta.end());
  for (double& a : alpha) a += 1.0;
  return alpha;
}
double total_of(Params eta) {
  return std::accumulate(eta.begin(), eta.end(), static_cast<double>(eta.size()));
}
Numbers statistic(Params x, Params) {
  Numbers all;
  for (const double p : x) all.push_back(numerics::log(p));
  return all;
}
double log_carrier(Params, Params) { return 0.0; }
bool is_inside(Params eta) {
  return std::ranges::all_of(eta, [](double e) { return e > -1.0; });
}
double log_partition(Params eta, Params) {
  double sum = -numerics::lgamma(total_of(eta));
  for (const double e : eta) sum += numerics::lgamma(e + 1.0);
  return sum;
}
Numbers mean(Params eta, Params) {
  const double both = numerics::digamma(total_of(eta));
  Numbers all;
  for (const double e : eta) all.push_back(numerics::digamma(e + 1.0) - both);
  return all;
}
Numbers fisher(Params eta, Params) {
  const double both = numerics::trigamma(total_of(eta));
  Numbers all(eta.size() * eta.size(), -both);
  for (std::size_t k = 0; k < eta.size(); ++k)
    all[k * eta.size() + k] += numerics::trigamma(eta[k] + 1.0);
  return all;
}
Numbers to_natural(Params args) {
  Numbers eta(args.begin(), args.end());
  for (double& e : eta) e -= 1.0;
  return eta;
}
Numbers near_mean(Params mean,
                  Params) {  // digamma is taken for the logarithm of its argument less 1/2
  double rest = 1.0;
  for (const double m : mean) rest -= numerics::exp(m);
  const double scale = 0.5 * static_cast<double>(mean.size() - 1) / rest;
  Numbers eta;
  for (const double m : mean) eta.push_back(scale * numerics::exp(m) - 0.5);
  return eta;
}
}  // namespace

extern const ExponentialFamily dirichlet{.name = "dirichlet",
                                         .distribution = "dirichlet",
                                         .statistics = {"log x"},
                                         .naturals = {"alpha - 1"},
                                         .carrier = "0",
                                         .reference = "kotz2000, ch. 49",
                                         .shapes = {ArgShape::vector},
                                         .statistic = statistic,
                                         .log_carrier = log_carrier,
                                         .is_inside = is_inside,
                                         .log_partition = log_partition,
                                         .mean = mean,
                                         .fisher = fisher,
                                         .to_natural = to_natural,
                                         .to_args = to_args,
                                         .near_mean = near_mean};

}  // namespace credo::dist::families::dirichlet_family
