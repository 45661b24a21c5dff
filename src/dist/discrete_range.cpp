// Uniform on the whole numbers from lower to upper; 0 outside.
#include "dist/formula.hpp"

namespace credo::dist::discrete_range_row {
namespace {

Expr size(Args args) { return args[1] - args[0] + 1.0; }
Terms log_density(const Expr&, Args args) { return {-log(size(args))}; }
Expr cdf(const Expr& y, Args args) { return (y - args[0] + 1.0) / size(args); }
Expr log_cdf(const Expr& y, Args args) { return log(cdf(y, args)); }
Expr log_ccdf(const Expr& y, Args args) { return log((args[1] - y) / size(args)); }
Support support(Args args) { return {args[0], args[1]}; }
void check(const Expr&, Args args, std::string_view function, Checks& checks) {
  checks.greater_equal(args[1], args[0],
                       {function, "upper bound parameter", "at least the lower bound"});
}
double draw(Rng& rng, Params args) {
  return args[0] + static_cast<double>(rng.index_below(static_cast<Index>(args[1] - args[0]) + 1));
}
double mean(Params args) { return 0.5 * args[0] + 0.5 * args[1]; }
double variance(Params args) {
  const double n = args[1] - args[0] + 1.0;
  return (n * n - 1.0) / 12.0;
}
double entropy(Params args) { return numerics::log(args[1] - args[0] + 1.0); }
}  // namespace

extern const Distribution discrete_range{.name = "discrete_range",
                                         .discrete = true,
                                         .args = {{"lower bound parameter", Domain::integer},
                                                  {"upper bound parameter", Domain::integer}},
                                         .outcome = {"random variable", Domain::integer},
                                         .support = support,
                                         .outside = Outside::minus_infinity,
                                         .reference = "johnson2005, ch. 6",
                                         .log_density = log_density,
                                         .check = check,
                                         .cdf = cdf,
                                         .log_cdf = log_cdf,
                                         .log_ccdf = log_ccdf,
                                         .draw = draw,
                                         .mean = mean,
                                         .variance = variance,
                                         .entropy = entropy};

}  // namespace credo::dist::discrete_range_row
