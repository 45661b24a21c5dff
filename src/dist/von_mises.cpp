// Von Mises around mu with concentration kappa: log p = kappa cos(y - mu) - log(2 pi) - log
// I0(kappa), written with cos x = 1 - 2 sin^2(x/2) so that large concentrations keep their digits. With
// concentration 0 it is uniform on the circle.
//
// Its tails are those of the angle in [-pi, pi]: the mass between -pi and y, and the rest.
#include "dist/formula.hpp"
#include "dist/quantile.hpp"
#include "graph/core/special.hpp"
#include "numerics/incomplete_quadrature.hpp"

namespace credo::dist::von_mises_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr& kappa = args[1];
  return {-2.0 * kHalfLog2Pi, kappa - log_bessel_i0(kappa),
          -2.0 * kappa * square(sin(0.5 * (y - args[0])))};
}
// The mass between x and pi around 0, 0 <= x <= pi. From x on the density falls off as a normal or,
// on the slope, as an exponential one; the omitted part is below e^-33 of it.
Expr mass_beyond(const Expr& x, const Expr& kappa) {
  constexpr double kWholeCircle = 1e-6;  // for smaller concentrations the reach is beyond pi
  const Expr steep = fmax(kappa, kWholeCircle);
  const Expr reach = inv(sqrt(steep) / 13.0 + steep * sin(x) / 55.0);
  const Expr half = 0.5 * fmin(kPi - x, reach);
  Expr total = 0.0;
  for (const numerics::RuleNode& node : numerics::kGaussRule) {
    for (const double abscissa : {-node.abscissa, node.abscissa}) {
      const Expr t = x + half * (1.0 + abscissa);
      total = total + node.weight * exp(-2.0 * kappa * square(sin(0.5 * t)));
    }
  }
  return half * total * exp(kappa - log_bessel_i0(kappa) - 2.0 * kHalfLog2Pi);
}
// The mass between l and r around 0, -pi <= l <= r <= pi.
Expr mass_within(const Expr& l, const Expr& r, const Expr& kappa) {
  const Expr left = less(r, 0.0), right = less(0.0, l);
  const Expr beyond_l = mass_beyond(select(right, l, -l), kappa),
             beyond_r = mass_beyond(select(left, -r, r), kappa);
  return select(left, beyond_r - beyond_l,
                select(right, beyond_l - beyond_r, 1.0 - beyond_l - beyond_r));
}
struct Masses {
  Expr below, above;
};
// The circle is cut at -pi; `start` is where the cut lies around mu, `at` where y does.
Masses masses(const Expr& y, Args args) {
  const Expr &mu = args[0], &kappa = args[1];
  const Expr turns = ceil(mu / (2.0 * kPi));
  const Expr cut = 2.0 * kPi * turns - kPi - mu, start = select(less(cut, -kPi), -kPi, cut);
  const Expr at = start + (fmin(fmax(y, -kPi), kPi) + kPi);
  const Expr around = less(kPi, at), rest = fmin(kPi, select(around, at - 2.0 * kPi, at));
  const Expr inner = mass_within(fmin(start, rest), fmax(start, rest), kappa);
  const Expr outer =
      mass_within(-kPi, fmin(start, rest), kappa) + mass_within(fmax(start, rest), kPi, kappa);
  return {select(around, outer, inner), select(around, inner, outer)};
}
Expr log_of(const Expr& mass, const Expr& other) {
  const Expr small = less(mass, 0.5);
  return select(small, log(mass), log1p(-select(small, 0.0, other)));
}
Expr log_cdf(const Expr& y, Args args) {
  const Masses m = masses(y, args);
  return log_of(m.below, m.above);
}
Expr log_ccdf(const Expr& y, Args args) {
  const Masses m = masses(y, args);
  return log_of(m.above, m.below);
}
Expr cdf(const Expr& y, Args args) { return masses(y, args).below; }
// Quantile of the angle in [-pi, pi].
double quantile(const Level& at, Params args) {
  return invert_tails(*find("von_mises"), at, args, -kPi, kPi);
}
// Rejection from a wrapped Cauchy [best1979]; within pi of mu.
double draw(Rng& rng, Params args) {
  const double mu = args[0], kappa = args[1];
  if (!(kappa > 1e-8)) return mu + rng.uniform(-kPi, kPi);  // flat to rounding, rho would be 0/0
  const double tau = 1.0 + numerics::sqrt(1.0 + 4.0 * kappa * kappa);
  const double rho = (tau - numerics::sqrt(2.0 * tau)) / (2.0 * kappa);
  const double r = (1.0 + rho * rho) / (2.0 * rho);
  while (true) {
    const double z = numerics::cos(kPi * rng.uniform()), f = (1.0 + r * z) / (r + z);
    const double c = kappa * (r - f), u = rng.uniform(), side = rng.uniform();
    if (c * (2.0 - c) <= u && numerics::log(c / u) + 1.0 - c < 0.0) continue;
    const double angle = numerics::acos(std::clamp(f, -1.0, 1.0));
    return side < 0.5 ? mu - angle : mu + angle;
  }
}
// Mean of the angle within pi of mu, like that of draws.
double mean(Params args) { return args[0]; }
double variance(Params args) {
  const double kappa = args[1], scale = numerics::exp(kappa - numerics::log_bessel_i0(kappa));
  const double half = 0.25 * std::min(kPi, 15.0 / numerics::sqrt(kappa));  // two panels
  double total = 0.0;
  for (const double centre : {half, 3.0 * half}) {
    for (const numerics::RuleNode& node : numerics::kGaussRule) {
      for (const double abscissa : {-node.abscissa, node.abscissa}) {
        const double t = centre + half * abscissa, s = numerics::sin(0.5 * t);
        total += node.weight * t * t * numerics::exp(-2.0 * kappa * s * s);
      }
    }
  }
  return half * total * scale / kPi;
}
// log(2 pi I0) - kappa I1/I0; for large kappa by the expansion of I0 [dlmf, 10.40(i)].
double entropy(Params args) {
  const double kappa = args[1], x = 1.0 / kappa;
  if (kappa < 1e3) {
    return 2.0 * kHalfLog2Pi + numerics::log_bessel_i0(kappa) -
           kappa * numerics::bessel_ratio(kappa);
  }
  const double log_scaled =
      numerics::log1p(x * (1.0 / 8.0 + x * (9.0 / 128.0 + x * 75.0 / 1024.0)));
  const double rest = 0.5 + x * (1.0 / 8.0 + x * (1.0 / 8.0 + x * 25.0 / 128.0));  // (1 - I1/I0)/x
  return kHalfLog2Pi + 0.5 * numerics::log(x) + log_scaled + rest;
}
}  // namespace

extern const Distribution von_mises{
    .name = "von_mises",
    .args = {{"location parameter"}, {"concentration parameter", Domain::nonnegative_finite}},
    .outcome = {"random variable", Domain::finite},
    .reference = "mardia2000, ch. 3",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .draw = draw,
    .mean = mean,
    .variance = variance,
    .entropy = entropy};

}  // namespace credo::dist::von_mises_row
