// Standard normal: log p = -y^2/2 - log(2 pi)/2.
#include "dist/formula.hpp"

namespace credo::dist::std_normal_row {
namespace {

Terms log_density(const Expr& y, Args) { return {-kHalfLog2Pi, -0.5 * square(y)}; }
Expr cdf(const Expr& y, Args) { return phi(y); }
Expr log_cdf(const Expr& y, Args) { return log_phi(y); }
Expr log_ccdf(const Expr& y, Args) { return log_phi(-y); }
double quantile(const Level& at, Params) { return normal_score(at); }
double draw(Rng& rng, Params) { return rng.normal(); }
Expr from_uniform(const Expr& u, Args) { return inv_phi(u); }
double mean(Params) { return 0.0; }
double variance(Params) { return 1.0; }
double entropy(Params) { return kHalfLog2PiE; }
}  // namespace

extern const Distribution std_normal{.name = "std_normal",
                                     .args = {},
                                     .reference = "johnson1994, ch. 13",
                                     .log_density = log_density,
                                     .cdf = cdf,
                                     .log_cdf = log_cdf,
                                     .log_ccdf = log_ccdf,
                                     .quantile = quantile,
                                     .draw = draw,
                                     .from_uniform = from_uniform,
                                     .mean = mean,
                                     .variance = variance,
                                     .entropy = entropy};

}  // namespace credo::dist::std_normal_row
