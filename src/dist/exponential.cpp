// Exponential with rate beta: log p = log beta - beta y.
#include "dist/formula.hpp"

namespace credo::dist::exponential_row {
namespace {

Terms log_density(const Expr& y, Args args) { return {log(args[0]), -(args[0] * y)}; }
Expr cdf(const Expr& y, Args args) { return -expm1(-(args[0] * y)); }
Expr log_cdf(const Expr& y, Args args) { return log1m_exp(-(args[0] * y)); }
Expr log_ccdf(const Expr& y, Args args) { return -(args[0] * y); }
double quantile(const Level& at, Params args) { return -at.log_q / args[0]; }
double draw(Rng& rng, Params args) { return rng.exponential() / args[0]; }
Expr from_uniform(const Expr& u, Args args) { return -log(u) / args[0]; }
double mean(Params args) { return 1.0 / args[0]; }
double variance(Params args) { return 1.0 / (args[0] * args[0]); }
double entropy(Params args) { return 1.0 - numerics::log(args[0]); }
Terms information(Args args) { return {inv(square(args[0]))}; }
}  // namespace

extern const Distribution exponential{
    .name = "exponential",
    .args = {{"inverse scale parameter", Domain::positive_finite}},
    .lower = 0.0,
    .reference = "johnson1994, ch. 19",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .quantile = quantile,
    .draw = draw,
    .from_uniform = from_uniform,
    .mean = mean,
    .variance = variance,
    .entropy = entropy,
    .information = information};

}  // namespace credo::dist::exponential_row
