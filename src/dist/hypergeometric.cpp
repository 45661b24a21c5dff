// White balls among N drawn from an urn of a white and b black ones:
//   log p = lchoose(a, y) + lchoose(b, N - y) - lchoose(a + b, N).
#include "dist/mass_sums.hpp"

namespace credo::dist {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &drawn = args[0], &white = args[1], &black = args[2];
  return {lchoose(white, y) + lchoose(black, drawn - y) - lchoose(white + black, drawn)};
}
Support support(Args args) { return {fmax(0.0, args[0] - args[2]), fmin(args[0], args[1])}; }
void check(const Expr&, Args args, std::string_view function, Checks& checks) {
  checks.less_equal(args[0], args[1] + args[2],
                    {function, "draws parameter", "at most the number of balls"});
}
Tails tails(const Expr& y, Args args) {
  return tails_by_masses(log_density, y, args, support(args));
}
Expr log_cdf(const Expr& y, Args args) { return tails(y, args).log_cdf; }
Expr log_ccdf(const Expr& y, Args args) { return tails(y, args).log_ccdf; }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double mean(Params args) { return args[0] * args[1] / (args[1] + args[2]); }
double variance(Params args) {
  const double total = args[1] + args[2], p = args[1] / total;
  return total > 1.0 ? args[0] * p * (1.0 - p) * (total - args[0]) / (total - 1.0) : 0.0;
}
}  // namespace

extern const Distribution hypergeometric{.name = "hypergeometric",
                                         .discrete = true,
                                         .args = {{"draws parameter", Domain::count},
                                                  {"white balls parameter", Domain::count},
                                                  {"black balls parameter", Domain::count}},
                                         .outcome = {"successes variable", Domain::integer},
                                         .support = support,
                                         .support_rule = "a number that the urn allows",
                                         .reference = "johnson2005, ch. 6",
                                         .log_density = log_density,
                                         .check = check,
                                         .cdf = cdf,
                                         .log_cdf = log_cdf,
                                         .log_ccdf = log_ccdf,
                                         .mean = mean,
                                         .variance = variance};

}  // namespace credo::dist
