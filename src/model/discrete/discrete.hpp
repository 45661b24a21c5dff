// Discrete parameters of a program: what its log density is as a sum of factors over them, the
// density with them summed out, and their draws given the others.
//
// A density in which few of them meet at a time (indicators of mixtures, hidden Markov chains,
// trees) is summed exactly by elimination, so the samplers of continuous parameters need not know;
// docs/design/discrete.md.
#pragma once
#include "base/error.hpp"
#include "model/discrete/discrete_draws.hpp"
#include "model/discrete/site_assignments.hpp"
#include "model/discrete/site_sums.hpp"

namespace credo::model {

// The parameters can't be summed out in the memory there is.
class TooManyStates final : public Error {
 public:
  using Error::Error;
};

class DiscreteFactors {
 public:
  // The graph's input has the unconstrained values first, then the discrete ones. Throws TooManyStates;
  // `where` names a statement.
  DiscreteFactors(graph::Traced traced, graph::Factors factors, const DiscreteRanges& ranges,
                  const std::function<std::string(std::int32_t)>& where);

  // A graph of the unconstrained values. Its outputs: the log density with the discrete parameters summed
  // out; then the given graph's, none of which depends on them.
  graph::Traced summed_out(SumForm form = SumForm::exact) const;
  // A plan for draws of the discrete parameters given the unconstrained values, and a graph of these whose output
  // is the plan's weights.
  std::pair<DrawPlan, graph::Traced> draws() const;
  const DiscreteRanges& ranges() const { return ranges_; }

 private:
  void check_size() const;
  std::vector<char> that_meet_others() const;
  // All discrete parameters take these values together.
  std::vector<double> values_in(Index assignment) const;
  struct Values;
  SiteSums sums(graph::Substitution& copy, bool with_checks, SumForm form) const;
  void sum_lone(const Values& values, SiteSums& sums, SumForm form) const;
  void eliminate(const Values& values, SiteSums& sums) const;
  Index num_free() const;

  graph::Traced traced_;
  graph::Factors factors_;
  DiscreteRanges ranges_;
  numerics::EliminationPlan plan_;  // plan of all
  std::unique_ptr<const SiteAssignments> cover_;
  std::vector<std::vector<Index>> assignments_;  // those that hold each factor's entries
  Index num_assignments_ = 1;
};

}  // namespace credo::model
