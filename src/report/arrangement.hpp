// Which quantities are drawn together, and in which order: elements of arrays in the order of their names, columns of matrices
// apart from each other, and what has another scale in a panel of its own.
#pragma once
#include "report/material.hpp"

namespace credo::report {

struct QuantityGroup {
  std::string title = {};              // "b[*,2]"; empty where the names of its quantities say it
  std::string index = {};              // the index that `along` counts: "index of theta"
  std::vector<Index> quantities = {};  // in the order of their names
  Series along = {};                   // the index of each, or its number where several vary
};

// A group for each variable, in the order in which they are named first. A matrix has one for each value of its shorter index
// (of intercepts and slopes, say), unless it is square or would have more than 12.
std::vector<QuantityGroup> groups_of(const Material& material, std::span<const Index> quantities);

// Groups that are drawn on one axis are joined: neighbours, as long as every interval takes 1/12 of it at least. Variables of at
// most 12 elements for which that doesn't hold are parted first: vectors by their elements, square matrices by their columns.
std::vector<QuantityGroup> joined_by_scale(const Material& material,
                                           std::vector<QuantityGroup> groups);

}  // namespace credo::report
