// Regions and which of them are neighbours, from a file: pairs of names, or a square matrix of 0 and 1.
#pragma once
#include "models/regression/named_table.hpp"

namespace credo::models {

struct Neighbours {
  std::vector<std::string> names = {};              // names of regions, in the order of the file
  std::vector<std::pair<Index, Index>> pairs = {};  // each once, the smaller number first, from 0
  std::vector<Index> component = {};  // a number for each region: connected ones have the same
  Index num_components = 0;

  std::vector<Index> degrees() const;
  std::vector<std::string> islands() const;  // regions without a neighbour
};

// Nullopt, with faults.
std::optional<Neighbours> read_neighbours(const Expression& path, Frame& frame);
// Variances of the effects of an intrinsic field of unit precision, whose sum over each component is 0; 1 for islands.
std::vector<double> intrinsic_variances(const Neighbours& field);
// Eigenvalues of the matrix of neighbours, divided by the roots of their numbers from both sides.
std::vector<double> neighbour_eigenvalues(const Neighbours& field);

}  // namespace credo::models
