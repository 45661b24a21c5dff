// The log density of a program for one query: traced on first use and evaluated; its statuses in words.
#pragma once
#include <atomic>

#include "density/statements.hpp"
#include "model/tracer.hpp"

namespace credo::model {

// Everything about one point. With a bad status only the status is meaningful.
struct PointEvaluation {
  density::Status status;
  double log_density = kNaN, log_density_no_jacobian = kNaN;
  double dropped = 0.0;  // the constant by which both exceed Stan's lp__, if they do
  std::vector<double> gradient;
};

class Densities final : public density::Statements {
 public:
  // Decides about discrete parameters. The parts must live as long.
  Densities(const ProgramParts& parts, ModelOptions options);
  // For another query, or other data of the same sizes, with discrete parameters treated alike.
  Densities(const ProgramParts& parts, const Densities& like, const density::Query& query);
  Densities(const Densities&) = delete;

  const ProgramParts& parts() const { return parts_; }
  const ModelOptions& options() const { return options_; }
  const density::Query& query() const { return options_.query; }
  const DiscreteParameters& sites() const { return sites_; }
  Index dimension() const { return parts_.parameters.dimension() + sites_.block().size(); }
  density::Layout unconstrained() const;  // layout of a position
  bool has_hessian() const { return !sites_.are_sampled() && options_.query.batch == 0; }
  bool has_information() const {
    return has_hessian() && options_.query.power == 1.0 && options_.has_own_terms();
  }

  // ---- traced ----
  // The first density of that order that was traced, on the path of its point; if there isn't one yet,
  // it is traced at `point`.
  std::shared_ptr<const TracedDensity> trace(std::span<const double> point,
                                             Order order = Order::gradient) const;
  // On the point's own path.
  std::shared_ptr<const TracedDensity> trace_anew(std::span<const double> point,
                                                  Order order) const {
    return tracer_.trace(point, order);
  }
  std::unique_ptr<TracedCurvature> trace_curvature(std::span<const double> point,
                                                   density::Want matrix) const {
    return tracer_.trace_curvature(point, matrix);
  }
  void trace_slope(TracedCurvature& traced) const { tracer_.trace_slope(traced); }
  std::unique_ptr<TracedRows> trace_rows(std::span<const double> point) const;
  // Null without second derivatives (has_hessian()).
  std::shared_ptr<const density::SparseCurvature> sparse_curvature(
      std::span<const Index> block, std::span<const double> point) const;
  density::Capability can(const density::Query& query, std::span<const double> point) const {
    return tracer_.can(query, point);
  }
  std::optional<double> dropped(std::span<const double> point) const override;
  Index num_rows() const;
  bool has_own_rows() const override;
  bool has_earlier_posterior() const override { return options_.after != nullptr; }
  // model/queries/linearised_rows.cpp
  std::unique_ptr<density::LinearisedRows> make_linearised_rows() const override;
  // Number of rows that each statement adds to the likelihood, in the order of `Want::pointwise`.
  std::vector<StatementRowCount> rows(std::span<const double> point) const;

  // ---- evaluated ----
  std::unique_ptr<density::Evaluator> make_evaluator() const;
  PointEvaluation evaluate_in_full(std::span<const double> point) const;
  void warn_of_paths(std::int32_t statement, std::size_t count) const;  // once

  // ---- statuses ----
  std::string describe(const density::Status& status) const;
  // The failure behind a status of an evaluation; empty if a term wasn't finite.
  std::optional<lang::Failure> failure_of(const density::Status& status) const {
    return statuses_.failure_of(status);
  }
  density::RefusedBy refused_by(const density::Status& status) const override;

  // ---- discrete parameters ----
  // Draws those that are summed out; null where none are.
  std::unique_ptr<DiscreteDrawer> make_drawer(std::span<const double> point) const;
  std::unique_ptr<density::DiscreteUpdates> make_updates() const;  // null if they aren't sampled
  std::unique_ptr<DiscreteTables> make_tables(std::span<const double> point) const;

 private:
  std::shared_ptr<const TracedDensity> rows_at_origin() const;
  void trace_sites(std::span<const double> point) const;

  const ProgramParts& parts_;
  ModelOptions options_;
  DiscreteParameters sites_;
  mutable Statuses statuses_;
  Tracer tracer_;
  mutable std::mutex trace_mutex_;  // not locked by steady-state evaluations
  mutable std::array<std::shared_ptr<const TracedDensity>, 3> default_traces_;  // by order
  mutable std::atomic<bool> has_warned_ = false;
};

}  // namespace credo::model
