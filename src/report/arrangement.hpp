// Grouping and order of quantities in pictures: elements of arrays in the order of their names, columns of matrices
// separately, and quantities of another scale in their own panels.
#pragma once
#include "report/material.hpp"

namespace credo::report {

struct QuantityGroup {
  std::string title = {};              // "b[*,2]"; empty if the quantities' names suffice
  std::string index = {};              // meaning of `along`: "index of theta"
  std::vector<Index> quantities = {};  // in the order of their names
  Series along = {};                   // index of each quantity; 1, 2, ... if several indices vary
};

// A group for each variable, in the order in which the variables first occur. A matrix has one group for each value
// of its shorter index (as intercepts and slopes), unless it is square or would have more than 12.
std::vector<QuantityGroup> groups_of(const Material& material, std::span<const Index> quantities);

// Joins neighbouring groups that are drawn on one axis, as long as every interval takes at least 1/12 of it.
// Variables of at most 12 elements with shorter intervals are split first: vectors into elements, square matrices
// into columns.
std::vector<QuantityGroup> joined_by_scale(const Material& material,
                                           std::vector<QuantityGroup> groups);

}  // namespace credo::report
