// Sums of squared residuals whose unknowns belong to several indices, by the sums of each pair of indices:
//
//   r = c + Z p:   sum r^2 = |e|^2 + 2 b'd + d'A d,   d = p - p0,  e = c + Z p0,  b = Z'e,  A = Z'Z
//
// p0 is a least squares fit, so b is nearly 0 and the sum added to |e|^2 is positive: small residuals keep their digits. A has
// an element for each pair of levels that meet in a row, where groups would need one for each combination of all indices.
#pragma once
#include "graph/passes/simplify_groups.hpp"

namespace credo::graph {

// The unknowns of products with equal known numbers: one for each class of rows.
struct CrossedColumn {
  std::vector<std::size_t> products;  // empty: only means of others are added to this unknown
  std::vector<KnownFactor> known;
  std::size_t partition = 0;
  double number(Index row) const;
};

struct CrossedPlan {
  ProductSum sum;
  std::vector<RowGroups> partitions;   // classes of rows; the first has all rows in one
  std::vector<CrossedColumn> columns;  // those of all rows first, then the finest partitions
  std::size_t num_shared = 0;          // columns of all rows
  std::vector<std::size_t> known;      // the products without unknowns: c
  double cost = 0.0;                   // operations of the sums
  Index pairs = 0;                     // pairs of levels that meet

  Index count(std::size_t column) const {
    return partitions[columns[column].partition].count();
  }
  double constant(Index row) const;
  // True if each class of rows of `fine` lies in one of `coarse`, and both have the same known numbers.
  bool lies_in(std::size_t fine, std::size_t coarse) const;
};

// True if a block of so many pairs is faster as a matrix than as a list of products.
inline bool is_dense_block(Index pairs, Index rows, Index cols) { return 8 * pairs >= rows * cols; }

// Nothing if no two indices cross, if no numbers without unknowns stand in the sum and `needs_constants`, or if there are too many
// columns.
std::optional<CrossedPlan> plan_crossed(const Graph& graph, ClassFinder& classes, ProductSum sum,
                                        bool needs_constants);

// Sums of products of two columns, for the levels that meet; a column with itself has all its levels.
struct CrossedPair {
  std::size_t first = 0, second = 0;               // columns, first <= second
  std::vector<std::int32_t> of_first, of_second;   // levels
  std::vector<double> value;
};

struct CrossedSums {
  std::vector<CrossedPair> pairs;
  std::vector<std::vector<double>> fit, slope;  // p0 and b, by column
  double rest = 0.0;                            // |e|^2
};
double reading_cost(const CrossedPlan& plan);
// Nothing if the sums aren't finite.
std::optional<CrossedSums> crossed_sums(const CrossedPlan& plan);

}  // namespace credo::graph
