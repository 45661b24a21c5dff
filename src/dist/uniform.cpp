// Uniform on [a, b]: log p = -log(b - a); 0 outside.
#include "dist/formula.hpp"

namespace credo::dist::uniform_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  (void)y;
  return {-log(args[1] - args[0])};
}
Expr cdf(const Expr& y, Args args) { return (y - args[0]) / (args[1] - args[0]); }
Expr log_cdf(const Expr& y, Args args) { return log(cdf(y, args)); }
Expr log_ccdf(const Expr& y, Args args) { return log((args[1] - y) / (args[1] - args[0])); }
Support support(Args args) { return {args[0], args[1]}; }
void check(const Expr&, Args args, std::string_view function, Checks& checks) {
  checks.greater(args[1], args[0],
                 {function, "upper bound parameter", "greater than the lower bound"});
}
double quantile(const Level& at, Params args) {
  return at.p < 0.5 ? args[0] + at.p * (args[1] - args[0]) : args[1] - at.q * (args[1] - args[0]);
}
double draw(Rng& rng, Params args) { return args[0] + rng.uniform() * (args[1] - args[0]); }
Expr from_uniform(const Expr& u, Args args) { return args[0] + u * (args[1] - args[0]); }
double mean(Params args) { return 0.5 * args[0] + 0.5 * args[1]; }
double variance(Params args) { return (args[1] - args[0]) * (args[1] - args[0]) / 12.0; }
double entropy(Params args) { return numerics::log(args[1] - args[0]); }
}  // namespace

extern const Distribution uniform{.name = "uniform",
                                  .args = {{"lower bound parameter"}, {"upper bound parameter"}},
                                  .support = support,
                                  .outside = Outside::minus_infinity,
                                  .reference = "johnson1995, ch. 26",
                                  .log_density = log_density,
                                  .check = check,
                                  .cdf = cdf,
                                  .log_cdf = log_cdf,
                                  .log_ccdf = log_ccdf,
                                  .quantile = quantile,
                                  .draw = draw,
                                  .from_uniform = from_uniform,
                                  .mean = mean,
                                  .variance = variance,
                                  .entropy = entropy};

}  // namespace credo::dist::uniform_row
