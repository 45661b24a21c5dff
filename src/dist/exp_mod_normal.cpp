// A normal plus an exponential of rate lambda: with z = (y - mu)/sigma and s = lambda sigma,
//   log p = log lambda + s^2/2 - s z + log Phi(z - s);   P(Y <= y) = Phi(z) - p(y)/lambda.
//
// Left of s the parts s^2/2 and log Phi cancel: there log p = log lambda + log phi(z) - log m(z -
// s), m the inverse Mills ratio. If s is small or z far left, the cdf's parts cancel, and it is the
// integral of phi(z - w) (1 - exp(-s w)) over w > 0.
#include "dist/formula.hpp"
#include "graph/core/special.hpp"
#include "numerics/incomplete_quadrature.hpp"

namespace credo::dist::exp_mod_normal_row {
namespace {

// log(p / lambda)
Expr log_part(const Expr& z, const Expr& s) {
  const Expr x = z - s, left = less(x, 0.0);
  const Expr by_ratio = -0.5 * square(z) - kHalfLog2Pi - log(inverse_mills(select(left, x, 0.0)));
  return select(left, by_ratio, s * (0.5 * s - z) + log_phi(select(left, 0.0, x)));
}
Expr log_part(const Expr& y, Args args) {
  return log_part(standardised(y, args[0], args[1]), args[2] * args[1]);
}
Terms log_density(const Expr& y, Args args) { return {log(args[2]), log_part(y, args)}; }

// The length beyond which exp(z w - w^2/2) is below e^-40.
Expr window(const Expr& z) {
  const Expr left = less(z, 0.0), root = sqrt(square(z) + 80.0);
  return select(left, 80.0 / (root + abs(z)), root + abs(z));
}
Expr log_integral(const Expr& z, const Expr& s) {
  const Expr half = 0.5 * window(z);
  Expr total = 0.0;
  const auto add = [&](double abscissa, double weight) {
    const Expr w = half * (1.0 + abscissa);
    total = total - weight * exp(w * (z - 0.5 * w)) * expm1(-(s * w));
  };
  for (const numerics::RuleNode& node : numerics::kGaussRule) {
    add(-node.abscissa, node.weight);
    add(node.abscissa, node.weight);
  }
  return -0.5 * square(z) - kHalfLog2Pi + log(half) + log(total);
}
// The 40 points of the rule follow exponents up to 80.
Expr log_cdf(const Expr& y, Args args) {
  const Expr z = standardised(y, args[0], args[1]), s = args[2] * args[1];
  const Expr smooth = less(z, 8.0) * less(s * window(fmin(z, 8.0)), 40.0);
  const Expr direct_z = select(smooth, 1.0, z), direct_s = select(smooth, 1.0, s);
  const Expr direct = log_diff_exp(log_phi(direct_z), log_part(direct_z, direct_s));
  return select(smooth, log_integral(select(smooth, z, 0.0), select(smooth, s, 1.0)), direct);
}
Expr log_ccdf(const Expr& y, Args args) {
  return log_sum_exp(log_phi(standardised(args[0], y, args[1])), log_part(y, args));
}
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double draw(Rng& rng, Params args) {
  return args[0] + args[1] * rng.normal() + rng.exponential() / args[2];
}
double mean(Params args) { return args[0] + 1.0 / args[2]; }
double variance(Params args) { return args[1] * args[1] + 1.0 / (args[2] * args[2]); }
}  // namespace

extern const Distribution exp_mod_normal{
    .name = "exp_mod_normal",
    .args = {{"location parameter"},
             {"scale parameter", Domain::positive_finite},
             {"inverse scale parameter", Domain::positive_finite}},
    .reference = "grushka1972",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .draw = draw,
    .mean = mean,
    .variance = variance};

}  // namespace credo::dist::exp_mod_normal_row
