// Von Mises: A = log I0(|eta|).
#include "dist/families/family.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::von_mises_family {
namespace {

using Numbers = std::vector<double>;
Numbers statistic(double x, Params) { return {numerics::cos(x), numerics::sin(x)}; }
double log_carrier(double, Params) { return -kLog2 - kLogPi; }
bool is_inside(Params eta) { return std::isfinite(eta[0]) && std::isfinite(eta[1]); }
double log_partition(Params eta, Params) {
  return numerics::log_bessel_i0(numerics::hypot(eta[0], eta[1]));
}
Numbers mean(Params eta, Params) {
  const double kappa = numerics::hypot(eta[0], eta[1]);
  const double by = kappa > 0.0 ? numerics::bessel_ratio(kappa) / kappa : 0.5;
  return {by * eta[0], by * eta[1]};
}
Numbers fisher(
    Params eta,
    Params) {  // along the direction of eta the ratio's slope, across it the ratio by kappa
  const double kappa = numerics::hypot(eta[0], eta[1]);
  if (kappa == 0.0) return {0.5, 0.0, 0.0, 0.5};
  const double c = eta[0] / kappa, s = eta[1] / kappa,
               across = numerics::bessel_ratio(kappa) / kappa;
  const double more = numerics::bessel_ratio_1(kappa) - across;
  return {across + more * c * c, more * c * s, more * c * s, across + more * s * s};
}
Numbers to_natural(Params args) {
  return {args[1] * numerics::cos(args[0]), args[1] * numerics::sin(args[0])};
}
Numbers to_args(Params eta, Params) {
  return {numerics::atan2(eta[1], eta[0]), numerics::hypot(eta[0], eta[1])};
}
Numbers near_mean(Params mean, Params) {
  const double r = numerics::hypot(mean[0], mean[1]), by = (2.0 - r * r) / (1.0 - r * r);
  return {by * mean[0], by * mean[1]};
}
}  // namespace

extern const ExponentialFamily von_mises{.name = "von_mises",
                                         .distribution = "von_mises",
                                         .statistics = {"cos x", "sin x"},
                                         .naturals = {"kappa cos mu", "kappa sin mu"},
                                         .carrier = "-log(2 pi)",
                                         .reference = "mardia2000, ch. 3",
                                         .statistic = of_number<statistic>,
                                         .log_carrier = of_number<log_carrier>,
                                         .is_inside = is_inside,
                                         .log_partition = log_partition,
                                         .mean = mean,
                                         .fisher = fisher,
                                         .to_natural = to_natural,
                                         .to_args = to_args,
                                         .near_mean = near_mean};

}  // namespace credo::dist::families::von_mises_family
