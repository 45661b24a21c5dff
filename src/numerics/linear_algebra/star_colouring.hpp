// Products with a sparse symmetric matrix that give all of its elements: columns of one colour are multiplied together.
//
// A star colouring [gebremedhin2007]: neighbours have different colours, and no path of four vertices has only two. Then of each
// pair of neighbours i and j one is the only neighbour of the other that has its colour, so that the element is read directly.
#pragma once
#include "base/types.hpp"
#include "credo/sparse.hpp"

namespace credo::numerics {

struct ColumnColours {
  std::vector<std::int32_t> colour;  // colour of each column, from 0
  Index num_colours = 0;
  // The element at each place of the pattern is row `row` of the product with colour `of`'s columns.
  struct Source {
    std::int32_t row = 0, of = 0;
  };
  std::vector<Source> sources;
};

// Greedy, in the order of the columns and in that of their degrees; the better of the two.
ColumnColours star_colours(const SparsePattern& pattern);

}  // namespace credo::numerics
