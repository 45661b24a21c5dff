// White balls among N drawn from an urn of a white and b black ones:
//   log p = lchoose(a, y) + lchoose(b, N - y) - lchoose(a + b, N).
#include "dist/mass_sums.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::hypergeometric_row {
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
// Inversion from the mode outwards, the likelier neighbour next: about two standard deviations of
// steps. The rest by rounding belongs to the mode.
double draw(Rng& rng, Params args) {
  const double drawn = args[0], white = args[1], black = args[2];
  const std::array<Expr, 3> in{drawn, white, black};
  const double lower = std::max(0.0, drawn - black), upper = std::min(drawn, white);
  const double mode = std::clamp(
      numerics::floor((drawn + 1.0) * (white + 1.0) / (white + black + 2.0)), lower, upper);
  const double at_mode = numerics::exp(log_density(mode, in)[0].value());
  double left = mode, right = mode, below = at_mode, above = at_mode, rest = rng.uniform();
  for (double k = mode, mass = at_mode;;) {
    if ((rest -= mass) <= 0.0) return k;
    const double next_below =
        left * (black - drawn + left) / ((white - left + 1.0) * (drawn - left + 1.0)) * below;
    const double next_above =
        (white - right) * (drawn - right) / ((right + 1.0) * (black - drawn + right + 1.0)) * above;
    if (!(next_below > 0.0 || next_above > 0.0)) return mode;
    if (next_below > next_above) {
      k = left -= 1.0;
      mass = below = next_below;
    } else {
      k = right += 1.0;
      mass = above = next_above;
    }
  }
}
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
                                         .draw = draw,
                                         .mean = mean,
                                         .variance = variance};

}  // namespace credo::dist::hypergeometric_row
