// The log density of a program with its data, traced at one point: its graph, its terms, and the
// program that runs it. Valid for every point at which all guards come out as they did.
#pragma once
#include "graph/execute/program.hpp"
#include "lang/trace/machine.hpp"

namespace credo::model {

// Output of a traced density: a value doesn't pay for a gradient; the log likelihood by rows.
enum class Order { value, gradient, pointwise };

struct TermSummary {
  std::int32_t statement = 0;
  lang::TermKind kind = lang::TermKind::unlabelled;
  double dropped = 0.0;
  bool is_constant = false;
  bool is_tail = false;  // see lang::Term
};

struct StatementRowCount {
  std::int32_t statement = 0;
  Index count = 0;
};

struct TracedDensity {
  // Outputs of `program`: log density, log density without Jacobian terms, gradient of the first
  // where it has one; then the sums of the terms of each of `summed_statements`.
  static constexpr std::size_t kLogDensity = 0, kWithoutJacobian = 1, kGradient = 2;
  std::size_t first_sum() const { return has_gradient ? kGradient + 1 : kGradient; }
  bool has_gradient = true;
  std::unique_ptr<graph::Program> program;
  std::string key;                      // the guards' outcomes
  std::vector<lang::Failure> failures;  // check k is failures[k - 1]
  std::vector<std::int32_t> sources;    // check k as a density::Status::source of the model
  std::vector<TermSummary> terms;
  std::vector<lang::LoopReport> loops;  // the result for each loop
  std::vector<std::int32_t> summed_statements;
  double dropped = 0.0;     // constants in the log density that `~` drops
  std::size_t varying = 0;  // the output with the dropped constants of sides of decisions; 0: none
  std::vector<StatementRowCount> rows;  // rows of the likelihood, if these are the output
  Index num_rows = 0;
  bool has_own_rows = false;  // the rows are the elements of log_lik
  Index num_traced_nodes = 0, num_nodes = 0;
};

}  // namespace credo::model
