// Ordered logistic on 1..K with increasing cutpoints c: P(y = k) = inv_logit(eta - c[k-1]) -
// inv_logit(eta - c[k]), the missing ends being -infinity and infinity; a difference is taken by
// one row, log_inv_logit_diff.
#include "dist/formula.hpp"
#include "dist/ordered.hpp"
#include "dist/samplers.hpp"

namespace credo::dist::ordered_logistic_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  return ordered_logistic_terms(group_outcomes(y, args[0], args[1]));
}
std::vector<double> draw_all(Rng& rng, Args args) {
  return draw_ordered(rng, inv_logit(args[1] - args[0]));
}
Index num_categories(Args args) { return args[1].size() + 1; }
}  // namespace

extern const Distribution ordered_logistic{.name = "ordered_logistic",
                                           .kind = Kind::multivariate,
                                           .discrete = true,
                                           .known_outcome = true,
                                           .args = {{"location parameter"}, {"cut-points"}},
                                           .outcome = {"random variable", Domain::integer},
                                           .reference = "mccullagh1980",
                                           .log_density = log_density,
                                           .check = check_ordered,
                                           .draw_all = draw_all,
                                           .drawn = Drawn::number,
                                           .num_categories = num_categories};

}  // namespace credo::dist::ordered_logistic_row
