// The direction in which the draws' cloud is long and thin.
#pragma once
#include "verdict/case.hpp"

namespace credo::verdict {

struct Ridge {
  double ratio = 0.0;               // length to width
  std::vector<Index> columns = {};  // involved
  std::vector<double> along = {};   // one standard deviation along it, in those of the columns
};

// Ridge of the 50 sampled columns that mix worst, without those tied by their declaration; or of their
// logarithms where all draws are positive. From the correlations within chains, so that chains in
// different places make none: the narrowest directions name the columns, the widest among these is
// the ridge, ratio² the two eigenvalues' ratio. Nullopt for fewer than two columns.
std::optional<Ridge> ridge_of(const Case& at_hand, bool logarithms);

}  // namespace credo::verdict
