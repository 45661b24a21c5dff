// Skew normal: with z = (y - xi)/omega, log p = log 2 - log omega - z^2/2 - log(2 pi)/2 + log
// Phi(alpha z).
#include "dist/formula.hpp"

namespace credo::dist {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr z = standardised(y, args[0], args[1]);
  return {kLog2 - kHalfLog2Pi, -log(args[1]), -0.5 * square(z), log_phi(args[2] * z)};
}
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
                                      .draw = draw,
                                      .mean = mean,
                                      .variance = variance};

}  // namespace credo::dist
