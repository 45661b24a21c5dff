// Normal linear regression: y ~ normal(alpha + x beta, sigma). Arguments: x, alpha, beta, sigma.
#include "dist/formula.hpp"
#include "dist/linear_predictor.hpp"

namespace credo::dist::normal_id_glm_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Index count = num_outcomes(y, args[0], args[1]);
  const Expr z = standardised(y, linear_predictor(args[0], args[1], args[2]), args[3]);
  return {-kHalfLog2Pi * static_cast<double>(count), -per_outcome(log(args[3]), count),
          -0.5 * per_outcome(square(z), count)};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_design(y, args[0], args[2], function, checks);
}
Part rows(Args args) {
  return {find("normal"), {linear_predictor(args[0], args[1], args[2]), args[3]}};
}
std::vector<Part> parts(Args args) {
  return parts_by_rows(rows(args), num_outcomes(1.0, args[0], args[1]));
}
std::vector<double> draw_all(Rng& rng, Args args) { return draw_parts(rng, parts(args)); }
}  // namespace

extern const Distribution normal_id_glm{.name = "normal_id_glm",
                                        .kind = Kind::multivariate,
                                        .args = {{"matrix of independent variables"},
                                                 {"intercept"},
                                                 {"weight vector"},
                                                 {"scale vector", Domain::positive_finite}},
                                        .reference = "mccullagh1989, ch. 3",
                                        .log_density = log_density,
                                        .check = check,
                                        .draw_all = draw_all,
                                        .parts = parts,
                                        .rows = rows};

}  // namespace credo::dist::normal_id_glm_row
