// Conway-Maxwell-Poisson counts with location mu, near the mode, and shape nu: p(y) is proportional to (mu^y / y!)^nu; 1 is Poisson.
#include "dist/com_poisson_parts.hpp"

namespace credo::dist::com_poisson_row {
namespace {

ComPoissonArgs of(Args args) { return {log(args[0]), args[1]}; }
Terms log_density(const Expr& y, Args args) { return com_poisson_log_density(y, of(args)); }
Expr log_cdf(const Expr& y, Args args) { return com_poisson_log_cdf(y, of(args)); }
Expr log_ccdf(const Expr& y, Args args) { return com_poisson_log_ccdf(y, of(args)); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
void check(const Expr&, Args args, std::string_view function, Checks& checks) {
  check_com_poisson(of(args), function, checks);
}
double eta(Params args) { return numerics::log(args[0]); }
double draw(Rng& rng, Params args) { return draw_com_poisson(rng, eta(args), args[1]); }
double mean(Params args) { return com_poisson_mean(eta(args), args[1]); }
double variance(Params args) { return com_poisson_variance(eta(args), args[1]); }
double entropy(Params args) { return com_poisson_entropy(eta(args), args[1]); }
}  // namespace

extern const Distribution com_poisson{.name = "com_poisson",
                                      .discrete = true,
                                      .args = {{"location parameter", Domain::positive_finite},
                                               {"shape parameter", Domain::positive_finite}},
                                      .outcome = {"random variable", Domain::integer},
                                      .lower = 0.0,
                                      .reference = "guikema2008",
                                      .log_density = log_density,
                                      .check = check,
                                      .cdf = cdf,
                                      .log_cdf = log_cdf,
                                      .log_ccdf = log_ccdf,
                                      .draw = draw,
                                      .mean = mean,
                                      .variance = variance,
                                      .entropy = entropy};

}  // namespace credo::dist::com_poisson_row
