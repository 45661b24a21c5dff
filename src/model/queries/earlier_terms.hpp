// Terms of a program whose prior is an earlier posterior (density/earlier_posterior.hpp): the likelihood, the log density of the
// earlier posterior, and of the program's prior the density of values that the earlier posterior lacks.
#pragma once
#include "density/earlier_posterior.hpp"
#include "graph/factors/factors.hpp"
#include "lang/trace/machine.hpp"
#include "model/program_parts.hpp"

namespace credo::model {

// Log density of the earlier posterior at the unconstrained values, `places` of them.
graph::Expr log_density_of(const density::EarlierPosterior& earlier,
                           std::span<const std::int32_t> places, const graph::Expr& free);

// Places of its values among the unconstrained values. Throws Error(usage) for one that isn't there.
std::vector<std::int32_t> places_of(const density::EarlierPosterior& earlier,
                                    const density::Layout& free);

// The prior of new values, given the earlier ones. All must live as long.
class EarlierTerms {
 public:
  EarlierTerms(const density::EarlierPosterior& earlier, const ProgramParts& parts,
               const graph::Graph& graph, graph::NodeId input);
  bool has_new() const { return std::ranges::find(is_old_, 0) != is_old_.end(); }
  // The part of a prior or Jacobian term that is the density of new values; nullopt without one. Throws Error(program) where
  // a term concerns earlier and new values and isn't the density of new ones.
  std::optional<lang::Term> of_new(const lang::Term& term);

 private:
  struct Seen {
    bool has_old = false, has_new = false;
  };
  Seen seen_in(graph::Ref ref, Index first = 0, Index end = -1);
  lang::Term new_rows(const lang::Term& term);
  void find_outcome(const lang::Term& term);
  [[noreturn]] void refuse(const lang::Term& term, const std::string& reason) const;

  const ProgramSource& source_;
  const density::Layout& free_;
  std::vector<char> is_old_;  // by unconstrained value
  std::optional<graph::Dependence> depends_;
  Index outcome_first_ = 0, outcome_end_ = 0;  // values of the term's outcome
};

}  // namespace credo::model
