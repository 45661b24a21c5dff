// Bernoulli: log p = y log theta + (1 - y) log(1 - theta), with 0 log 0 = 0.
#include "dist/entropy.hpp"
#include "dist/formula.hpp"

namespace credo::dist::bernoulli_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {multiply_log(y, args[0]) + multiply_log(1.0 - y, 1.0 - args[0])};
}
Expr cdf(const Expr& y, Args args) { return 1.0 - select(less(y, 1.0), args[0], 0.0); }
Expr log_cdf(const Expr& y, Args args) { return select(less(y, 1.0), log1p(-args[0]), 0.0); }
Expr log_ccdf(const Expr& y, Args args) { return select(less(y, 1.0), log(args[0]), -kInfinity); }
double draw(Rng& rng, Params args) { return rng.uniform() < args[0] ? 1.0 : 0.0; }
Expr from_uniform(const Expr& u, Args args) { return less(u, args[0]); }
double mean(Params args) { return args[0]; }
double variance(Params args) { return args[0] * (1.0 - args[0]); }
double entropy(Params args) { return -(x_log_x(args[0]) + x_log1p(1.0 - args[0], -args[0])); }
Terms information(Args args) { return {inv(args[0] * (1.0 - args[0]))}; }
}  // namespace

extern const Distribution bernoulli{.name = "bernoulli",
                                    .discrete = true,
                                    .args = {{"probability parameter", Domain::probability}},
                                    .outcome = {"random variable", Domain::integer},
                                    .lower = 0.0,
                                    .upper = 1.0,
                                    .reference = "johnson2005, ch. 3",
                                    .log_density = log_density,
                                    .cdf = cdf,
                                    .log_cdf = log_cdf,
                                    .log_ccdf = log_ccdf,
                                    .draw = draw,
                                    .from_uniform = from_uniform,
                                    .mean = mean,
                                    .variance = variance,
                                    .entropy = entropy,
                                    .information = information};

}  // namespace credo::dist::bernoulli_row
