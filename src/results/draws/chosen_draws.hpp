// Some draws of a fit that stand for all.
#pragma once
#include "results/files/fit.hpp"

namespace credo::results {

// As many of each chain, spread over it, of weighted draws by their weights. Throws Error(data) for a fit without draws.
class ChosenDraws {
 public:
  ChosenDraws(const Fit& fit, Index most);  // of all chains; at least one of each
  Index count() const { return count_; }    // of each chain
  Index draw(Index chain, Index k) const;

 private:
  std::vector<Index> same_weight_;
  Index per_chain_ = 0, count_ = 0;
};

}  // namespace credo::results
