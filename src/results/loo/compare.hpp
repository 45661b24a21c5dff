// Several models of the same rows, compared by how well they predict rows left out (docs/loo.md).
#pragma once
#include "results/files/data_digest.hpp"
#include "results/loo/loo.hpp"

namespace credo::results {

struct Compared {
  std::string name;                    // the file
  std::vector<double> elpd = {};       // log predictive density of each row, left out
  Total total = {};                    // of these
  std::vector<Index> folds = {};       // fold in which each row was left out; empty: one by one
  bool has_own_rows = false;           // elements of the program's log_lik
  std::vector<DataDigest> data = {};   // empty: not known
  std::vector<Index> unreliable = {};  // rows with a Pareto k above the limit
  double k_limit = kNaN;
  Total difference = {};  // to the best model, row by row
  double stacking = kNaN, pseudo_bma = kNaN;
};

Compared compared_by(const std::string& name, const Loo& loo);
// From a file of `credo loo`: folds, or rows one by one. Throws Error(data) where it is neither.
Compared read_compared(const std::string& path);

// Sorts the models, the best first, with differences and weights. Throws Error(data) if their numbers of rows or
// their data differ, or if only some left rows out by folds.
std::vector<Compared> compare(std::vector<Compared> models);

// Conclusion from the differences of the best to all others [sivula2020].
std::string sentence_of(std::span<const Compared> compared);

}  // namespace credo::results
