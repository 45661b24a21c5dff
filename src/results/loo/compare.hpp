// Several models of the same rows, compared by how well they predict rows left out (docs/loo.md).
#pragma once
#include "results/loo/loo.hpp"

namespace credo::results {

struct Compared {
  std::string name;  // the file
  Loo loo;
  Total difference = {};  // to the best model, row by row
  double stacking = kNaN, pseudo_bma = kNaN;
};

// Sorted, the best first, with differences and weights. Throws Error(data) where rows aren't as many.
std::vector<Compared> compare(std::vector<Compared> models);

// What the difference of the best to the second best supports [sivula2020].
std::string sentence_of(std::span<const Compared> compared);

}  // namespace credo::results
