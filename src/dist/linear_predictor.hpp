// The linear predictor of the generalised linear models: alpha + x beta, one element a row. A row
// vector x is one row that serves all outcomes.
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

Expr linear_predictor(const Expr& x, const Expr& alpha, const Expr& beta);

// x has as many columns as beta has elements, and as many rows as there are outcomes unless it has
// one.
void check_design(const Expr& y, const Expr& x, const Expr& beta, std::string_view function,
                  Checks& checks);

// The number of outcomes of y, x and alpha.
Index num_outcomes(const Expr& y, const Expr& x, const Expr& alpha);

// `count` outcomes, the arguments of which are scalars or have one element an outcome.
std::vector<Part> parts_by_rows(const Part& rows, Index count);
// A draw of each.
std::vector<double> draw_parts(Rng& rng, std::span<const Part> parts);

// A term that may have come out as one number for all outcomes.
Expr per_outcome(const Expr& term, Index count);

}  // namespace credo::dist
