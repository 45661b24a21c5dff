// Traces the log density of a query: its terms, its rows, its derivatives. Has no state of its own.
#pragma once
#include "credo/sparse.hpp"
#include "model/discrete/discrete_parameters.hpp"
#include "model/program_parts.hpp"
#include "model/queries/curvature.hpp"
#include "model/queries/term_split.hpp"
#include "model/statuses.hpp"
#include "model/traced.hpp"

namespace credo::model {

struct TracedRows;
struct OutcomeRows;

class Tracer {
 public:
  // All must live as long. Tracing keeps what sites need in `sites`, and numbers failures by `statuses`.
  Tracer(const ProgramParts& parts, const ModelOptions& options, const DiscreteParameters& sites,
         Statuses& statuses);

  // At this point, on its path of decisions.
  std::shared_ptr<const TracedDensity> trace(std::span<const double> point, Order order) const;
  std::unique_ptr<TracedCurvature> trace_curvature(std::span<const double> point,
                                                   density::Want matrix) const;
  // Makes the program of third derivatives, which most questions don't need and which is the larger one; or no_slope.
  void trace_slope(TracedCurvature& traced) const;
  // The likelihood row by row, with the numbers that its outcomes depend on (model/queries/linearised_rows.hpp).
  std::unique_ptr<TracedRows> trace_linearised_rows(std::span<const double> point) const;
  // The places of the second derivatives in a block of unconstrained values, which may differ from 0.
  numerics::SparsePattern trace_pattern(std::span<const Index> block,
                                        std::span<const double> point) const;
  // Reports if the program, as it is traced at this point, has these terms or rows.
  density::Capability can(const density::Query& query, std::span<const double> point) const;

 private:
  // queries/queries.cpp
  bool keeps_apart(Order order) const;
  void require(const density::Capability& capability) const;
  density::Capability answer(const TermSplit& split, Order order) const;
  density::Capability answer_discrete(Order order) const;
  density::Capability answer_rows(std::span<const StatementRows> rows) const;
  AskedTerms keep_asked(lang::Machine& machine, const graph::Traced& traced) const;
  void add_earlier(graph::Traced& traced) const;
  void take_batch(graph::Traced& traced, std::span<const StatementRows> rows,
                  TracedDensity& result) const;
  std::vector<KeptRows> rows_left(std::span<const StatementRows> rows) const;
  bool takes_log_lik(const lang::Machine& machine) const;
  void take_rows(graph::Traced& traced, const lang::Machine& machine, TracedDensity& result) const;
  graph::Traced trace_row_batch(std::span<const double> point, lang::Machine& machine,
                                TracedDensity& result) const;
  // queries/log_lik.cpp
  std::vector<Index> log_lik_columns() const;
  bool can_take_log_lik() const;
  bool prefers_log_lik() const;
  std::shared_ptr<const TracedDensity> trace_log_lik(std::span<const double> point) const;
  graph::Traced log_lik_rows(std::span<const double> point, lang::Machine& machine,
                             TracedDensity& result) const;
  graph::NodeId take_off_log_lik(graph::Graph& graph, graph::NodeId input,
                                 lang::Machine& machine) const;
  graph::Traced without_random_checks(graph::Traced traced, graph::NodeId seed,
                                      const lang::Machine& machine) const;
  // queries/curvature.cpp
  graph::Traced trace_bent(std::span<const double> point, density::Want matrix,
                           TracedDensity& path) const;
  // queries/linearised_rows.cpp
  graph::Traced row_graph(graph::Traced traced, const OutcomeRows& outcomes,
                          std::span<const StatementRows> rows, TracedRows& result) const;
  // trace.cpp
  lang::Machine new_machine(const graph::Passes& passes, bool apart,
                            lang::DensityWatch watch = {}) const;
  graph::Traced trace_values(std::span<const double> point, lang::Machine& machine,
                             TracedDensity& result) const;
  void refuse_paths(const lang::Machine& machine) const;
  void sum_out(graph::Traced& traced, const lang::Machine& machine) const;
  void keep_sites(graph::Traced& traced) const;
  void keep_free_gradient(graph::Traced& traced) const;
  void compile(graph::Traced traced, lang::Machine& machine, TracedDensity& result,
               Order order) const;
  void finish(TracedDensity& result, lang::Machine& machine) const;

  const ProgramParts& parts_;
  const ModelOptions& options_;
  const DiscreteParameters& sites_;
  Statuses& statuses_;
  const ProgramSource& source_;
  const DiscreteRanges& discrete_;
  Index dimension_;  // number of unconstrained values
};

}  // namespace credo::model
