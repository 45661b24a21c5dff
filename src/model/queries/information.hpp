// The Fisher metric of a program: the expected information of its observed outcomes, less the
// second derivatives of the rest of the log density, in the unconstrained values [girolami2011].
//
//   Q(θ, φ) = ½ Σ_n Σ_ab I_ab(η_n(θ)) (η_na(φ) - η_na(θ)) (η_nb(φ) - η_nb(θ)) - log rest(φ)
//
// with η_n the arguments of the density of outcome n and I its row's information: the first sum is
// the relative entropy between the outcomes' distributions to second order. At φ = θ the second derivatives
// of Q by φ are the metric, and their gradient by both is the metric's slope. For the likelihood alone
// Q is the first sum: the rest isn't taken off afterwards, which would leave its rounding.
#pragma once
#include "density/query.hpp"
#include "dist/distribution.hpp"
#include "graph/passes/passes.hpp"
#include "lang/trace/machine.hpp"
#include "model/data/source.hpp"
#include "model/queries/term_split.hpp"

namespace credo::model {

// Numbers that the outcomes of all rows depend on, a vector of rows or a scalar for each, and the upper triangle of their information by
// columns.
struct OutcomeRows {
  std::vector<graph::Expr> numbers, information;
};

// The densities of observed outcomes that a program meets while it is traced.
class ObservedOutcomes {
 public:
  // The way out where the expected information of an outcome isn't known.
  explicit ObservedOutcomes(std::string way_out = "local_metric=softabs needs no expected values")
      : way_out_(std::move(way_out)) {}
  // For MachineOptions::watch: the term of the density is the next.
  void look(lang::Machine& machine, const lang::SeenDensity& density);

  // Q as the only output of a graph of θ, two directions and φ, D values each; without the rest for
  // Terms::likelihood, which the program has to be able to tell apart. `traced` has the machine's
  // terms. Throws Error(program) for an outcome whose expected information isn't known.
  graph::Traced entropy(const graph::Traced& traced, const lang::Machine& machine, Index dimension,
                        const ProgramSource& source, density::Terms terms) const;

  // The arguments that depend on parameters, and their information, as rows like these of the same graph.
  OutcomeRows rows(const lang::Machine& machine, const ProgramSource& source,
                   std::span<const StatementRows> of) const;

 private:
  struct Outcome {
    const dist::Distribution* row;
    std::vector<graph::Expr> arguments;  // scalars and vectors
    Index count;
    std::size_t term;
    std::int32_t statement;
  };
  std::vector<const Outcome*> likelihood(const lang::Machine& machine,
                                         const ProgramSource& source) const;
  Error not_known(const std::string& what, const std::string& where) const;
  void add_rows(OutcomeRows& rows, std::span<const Outcome* const> outcomes,
                const ProgramSource& source) const;
  graph::Expr entropy_of(const Outcome& outcome, const std::vector<graph::Expr>& at_theta,
                         const std::vector<graph::Expr>& at_phi, const ProgramSource& source) const;

  std::string way_out_;
  std::vector<Outcome> outcomes_;
};

}  // namespace credo::model
