// Multinomial counts with a simplex theta: log p = lgamma(N + 1) - sum lgamma(y + 1) + sum y log
// theta, N = sum y.
#include "dist/counts.hpp"
#include "dist/samplers.hpp"

namespace credo::dist::multinomial_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {log_coefficient(y), sum(multiply_log(y, args[0]))};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_counts(y, args[0], function, checks);
}
// Arguments of _rng: theta and N.
std::vector<double> draw_all(Rng& rng, Args args) {
  return draw_counts(rng, args[0].values(), args[1].value());
}
Moments moments(Args args) { return multinomial_moments(args[0].values(), args[1].value()); }
}  // namespace

extern const Distribution multinomial{.name = "multinomial",
                                      .kind = Kind::multivariate,
                                      .discrete = true,
                                      .args = {{"probabilities parameter", Domain::unit_simplex}},
                                      .outcome = {"number of trials variable", Domain::integer},
                                      .reference = "johnson1997, ch. 35",
                                      .log_density = log_density,
                                      .check = check,
                                      .draw_all = draw_all,
                                      .moments = moments};

}  // namespace credo::dist::multinomial_row
