// Split of the terms of a traced density into prior and likelihood, and the
// likelihood row by row (docs/design/queries.md).
#pragma once
#include <set>

#include "base/error.hpp"
#include "density/query.hpp"
#include "graph/passes/passes.hpp"
#include "lang/trace/machine.hpp"
#include "model/data/source.hpp"
#include "model/statements/statements.hpp"

namespace credo::model {

// The rows that one statement adds, in the order in which it runs.
struct StatementRows {
  std::int32_t statement = 0;
  graph::Expr values;  // a vector, or a scalar of one row
};

class TermSplit {
 public:
  // `terms`: those of a machine that kept them apart and has labelled them.
  TermSplit(const ProgramSource& source, std::span<const lang::Term> terms);

  // The first term that can't be assigned; `can` is true without one.
  const density::Capability& capability() const { return capability_; }
  bool is_likelihood(std::size_t term) const { return is_likelihood_[term] != 0; }
  bool has(const density::Query& query, std::size_t term) const;
  std::vector<StatementRows> rows() const;

 private:
  void judge(std::span<const std::size_t> group);
  bool is_censored(const lang::Term& term) const;
  void judge_outcome(const lang::Term& term);
  void judge_by_hand(const lang::Term& term);
  void refuse(const lang::Term& term, std::string reason, std::string hint);
  const StatementReads& reads_of(const lang::Term& term) const {
    return reads_[static_cast<std::size_t>(term.statement)];
  }
  graph::Expr rows_of(std::span<const std::size_t> group) const;

  const ProgramSource& source_;
  std::span<const lang::Term> terms_;
  std::vector<StatementReads> reads_;             // by statement
  std::vector<std::vector<std::size_t>> groups_;  // of terms
  std::vector<char> is_likelihood_;
  density::Capability capability_;
};

struct TracedDensity;

bool is_jacobian(const lang::Term& term);

// A statement that loses some of its rows, and which of them are left.
struct KeptRows {
  StatementRows rows;
  std::vector<std::int32_t> kept;
};

void require_row(Index row,
                 Index num_rows);  // a row to be left out; throws Error(usage) if it isn't there

// Rows in the terms of a query: those of its batch, or the rest of statements without some rows, and the
// statements of which none is left.
struct AskedTerms {
  std::vector<StatementRows> rows;
  std::vector<KeptRows> kept_rows;
  std::set<std::int32_t> gone;
};

// The graph again without what these statements require of their arguments: what a likelihood
// refuses is no concern of the prior.
graph::Traced without_checks(graph::Traced traced, std::span<const lang::Failure> failures,
                             const std::set<std::int32_t>& statements);

// The log density with the rows that are left of these statements.
void take_kept_rows(graph::Traced& traced, std::span<const KeptRows> rows, TracedDensity& result);

}  // namespace credo::model
