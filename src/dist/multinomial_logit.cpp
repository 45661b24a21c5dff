// Multinomial counts by unnormalised log odds gamma: theta = softmax(gamma).
#include "dist/counts.hpp"
#include "dist/samplers.hpp"

namespace credo::dist::multinomial_logit_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {log_coefficient(y), sum(y * (args[0] - log_sum_exp(args[0])))};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_counts(y, args[0], function, checks);
}
// Arguments of _rng: gamma and N.
std::vector<double> draw_all(Rng& rng, Args args) {
  const Expr weights = exp(args[0] - log_sum_exp(args[0]));
  return draw_counts(rng, weights.values(), args[1].value());
}
Moments moments(Args args) {
  const Expr weights = exp(args[0] - log_sum_exp(args[0]));
  return multinomial_moments(weights.values(), args[1].value());
}
}  // namespace

extern const Distribution multinomial_logit{
    .name = "multinomial_logit",
    .kind = Kind::multivariate,
    .discrete = true,
    .args = {{"log odds parameter"}},
    .outcome = {"number of trials variable", Domain::integer},
    .reference = "johnson1997, ch. 35",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .moments = moments};

}  // namespace credo::dist::multinomial_logit_row
