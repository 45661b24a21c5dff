// Categorical on 1..K by unnormalised log odds: log p = beta[y] - log_sum_exp(beta).
#include "dist/formula.hpp"
#include "dist/samplers.hpp"

namespace credo::dist::categorical_logit_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return {sum(pick(args[0], y)) - static_cast<double>(y.size()) * log_sum_exp(args[0])};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_category(y, args[0].size(), function, checks);
}
std::vector<double> draw_all(Rng& rng, Args args) {
  const Expr weights = exp(args[0] - max_element(args[0]));
  return {1.0 + static_cast<double>(draw_category(rng, weights.values()))};
}
Index num_categories(Args args) { return args[0].size(); }
}  // namespace

extern const Distribution categorical_logit{
    .name = "categorical_logit",
    .kind = Kind::multivariate,
    .discrete = true,
    .args = {{"log odds parameter"}},
    .outcome = {"categorical outcome out of support", Domain::integer},
    .reference = "johnson1997, ch. 35",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .drawn = Drawn::number,
    .num_categories = num_categories};

}  // namespace credo::dist::categorical_logit_row
