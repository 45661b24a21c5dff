// A Stan program with its data: a log density over the unconstrained parameters, constrained values,
// generated quantities.
#pragma once
#include <atomic>
#include <mutex>

#include "density/model.hpp"
#include "density/state_space.hpp"
#include "graph/passes/passes.hpp"
#include "io/data/data_table.hpp"
#include "lang/trace/solver_cache.hpp"
#include "model/data/sizes.hpp"
#include "model/data/source.hpp"
#include "model/data/unknown_outcomes.hpp"
#include "model/discrete/discrete_sites.hpp"
#include "model/discrete/discrete_tables.hpp"
#include "model/traced.hpp"

namespace credo::model {

// Treatment of discrete parameters: summed out of the density, or part of the position and drawn
// from their full conditionals; automatic: summed out where there aren't too many states.
enum class DiscreteUse { automatic, sum, gibbs };

struct ModelOptions {
  std::uint64_t seed = 1;      // seed of transformed data; the same for all chains
  std::string passes = "all";  // graph/passes/passes.hpp
  Index max_lanes = graph::kMaxLanes;
  DiscreteUse discrete = DiscreteUse::automatic;
  SiteBlocks blocks = SiteBlocks::trees;  // blocks that are drawn together
  density::SiteUpdate site_update = density::SiteUpdate::gibbs;
  // Outcomes that the data lack are unknown where nothing that is computed reads them (model/data/unknown_outcomes.hpp); false:
  // they are refused as every other variable is.
  bool may_lack_outcomes = false;
  bool measure_splits = true;  // false: threads are used wherever the work is large: for tests
  density::Query query = {};   // which terms the log density has
  lang::TraceLimits limits;
  lang::PrintSink print;                         // null: print statements do nothing
  std::function<void(const std::string&)> warn;  // called once about a slow run; may be null
  graph::Passes::Observer observe;               // gets the graph when traced and after each pass
  std::function<void(const graph::Program&)> observe_program;  // gets the program to run
  void (*plant)(graph::Plan&) = nullptr;  // a fault in the programs that write draws, for tests
};

// Everything about one point. With a bad status only the status is meaningful.
struct PointEvaluation {
  density::Status status;
  double log_density = kNaN, log_density_no_jacobian = kNaN;
  double dropped = 0.0;  // the constant by which both exceed Stan's lp__, if they do
  std::vector<double> gradient;
};

struct TracedCurvature;
struct PriorPlan;
struct PriorSurvey;
class PriorRun;
class ReplicateRun;
class Provenance;
class DataReplicates;
class TermSplit;
struct StatementRows;
struct AskedTerms;
struct KeptRows;

// Why the log density isn't finite somewhere, and what to do; empty where that isn't known.
struct Advice {
  std::string reason, hint;
  // If a value of the data is to blame: the variable, and the element in the order of the
  // file.
  std::string data_variable = {};
  Index data_element = 0;
};

class Model final : public density::Model {
 public:
  // Reads the data and runs transformed data; throws Error.
  Model(std::shared_ptr<const ProgramSource> source, const io::DataTable& data,
        ModelOptions options);
  ~Model() override;
  // Reports if the program, as it is traced at this point, has these terms or rows.
  density::Capability can(const density::Query& query,
                          std::span<const double> point) const override;
  // The same program and data, shared, with other terms in the log density. Evaluations throw
  // Error(program) if the program doesn't have them. Information (`Want::information`) is
  // that of the outcomes for Terms::likelihood; it has all terms for any other.
  std::unique_ptr<Model> with(const density::Query& query) const;
  std::unique_ptr<density::Model> asking(const density::Query& query) const override;
  std::unique_ptr<density::Model> with_data(const std::string& text) const override;
  // The data block as a JSON text, whatever files it came from.
  std::string data_text() const;
  density::Query query() const override { return options_.query; }
  // The outcomes that the data lack (ModelOptions::may_lack_outcomes). A model that lacks any has no log density, and writes
  // no generated quantity that needs one: asking for those throws Error(data). Replicates draw them.
  std::vector<std::string> unknown_outcomes() const;
  // Sizes that the data don't have and a table implies.
  const std::vector<SuppliedSize>& supplied() const { return supplied_; }
  // Number of rows that each statement adds to the likelihood, in the order of `Want::pointwise`.
  std::vector<StatementRowCount> rows(std::span<const double> point) const;

  Index dimension() const override { return dimension_ + discrete_block().size(); }
  bool has_gradient() const override { return true; }
  bool has_hessian() const override {  // model/queries/curvature.hpp
    return !samples_discrete_ && options_.query.batch == 0;
  }
  bool has_information() const override { return has_hessian() && options_.query.power == 1.0; }
  Index num_rows() const override;
  bool has_own_rows() const override;
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override;
  // Advice if the log density isn't finite: the program is run with numbers to find the reason.
  Advice advice(std::span<const double> point) const;
  // The failure behind a status of an evaluation; empty if a term wasn't finite.
  std::optional<lang::Failure> failure_of(const density::Status& status) const;
  density::RefusedBy refused_by(const density::Status& status) const override;
  // From the priors that the program states (model/prior/prior_start.cpp).
  std::optional<density::Start> draw_start(Rng& rng, double radius) const override;
  // In the order of the program's prior statements (model/prior/prior_draws.cpp).
  density::Capability can_draw() const override;
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override;
  std::unique_ptr<density::LogDensity> prior() const override;  // for a model of all terms
  // By functions of the program (model/states/program_states.cpp).
  std::unique_ptr<density::StateSpaceAt> make_state_space() const override;
  density::Capability has_likelihood() const override;
  density::DiscreteBlock discrete_block() const override;
  std::unique_ptr<density::DiscreteUpdates> make_updates() const override;
  // The distribution of the discrete block at a position's unconstrained values, as tables
  // (model/discrete/discrete_tables.hpp): for a model that was made with DiscreteUse::gibbs and isn't used for
  // draws. Null without discrete parameters.
  std::unique_ptr<DiscreteTables> make_tables(std::span<const double> point) const;

  const std::string& name() const override { return source_->name; }
  const ProgramSource& source() const { return *source_; }
  const ModelOptions& options() const { return options_; }
  // In order as language facts 19.2 have it.
  const density::Layout& outputs() const override { return outputs_; }
  density::Layout unconstrained() const override;
  std::vector<std::string> free_names() const override;
  std::vector<density::DataVariable> data_variables() const override;
  std::vector<density::ObservedVariable> observed_data() const override {
    return values_of_data(true);
  }
  std::vector<density::ObservedVariable> all_data() const override { return values_of_data(false); }
  // Real variables of transformed data that are computed by mean, sd and the like, and that are used by more than
  // priors: the centres and scales of data (model/data/centres.cpp).
  std::vector<density::ObservedVariable> centres() const;
  std::unique_ptr<density::Model> with_observed(
      std::span<const density::ObservedVariable> data) const override;
  std::shared_ptr<const density::ProgramFacts> program_facts() const override;  // made anew

  // Output of a traced density: a value doesn't pay for a gradient; the log likelihood by rows.
  enum class Order { value, gradient, pointwise };
  // The first density of that order that was traced, on the path of its point; if there isn't one yet,
  // it is traced at `point`.
  std::shared_ptr<const TracedDensity> trace(std::span<const double> point,
                                             Order order = Order::gradient) const;
  std::optional<double> dropped(std::span<const double> point) const override;

  // Traces what writes draws, at this point; otherwise done when the first draw is written.
  void prepare_outputs(std::span<const double> point) const;
  void prepare_draws(std::span<const double> point) const { make_drawer(point); }

  // Whole numbers among the parameters. If they are summed out of the density, the drawer draws
  // them for each draw; otherwise they are the discrete block.
  const DiscreteRanges& discrete() const { return discrete_; }
  std::unique_ptr<DiscreteDrawer> make_drawer(std::span<const double> point) const;
  std::vector<double> with_discrete(std::span<const double> position, Rng& rng) const override;

  std::unique_ptr<density::Writer> make_writer(density::Written what = {}) const override;
  std::vector<double> write(std::span<const double> point, Rng& rng, std::string* note = nullptr,
                            const density::Written& what = {}) const override;
  // Runs the density's print statements at an unconstrained point; a rejection ends them.
  void print_density(std::span<const double> point) const;

  // Unconstrained values of parameters given on the constrained scale, then the discrete block. Variables
  // that are missing are an Error{data} unless `fill` (D values) supplies them.
  std::vector<double> unconstrain(const io::DataTable& values,
                                  std::span<const double> fill = {}) const;
  std::vector<double> unconstrain_row(std::span<const double> row) const override {
    return unconstrain_rounded(row, 0.0);
  }
  std::vector<double> unconstrain_rounded(std::span<const double> row,
                                          double rounding) const override;

  // From the statements of the likelihood (model/replicates/replicates.cpp).
  density::Capability can_replicate(std::span<const double> point) const override;
  std::unique_ptr<density::Replicates> make_replicates(
      std::span<const double> point) const override;

  // Found by running the program with numbers.
  density::PriorMass prior_mass() const override;

  PointEvaluation evaluate_in_full(std::span<const double> point) const;

 private:
  std::vector<density::ObservedVariable> values_of_data(bool only_observed) const;
  class Paths;
  class ModelEvaluator;
  friend class ModelEvaluator;
  friend class Writer;
  friend class CurvatureEvaluator;
  friend class PriorRun;
  friend class ReplicateRun;
  friend class Provenance;
  friend class StateModel;
  friend class DataReplicates;
  Model(const Model& other, const density::Query& query);
  std::shared_ptr<const PriorPlan> prior_plan() const;
  std::shared_ptr<const PriorPlan> start_plan() const;
  std::shared_ptr<const PriorSurvey> prior_survey() const;
  PriorSurvey survey_priors() const;
  density::Capability find_other_terms(std::span<const double> point) const;
  density::Capability name_other_terms(std::span<const double> point) const;
  density::Capability refuse_term(std::int32_t statement) const;
  lang::Machine new_machine(lang::MachineOptions options) const;
  Advice advice_on_nan(lang::Machine& machine) const;
  bool prints() const { return options_.print != nullptr && source_->program.has_print; }
  template <class Reader>
  bool run_with_numbers(std::span<const double> point, Reader& reader) const;
  void read_data(const io::DataTable& data);
  void require_known_data() const;
  void require_known(const density::Written& what) const;
  void run_quantities(lang::Machine& machine) const;
  density::Capability can_replicate_unknown(std::span<const double> point) const;
  void lay_out_parameters();
  void lay_out_discrete(lang::Machine& machine, const lang::typed::Declaration& d);
  void lay_out_outputs();
  lang::Expr set_parameters(lang::Machine& machine,
                            const lang::Expr& free) const;  // returns the log Jacobian
  lang::Machine tracing_machine(const graph::Passes& passes, bool apart,
                                lang::DensityWatch watch = {}) const;
  graph::Traced trace_values(std::span<const double> point, lang::Machine& machine,
                             TracedDensity& result) const;
  std::shared_ptr<const TracedDensity> trace_new(std::span<const double> point, Order order) const;
  bool keeps_apart(Order order) const;
  void require(const density::Capability& capability) const;
  density::Capability answer(const TermSplit& split, Order order) const;
  density::Capability answer_discrete(Order order) const;
  density::Capability answer_rows(std::span<const StatementRows> rows) const;
  AskedTerms keep_asked(lang::Machine& machine) const;
  void take_batch(graph::Traced& traced, std::span<const StatementRows> rows,
                  TracedDensity& result) const;
  std::vector<KeptRows> rows_left(std::span<const StatementRows> rows) const;
  void take_kept_rows(graph::Traced& traced, std::span<const KeptRows> rows,
                      TracedDensity& result) const;
  graph::NodeId take_off_log_lik(graph::Graph& graph, graph::NodeId input,
                                 lang::Machine& machine) const;
  bool takes_log_lik(const lang::Machine& machine) const;
  graph::Traced trace_row_batch(std::span<const double> point, lang::Machine& machine,
                                TracedDensity& result) const;
  void take_rows(graph::Traced& traced, const lang::Machine& machine, TracedDensity& result) const;
  std::vector<Index> log_lik_columns() const;
  bool can_take_log_lik() const;
  bool prefers_log_lik() const;
  std::shared_ptr<const TracedDensity> trace_log_lik(std::span<const double> point) const;
  graph::Traced log_lik_rows(std::span<const double> point, lang::Machine& machine,
                             TracedDensity& result) const;
  void compile(graph::Traced traced, lang::Machine& machine, TracedDensity& result,
               Order order) const;
  graph::Traced without_random_checks(graph::Traced traced, graph::NodeId seed,
                                      const lang::Machine& machine) const;
  graph::Traced trace_bent(std::span<const double> point, density::Want matrix,
                           TracedDensity& path) const;
  std::shared_ptr<const TracedCurvature> trace_curvature(std::span<const double> point,
                                                         density::Want matrix) const;
  std::vector<double> completed(std::span<const double> point) const;
  lang::Value discrete_value(lang::Machine& machine, const lang::typed::Declaration& d,
                             const lang::Expr& free, Index first) const;
  void choose_discrete_use();
  void refuse_paths(const lang::Machine& machine) const;
  void sum_out(graph::Traced& traced, const lang::Machine& machine) const;
  void keep_sites(graph::Traced& traced) const;
  void keep_free_gradient(graph::Traced& traced) const;
  std::vector<double> unconstrained_sites(lang::Machine& machine, const io::DataTable& values,
                                          std::span<const double> fill) const;
  void finish(TracedDensity& result, lang::Machine& machine) const;
  std::int32_t status_source(const lang::Failure& failure) const;
  void warn_of_paths(std::int32_t statement, std::size_t count) const;
  std::shared_ptr<const graph::Program> output_program(std::span<const double> input,
                                                       const density::Written& what) const;
  std::shared_ptr<const graph::Program> trace_outputs(std::span<const double> input,
                                                      const density::Written& what) const;
  lang::Expr outputs_as_row(lang::Machine& machine, graph::Graph& graph,
                            const density::Written& what) const;

  std::shared_ptr<const ProgramSource> source_;
  ModelOptions options_;
  std::vector<SuppliedSize> supplied_;
  std::vector<lang::Value> globals_;  // data and transformed data
  UnknownOutcomes unknown_;           // the data that have no values
  std::shared_ptr<lang::SolverCache> solvers_ = std::make_shared<lang::SolverCache>();
  density::Layout free_, outputs_;
  struct Output {  // a declared variable: where its elements, in the order of outputs_, are found
    density::Block block;
    int slot;                          // among the machine's globals
    std::vector<std::int32_t> places;  // in its storage
  };
  std::vector<Output> output_sources_;
  Index dimension_ = 0;  // size of free_
  DiscreteRanges discrete_;
  bool samples_discrete_ = false;
  // Guarded by mutexes that no steady-state evaluation takes.
  mutable std::mutex trace_mutex_, failures_mutex_, prior_mutex_;
  mutable std::array<std::shared_ptr<const TracedDensity>, 3> default_traces_;  // by order
  struct OutputProgram {
    density::Written what;
    std::shared_ptr<const graph::Program> program;  // null: outputs are interpreted
  };
  mutable std::vector<OutputProgram> output_programs_;  // made on first use
  mutable std::shared_ptr<const PriorPlan> prior_plan_;
  mutable std::shared_ptr<const PriorPlan> start_plan_;  // plan of the priors that starts use
  mutable std::shared_ptr<const PriorSurvey> prior_survey_;
  mutable std::mutex factors_mutex_;
  mutable std::shared_ptr<const DiscreteFactors> factors_;
  mutable std::shared_ptr<const DiscreteDraws> draws_;
  struct SiteGraph {
    graph::Traced traced;
    graph::Factors factors;
  };
  mutable std::unique_ptr<SiteGraph> site_graph_;  // until sites_ is made
  mutable std::shared_ptr<const DiscreteSites> sites_;
  mutable std::atomic<bool> has_warned_ = false;
  mutable std::vector<lang::Failure> failures_;  // status source k is failures_[k - 1]
};

}  // namespace credo::model
