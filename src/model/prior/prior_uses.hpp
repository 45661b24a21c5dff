// Finds in the list of statements parameters that may have a prior which isn't a density of theirs: they are part of the outcome of
// a density, or occur in a hand-written term. Terms that read values of the data belong to the likelihood and give a
// parameter no prior of its own.
#pragma once
#include <set>

#include "lang/typed/typed.hpp"

namespace credo::model {

class PriorUses {
 public:
  explicit PriorUses(const lang::typed::Program& program);

  // True if the parameter occurs in a term that reads no values of the data: in an outcome, or in a hand-written
  // term.
  bool may_have_prior(int slot) const { return priors_.contains(slot); }
  // True if it is the outcome of a density, in a statement of its own or in an increment of a sum of priors.
  bool is_outcome(int slot) const { return outcomes_.contains(slot); }
  // The hand-written term that reads data and the parameter: prior, likelihood or both. 0: no such term.
  std::int32_t term_by_hand(int slot) const {
    const auto found = by_hand_.find(slot);
    return found == by_hand_.end() ? 0 : found->second;
  }

 private:
  std::set<int> priors_, outcomes_;  // slots of parameters
  std::map<int, std::int32_t> by_hand_;
};

}  // namespace credo::model
