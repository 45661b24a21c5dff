// Ordered probit on 1..K with increasing cutpoints c: P(y = k) = Phi(eta - c[k-1]) - Phi(eta -
// c[k]), the missing ends being -infinity and infinity.
#include "dist/formula.hpp"
#include "dist/ordered.hpp"

namespace credo::dist::ordered_probit_row {
namespace {

// log(Phi(a) - Phi(b)), a > b, by the smaller tail.
Expr log_phi_diff(const Expr& a, const Expr& b) {
  const Expr right = less(0.0, a + b);
  return log_diff_exp(log_phi(select(right, -b, a)), log_phi(select(right, -a, b)));
}
Terms log_density(const Expr& y, Args args) {
  const OrderedGroups groups = group_outcomes(y, args[0], args[1]);
  Terms terms;
  if (groups.first) terms.push_back(log_phi(groups.first->above - groups.first->eta));
  if (groups.last) terms.push_back(log_phi(groups.last->eta - groups.last->below));
  if (groups.middle) {
    const OrderedGroup& m = *groups.middle;
    terms.push_back(log_phi_diff(m.eta - m.below, m.eta - m.above));
  }
  return terms;
}
std::vector<double> draw_all(Rng& rng, Args args) {
  return draw_ordered(rng, phi(args[1] - args[0]));
}
Index num_categories(Args args) { return args[1].size() + 1; }
}  // namespace

extern const Distribution ordered_probit{.name = "ordered_probit",
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

}  // namespace credo::dist::ordered_probit_row
