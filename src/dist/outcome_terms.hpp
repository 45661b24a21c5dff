// Log densities of several vectors at once, one number for each, of distributions whose formula adds the vectors up: loops by columns read
// these where a density enters an expression, as in a mixture.
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

// Terms with one element for each outcome, or scalars that count for each. Null: the distribution has no such formula.
using OutcomeTerms = Terms (*)(const Expr& y, Args args);
OutcomeTerms outcome_terms_of(const Distribution& d);

}  // namespace credo::dist
