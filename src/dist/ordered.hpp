// Shared parts of the ordered distributions: outcomes sorted by which of their two cutpoints exist.
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

struct OrderedGroup {
  Expr eta, below, above;  // one element an outcome; `below` is empty for the first category,
                           // `above` for the last
};
struct OrderedGroups {
  std::optional<OrderedGroup> first, middle, last;
};

// y: outcomes in 1..K; eta: one or as many; cutpoints: one vector of K - 1, or one for each
// outcome.
OrderedGroups group_outcomes(const Expr& y, const Expr& eta, const Expr& cutpoints);

Terms ordered_logistic_terms(const OrderedGroups& groups);

// A category from 1 whose probabilities up to k = 1..K-1 are `below`.
std::vector<double> draw_ordered(Rng& rng, const Expr& below);

// Outcomes within 1..K, cutpoints finite and increasing.
void check_ordered(const Expr& y, Args args, std::string_view function, Checks& checks);

}  // namespace credo::dist
