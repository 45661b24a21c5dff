// Bases of one column: orthogonal polynomials and splines. Knots and recurrences of the table that a basis was made for are kept,
// so that the same numbers have the same columns in any other table.
#pragma once
#include "models/formula/contrasts.hpp"

namespace credo::models {

// Three-term recurrence of orthogonal polynomials [kennedy1980, pp. 343-344], as R's poly() keeps it.
struct PolyBasis {
  std::vector<double> alpha;  // centre of each degree
  std::vector<double> norm2;  // squared norms of the degrees 0, 1, ...
};
// The values need more different numbers than the degree.
PolyBasis poly_basis(std::span<const double> x, Index degree);
Columns poly_columns(std::span<const double> x, const PolyBasis& basis);

struct SplineBasis {
  std::vector<double> knots;  // with the repeated ones at both ends
  Index degree = 3;
  Columns map =
      {};  // natural splines: the columns as sums of B-splines; empty: the B-splines themselves, without the first
  double first() const { return knots.front(); }
  double last() const { return knots.back(); }
};
// `df` columns; interior knots at quantiles. R's bs() and ns() without intercept.
SplineBasis b_spline(std::span<const double> x, Index df, Index degree);
SplineBasis natural_spline(std::span<const double> x, Index df);
Columns spline_columns(std::span<const double> x, const SplineBasis& basis);

// exp(-½ ((x - centre) / length)²), a column for each centre: the features of a relevance vector machine [tipping2001].
Columns kernel_columns(std::span<const double> x, std::span<const double> centres, double length);

// Borders of cut(x, n): equal widths over the range, which is widened by a thousandth on both sides.
std::vector<double> equal_breaks(std::span<const double> x, Index num_pieces);
// "(1.2,3.4]", as R writes the pieces.
std::vector<std::string> piece_names(std::span<const double> breaks);

double sample_mean(std::span<const double> x);
double sample_sd(std::span<const double> x);                        // n - 1
double sample_quantile(std::vector<double> x, double probability);  // R's type 7

}  // namespace credo::models
