// Skew normal: with z = (y - xi)/omega, log p = log 2 - log omega - z^2/2 - log(2 pi)/2 + log
// Phi(alpha z).
//
// Tails, with h = -|z|, a = |alpha|: B(h, a) = 2 int_{-inf}^h phi(t) Phi(a t) dt is a sum of
// positive terms; P(Z <= h) is B for alpha >= 0, and 2 Phi(h) - B, at least Phi(h), for alpha < 0;
// the rest by P(Z > z; alpha) = P(Z <= -z; -alpha).
#include "dist/formula.hpp"
#include "graph/core/special.hpp"
#include "numerics/incomplete_quadrature.hpp"

namespace credo::dist::skew_normal_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr z = standardised(y, args[0], args[1]);
  return {kLog2 - kHalfLog2Pi, -log(args[1]), -0.5 * square(z), log_phi(args[2] * z)};
}
// log B(h, a). The integrand at t = h - u falls off at least as exp(-(rate u + curve u^2 / 2)),
// since the logarithm of Phi curves by at least 2/pi below 0; e^-40 of it is left out.
Expr log_lower_part(const Expr& h, const Expr& a) {
  const Expr at_edge = log_phi(a * h), rate = a * inverse_mills(a * h) - h,
             curve = 1.0 + (2.0 / kPi) * square(a);
  const Expr half = 40.0 / (rate + sqrt(square(rate) + 80.0 * curve));
  Expr total = 0.0;
  const auto add = [&](double abscissa, double weight) {
    const Expr u = half * (1.0 + abscissa);
    total = total + weight * exp(u * (h - 0.5 * u) + (log_phi(a * (h - u)) - at_edge));
  };
  for (const numerics::RuleNode& node : numerics::kGaussRule) {
    add(-node.abscissa, node.weight);
    add(node.abscissa, node.weight);
  }
  return kLog2 - kHalfLog2Pi - 0.5 * square(h) + at_edge + log(half) + log(total);
}
Expr log_below(const Expr& z, const Expr& alpha) {
  const Expr left = less_equal(z, 0.0), h = select(left, z, -z);
  const Expr part = log_lower_part(h, abs(alpha));
  const Expr other = log_diff_exp(kLog2 + log_phi(h), part);
  const Expr right_slant = less_equal(0.0, alpha);
  return select(left, select(right_slant, part, other),
                log1m_exp(select(right_slant, other, part)));
}
Expr log_cdf(const Expr& y, Args args) {
  return log_below(standardised(y, args[0], args[1]), args[2]);
}
Expr log_ccdf(const Expr& y, Args args) {
  return log_below(standardised(args[0], y, args[1]), -args[2]);
}
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double slant(Params args) { return args[2] / numerics::hypot(1.0, args[2]); }
// A normal with correlation `slant` to one that decides the sign [azzalini1985].
double draw(Rng& rng, Params args) {
  const double judge = rng.normal(), rest = rng.normal(), delta = slant(args);
  const double z = delta * judge + rest / numerics::hypot(1.0, args[2]);
  return args[0] + args[1] * (judge < 0.0 ? -z : z);
}
double mean(Params args) { return args[0] + args[1] * slant(args) * numerics::sqrt(2.0 / kPi); }
double variance(Params args) {
  const double delta = slant(args);
  return args[1] * args[1] * (1.0 - 2.0 * delta * delta / kPi);
}
}  // namespace

extern const Distribution skew_normal{.name = "skew_normal",
                                      .args = {{"location parameter"},
                                               {"scale parameter", Domain::positive_finite},
                                               {"shape parameter"}},
                                      .reference = "azzalini1985",
                                      .log_density = log_density,
                                      .cdf = cdf,
                                      .log_cdf = log_cdf,
                                      .log_ccdf = log_ccdf,
                                      .draw = draw,
                                      .mean = mean,
                                      .variance = variance};

}  // namespace credo::dist::skew_normal_row
