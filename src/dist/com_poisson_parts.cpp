#include "dist/com_poisson_parts.hpp"

#include "graph/core/special.hpp"
#include "numerics/com_poisson.hpp"

namespace credo::dist {
namespace {
Expr com_poisson_tail(const Expr& log_sum, const Expr& log_other_sum, const ComPoissonArgs& a) {
  const Expr log_all = graph::com_poisson_log_sum(a.eta, a.nu),
             small = less(log_sum, log_other_sum);
  return select(small, log_sum - log_all,
                log1m_exp(select(small, -1.0, fmin(log_other_sum - log_all, 0.0))));
}
numerics::ComPoisson com_poisson_sums(double eta, double nu) {
  return numerics::com_poisson(eta, nu, 0.0, kInfinity);
}
}  // namespace

Terms com_poisson_log_density(const Expr& y, const ComPoissonArgs& a) {
  return {-a.nu * lgamma(y + 1.0), a.nu * a.eta * y, -graph::com_poisson_log_sum(a.eta, a.nu)};
}
Expr com_poisson_log_cdf(const Expr& y, const ComPoissonArgs& a) {
  return com_poisson_tail(graph::com_poisson_log_sum_up_to(y, a.eta, a.nu),
                          graph::com_poisson_log_sum_above(y, a.eta, a.nu), a);
}
Expr com_poisson_log_ccdf(const Expr& y, const ComPoissonArgs& a) {
  return com_poisson_tail(graph::com_poisson_log_sum_above(y, a.eta, a.nu),
                          graph::com_poisson_log_sum_up_to(y, a.eta, a.nu), a);
}
void check_com_poisson(const ComPoissonArgs& a, std::string_view function, Checks& checks) {
  checks.finite(graph::com_poisson_log_sum(a.eta, a.nu),
                {function, "logarithm of the normaliser",
                 "finite: its sum may have 1,000,000 terms, and has more if the shape is too close "
                 "to 0 beside a location above 1"});
}

double draw_com_poisson(Rng& rng, double eta, double nu) {
  const double mu = numerics::exp(eta), mode = std::floor(mu);
  const double log_top = nu * (mode * eta - numerics::lgamma(mode + 1.0));
  const double top = numerics::exp(log_top - com_poisson_sums(eta, nu).log_sum);
  constexpr double kNothing = 1e-18;
  double rest = rng.uniform() - top, above = top, below = top, high = mode, low = mode;
  while (rest >= 0.0 && std::max(above, below) > kNothing) {
    high += 1.0;
    above *= numerics::exp(nu * (eta - numerics::log(high)));
    rest -= above;
    if (rest < 0.0) return high;
    below *= low > 0.0 ? numerics::exp(nu * (numerics::log(low) - eta)) : 0.0;
    low -= 1.0;
    rest -= below;
    if (rest < 0.0) return low;
  }
  return rest < 0.0 ? mode : high;
}
double com_poisson_mean(double eta, double nu) { return com_poisson_sums(eta, nu).mean; }
double com_poisson_variance(double eta, double nu) { return com_poisson_sums(eta, nu).variance; }
double com_poisson_entropy(double eta, double nu) {
  const numerics::ComPoisson s = com_poisson_sums(eta, nu);
  return s.log_sum - nu * s.mean_log;
}

}  // namespace credo::dist
