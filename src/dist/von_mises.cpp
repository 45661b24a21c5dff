// Von Mises around mu with concentration kappa: log p = kappa cos(y - mu) - log(2 pi) - log
// I0(kappa), written with cos x = 1 - 2 sin^2(x/2) so that large concentrations keep their digits.
#include "dist/formula.hpp"

namespace credo::dist {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr& kappa = args[1];
  return {-2.0 * kHalfLog2Pi, kappa - log_bessel_i0(kappa),
          -2.0 * kappa * square(sin(0.5 * (y - args[0])))};
}
// Rejection from a wrapped Cauchy [best1979]; within pi of mu.
double draw(Rng& rng, Params args) {
  const double mu = args[0], kappa = args[1];
  const double tau = 1.0 + numerics::sqrt(1.0 + 4.0 * kappa * kappa);
  const double rho = (tau - numerics::sqrt(2.0 * tau)) / (2.0 * kappa);
  const double r = (1.0 + rho * rho) / (2.0 * rho);
  if (!(kappa > 1e-8)) return mu + rng.uniform(-kPi, kPi);  // flat to rounding, rho would be 0/0
  while (true) {
    const double z = numerics::cos(kPi * rng.uniform()), f = (1.0 + r * z) / (r + z);
    const double c = kappa * (r - f), u = rng.uniform(), side = rng.uniform();
    if (c * (2.0 - c) <= u && numerics::log(c / u) + 1.0 - c < 0.0) continue;
    const double angle = numerics::acos(std::clamp(f, -1.0, 1.0));
    return side < 0.5 ? mu - angle : mu + angle;
  }
}
}  // namespace

extern const Distribution von_mises{
    .name = "von_mises",
    .args = {{"location parameter"}, {"concentration parameter", Domain::positive_finite}},
    .outcome = {"random variable", Domain::finite},
    .reference = "mardia2000, ch. 3",
    .log_density = log_density,
    .draw = draw};

}  // namespace credo::dist
