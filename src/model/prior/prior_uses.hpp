// Which parameters may have a prior that no density of theirs states, found in the text: as parts of the outcomes of
// densities, and in terms that are written by hand. A likelihood is no prior, however it is written: what reads
// values of the data says nothing of a parameter alone.
#pragma once
#include <set>

#include "lang/typed/typed.hpp"

namespace credo::model {

class PriorUses {
 public:
  explicit PriorUses(const lang::typed::Program& program);

  // In a term that reads no values of the data: an outcome, or written by hand.
  bool may_have_prior(int slot) const { return priors_.contains(slot); }
  // Of a density that is a statement of its own, or an increment of a sum of priors.
  bool is_outcome(int slot) const { return outcomes_.contains(slot); }
  // The statement of a term that is written by hand and reads data: prior, likelihood or both; 0: there is none.
  std::int32_t term_by_hand(int slot) const {
    const auto found = by_hand_.find(slot);
    return found == by_hand_.end() ? 0 : found->second;
  }

 private:
  class TermReader;
  std::set<int> priors_, outcomes_;  // slots of parameters
  std::map<int, std::int32_t> by_hand_;
};

}  // namespace credo::model
