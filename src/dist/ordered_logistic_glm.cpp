// Ordered logistic regression: y ~ ordered_logistic(x beta, c). Arguments: x, beta, c.
#include "dist/linear_predictor.hpp"
#include "dist/ordered.hpp"

namespace credo::dist::ordered_logistic_glm_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return ordered_logistic_terms(
      group_outcomes(y, linear_predictor(args[0], 0.0, args[1]), args[2]));
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_design(y, args[0], args[1], function, checks);
  check_ordered(y, args.subspan(1), function, checks);
}
std::vector<Part> parts(Args args) {
  const Expr eta = linear_predictor(args[0], 0.0, args[1]);
  std::vector<Part> out;
  for (Index i = 0; i < eta.size(); ++i)
    out.push_back({find("ordered_logistic"), {eta.element(i), args[2]}});
  return out;
}
std::vector<double> draw_all(Rng& rng, Args args) { return draw_parts(rng, parts(args)); }
}  // namespace

extern const Distribution ordered_logistic_glm{
    .name = "ordered_logistic_glm",
    .kind = Kind::multivariate,
    .discrete = true,
    .known_outcome = true,
    .args = {{"matrix of independent variables"}, {"weight vector"}, {"cut-points"}},
    .outcome = {"vector of dependent variables", Domain::integer},
    .reference = "mccullagh1980",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .parts = parts};

}  // namespace credo::dist::ordered_logistic_glm_row
