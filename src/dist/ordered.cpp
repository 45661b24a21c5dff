#include "dist/ordered.hpp"

namespace credo::dist {
namespace {
using Indices = std::vector<std::int32_t>;

struct Places {
  Indices outcome, below, above;
};

Index num_cutpoints(const Expr& cutpoints) {
  return cutpoints.shape().batch == 0 ? 0 : cutpoints.size() / cutpoints.shape().batch;
}

Expr take(const Expr& x, const Indices& index) {
  const auto shape = graph::vector_shape(ssize(index));
  return gather(shape, x, index);
}

std::optional<OrderedGroup> group(const Places& places, const Expr& eta, const Expr& cutpoints) {
  if (places.outcome.empty()) return std::nullopt;
  OrderedGroup g;
  g.eta = eta.is_scalar() ? eta : take(eta, places.outcome);
  if (!places.below.empty()) g.below = take(cutpoints, places.below);
  if (!places.above.empty()) g.above = take(cutpoints, places.above);
  return g;
}
}  // namespace

OrderedGroups group_outcomes(const Expr& y, const Expr& eta, const Expr& cutpoints) {
  Places first, middle, last;
  const Index cuts = num_cutpoints(cutpoints), size = std::max(y.size(), eta.size());
  for (Index i = 0; i < size; ++i) {
    const Index k = category(y, i, cuts + 1);
    const Index start = cutpoints.shape().batch > 1 ? i * cuts : 0;
    Places& places = k == 1 && cuts > 0 ? first : k == cuts + 1 ? last : middle;
    if (cuts == 0) continue;  // one category is certain
    places.outcome.push_back(static_cast<std::int32_t>(i));
    if (k > 1) places.below.push_back(static_cast<std::int32_t>(start + k - 2));
    if (k <= cuts) places.above.push_back(static_cast<std::int32_t>(start + k - 1));
  }
  return {group(first, eta, cutpoints), group(middle, eta, cutpoints), group(last, eta, cutpoints)};
}

Terms ordered_logistic_terms(const OrderedGroups& groups) {
  Terms terms;
  if (groups.first) terms.push_back(log_inv_logit(groups.first->above - groups.first->eta));
  if (groups.last) terms.push_back(log_inv_logit(groups.last->eta - groups.last->below));
  if (groups.middle) {
    const OrderedGroup& m = *groups.middle;
    terms.push_back(log_inv_logit_diff(m.eta - m.below, m.eta - m.above));
  }
  return terms;
}

std::vector<double> draw_ordered(Rng& rng, const Expr& below) {
  const double u = rng.uniform();
  Index k = 0;
  while (k < below.size() && below.value(k) < u) ++k;
  return {1.0 + static_cast<double>(k)};
}

void check_ordered(const Expr& y, Args args, std::string_view function, Checks& checks) {
  const Expr& cutpoints = args[1];
  const Index cuts = num_cutpoints(cutpoints);
  if (!y.empty()) check_category(y, cuts + 1, function, checks);
  for (Index b = 0; cuts > 1 && b < cutpoints.shape().batch; ++b) {
    checks.greater(part(cutpoints, b * cuts + 1, cuts - 1), part(cutpoints, b * cuts, cuts - 1),
                   {function, "cut-points", "strictly increasing"});
  }
}

}  // namespace credo::dist
