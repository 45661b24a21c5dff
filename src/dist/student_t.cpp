// Student's t: log p = lgamma_excess(nu/2, 1/2) - log(2 pi)/2 - log sigma - (nu + 1)/2
// log1p(z^2/nu), which tends to the normal without loss as nu grows, because lgamma((nu+1)/2) -
// lgamma(nu/2) - log(nu/2)/2 is one row. Tails: with s = logit(nu/(nu + z^2)) = log(nu/z^2), P(|T|
// > |z|) = I(nu/2, 1/2).
#include "dist/formula.hpp"
#include "dist/quantile.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::student_t_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr& nu = args[0];
  const Expr z = standardised(y, args[1], args[2]);
  return {-kHalfLog2Pi, lgamma_excess(0.5 * nu, 0.5), -log(args[2]),
          -0.5 * (nu + 1.0) * log1p(square(z) / nu)};
}
// log P(T > z); for z < 0 it is log1p(-P(T > -z)). At z = 0 the derivative is that of a nearby z.
Expr log_upper(const Expr& nu, const Expr& z) {
  const Expr size = fmax(abs(z), 1e-150);
  const Expr half = log_inc_beta(0.5 * nu, 0.5, log(nu) - 2.0 * log(size)) - kLog2;
  return select(less(0.0, z), half, log1m_exp(half));
}
Expr log_cdf(const Expr& y, Args args) {
  return log_upper(args[0], standardised(args[1], y, args[2]));
}
Expr log_ccdf(const Expr& y, Args args) {
  return log_upper(args[0], standardised(y, args[1], args[2]));
}
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double quantile(const Level& at, Params args) {
  return args[1] + args[2] * student_t_quantile(at, args[0]);
}
double draw(Rng& rng, Params args) {
  const double chi_square = 2.0 * draw_gamma(rng, 0.5 * args[0]);
  return args[1] + args[2] * rng.normal() * numerics::sqrt(args[0] / chi_square);
}
double mean(Params args) { return args[0] > 1.0 ? args[1] : kNaN; }
double variance(Params args) {
  if (args[0] <= 2.0) return args[0] > 1.0 ? kInfinity : kNaN;
  return args[2] * args[2] * args[0] / (args[0] - 2.0);
}
double entropy(Params args) {
  const double half = 0.5 * args[0];
  return kHalfLog2Pi - numerics::lgamma_excess(half, 0.5) +
         (half + 0.5) * numerics::digamma_delta(half, 0.5) + numerics::log(args[2]);
}
// [lange1989]
Terms information(Args args) {
  const Expr& nu = args[0];
  const Expr of_nu = 0.25 * (trigamma(0.5 * nu) - trigamma(0.5 * (nu + 1.0))) -
                     0.5 * (nu + 5.0) / (nu * (nu + 1.0) * (nu + 3.0));
  const Expr precision = inv((nu + 3.0) * square(args[2]));
  const Expr nu_and_scale = -2.0 / (args[2] * (nu + 1.0) * (nu + 3.0));
  return {of_nu, 0.0, (nu + 1.0) * precision, nu_and_scale, 0.0, 2.0 * nu * precision};
}
}  // namespace

extern const Distribution student_t{
    .name = "student_t",
    .args = {{"degrees of freedom parameter", Domain::positive_finite},
             {"location parameter"},
             {"scale parameter", Domain::positive_finite}},
    .reference = "johnson1995, ch. 28",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .draw = draw,
    .mean = mean,
    .variance = variance,
    .entropy = entropy,
    .information = information};

}  // namespace credo::dist::student_t_row
