// Bases of smooth functions with their penalties, as mgcv has them [wood2017, ch. 5], and how they become random effects: columns
// without a penalty, which are lines, and columns whose coefficients are standard normals times one standard deviation.
#pragma once
#include "models/formula/bases.hpp"
#include "models/formula/stan_parts.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {

// Numbers by which a program computes the columns: a row for each knot, a column for each function of the basis.
struct BasisTable {
  std::string name, comment;
  numerics::DenseMatrix numbers;
};

struct SmoothBasis {
  numerics::DenseMatrix columns = {};  // at the rows of the table: n x k
  numerics::DenseMatrix penalty = {};  // S: a function with the coefficients b has the penalty b' S b
  // Coefficients of 1 and of each (x - mean): the functions without a penalty, k x (1 + number of slopes).
  numerics::DenseMatrix lines = {};
  std::string_view function;  // in the program: function(x, knots, tables)
  std::string inputs = {};         // its first argument; {x} stands for the column, {centred} for (x - mean)
  ProgramConstant knots = {};
  std::vector<BasisTable> tables = {};

  Index num_slopes() const { return lines.cols - 1; }
};

// Columns of a smooth as random effects. Their sums over the rows are zero, and they are orthogonal to its lines, so that the slopes of
// the lines are those of the smooth; the mean square of a function with standard normal coefficients is 1 at the rows. The columns are
// orthogonal to each other, the largest first, so that the data inform each coefficient by itself [demmler1975].
struct SmoothMap {
  numerics::DenseMatrix map;      // k x q
  numerics::DenseMatrix columns;  // n x q
  // An sd of mgcv's (and so brms's) random effects times this is the sd of these.
  double peer_units = 1.0;
};
// `is_centred`: the sum of the function over the rows is zero, as mgcv has it; else the smooth has a level of its own.
SmoothMap smooth_map(const SmoothBasis& basis, bool is_centred);

// How many of the first columns are known so well that their coefficients are better parameters than standard normals: their expected
// squared sum is above ten error variances at the ratio of variances that has the largest marginal likelihood for the outcome of a smooth
// alone; without an outcome the sd is half that of the errors.
Index num_informed(const SmoothMap& map, const numerics::DenseMatrix& lines,
                   std::span<const double> outcome);

struct SmoothKind {
  std::string_view name, words;  // "cr", "a cubic regression spline"
  Index most_columns = 1;        // that it is a function of
  Index least = 3;               // functions of the basis for one column
  // `inputs`: the columns. At least as many different rows as functions.
  SmoothBasis (*make)(const Columns& inputs, Index num_functions);
};
std::span<const SmoothKind* const> smooth_kinds();  // alphabetical
const SmoothKind* find_smooth_kind(std::string_view name);
// Functions of programs that kinds name.
std::span<const StanFunction> smooth_functions();

// Values and second derivatives of functions at knots make piecewise cubics; beyond the knots they are lines.
numerics::DenseMatrix piecewise_cubics(std::span<const double> x, std::span<const double> knots,
                                       const numerics::DenseMatrix& values,
                                       const numerics::DenseMatrix& curvature);

}  // namespace credo::models
