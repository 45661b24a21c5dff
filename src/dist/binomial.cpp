// Binomial of size N: log p = lchoose(N, y) + y log theta + (N - y) log(1 - theta), with 0 log 0 =
// 0. P(Y <= y) = I_{1-theta}(N - y, y + 1) for y < N, else 1.
#include "dist/formula.hpp"
#include "dist/samplers.hpp"

namespace credo::dist {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &size = args[0], &theta = args[1];
  return {lchoose(size, y), multiply_log(y, theta) + multiply_log(size - y, 1.0 - theta)};
}
Expr log_odds(const Expr& theta) { return log(theta) - log1p(-theta); }
// The shapes of the incomplete beta function: failures left and successes above y; 1 and 1 where y
// = N.
struct Shapes {
  Expr below, rest, next;
};
Shapes shapes(const Expr& y, const Expr& size) {
  const Expr below = less(y, size);
  return {below, select(below, size - y, 1.0), select(below, y + 1.0, 1.0)};
}
Expr log_cdf(const Expr& y, Args args) {
  const Shapes s = shapes(y, args[0]);
  return select(s.below, log_inc_beta(s.rest, s.next, -log_odds(args[1])), 0.0);
}
Expr log_ccdf(const Expr& y, Args args) {
  const Shapes s = shapes(y, args[0]);
  return select(s.below, log_inc_beta(s.next, s.rest, log_odds(args[1])), -kInfinity);
}
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
Support support(Args args) { return {0.0, args[0]}; }
double draw(Rng& rng, Params args) { return draw_binomial(rng, args[0], args[1]); }
double mean(Params args) { return args[0] * args[1]; }
double variance(Params args) { return args[0] * args[1] * (1.0 - args[1]); }
Terms information(Args args) { return {{}, {}, args[0] / (args[1] * (1.0 - args[1]))}; }
}  // namespace

extern const Distribution binomial{.name = "binomial",
                                   .discrete = true,
                                   .args = {{"population size parameter", Domain::count},
                                            {"probability parameter", Domain::probability}},
                                   .outcome = {"successes variable", Domain::integer},
                                   .support = support,
                                   .support_rule = "between 0 and the population size",
                                   .reference = "johnson2005, ch. 3",
                                   .log_density = log_density,
                                   .cdf = cdf,
                                   .log_cdf = log_cdf,
                                   .log_ccdf = log_ccdf,
                                   .draw = draw,
                                   .mean = mean,
                                   .variance = variance,
                                   .information = information};

}  // namespace credo::dist
