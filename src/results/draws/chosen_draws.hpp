// Some draws of a fit that stand for all.
#pragma once
#include "results/files/fit.hpp"

namespace credo::results {

// Equally many draws spread over each chain, weighted ones chosen by weight. Throws Error(data) for a fit without draws.
class ChosenDraws {
 public:
  ChosenDraws(const Fit& fit, Index most);  // draws of all chains; at least one of each
  Index count() const { return count_; }    // draws of each chain
  Index draw(Index chain, Index k) const;

 private:
  std::vector<Index> same_weight_;
  Index per_chain_ = 0, count_ = 0;
};

}  // namespace credo::results
