// A stage of a state-space model as a program over particles, and what runs it.
#pragma once
#include "lang/trace/solver_cache.hpp"
#include "model/states/state_model.hpp"

namespace credo::model {

// Input: the words of a seed, the time, slices, parameters, columns of previous states, columns of given states.
struct StateProgram {
  StateStage stage;
  Index particles = 1;  // in one point: kBlock as columns, or 1, and eight points at once
  StageProgram code;
  // The program's own: routines keep its code, and stages share the calls of their functions.
  std::shared_ptr<lang::SolverCache> solvers = std::make_shared<lang::SolverCache>();
  std::unique_ptr<const graph::Program> program;  // null: particles are interpreted
  std::string reason;                             // why it isn't one of columns
  bool refused = false;  // a function refused the particles that it was to be traced at
};

// Runs stages; one thread's.
class StateProgramRun {
 public:
  StateProgramRun(const StateModel& model, const StateStage& stage) : model_(model), stage_(stage) {
    stage_.regime = model.regime();
  }

  // previous, given: [element][kBlock], null if not needed. results: [result][kBlock]; with derivatives the log density and
  // an element of its gradient for each of the state's.
  // Throws Error(evaluation) where a function fails.
  void run(const density::ParticleBlock& block, const double* given, double* results);

  // Runs a stage that weighs: a state a lane. results: [state][result].
  void run_states(std::span<const density::GivenState> states, std::span<double> results);

  // Sets another outcome of this time, valid until another time is run.
  void show(Index time, std::span<const double> outcome);

 private:
  void prepare(const density::ParticleBlock& block, const double* given);
  void fill(const density::ParticleBlock& block, const double* given, Index particle, double* input,
            Index stride) const;
  void prepare_states(std::span<const double> example);
  void run_columns(const density::ParticleBlock& block, const double* given, double* results);
  void run_lanes(const density::ParticleBlock& block, const double* given, double* results);
  void interpret(std::span<const double> input, Index time, double* results, Index stride) const;
  std::uint64_t seed_of(const density::ParticleBlock& block, Index particle) const;
  std::size_t num_results() const;

  const StateModel& model_;
  StateStage stage_;
  std::shared_ptr<const StateProgram> program_;
  std::unique_ptr<graph::Workspace> workspace_;
  Index time_ = -1;
  std::vector<double> prefix_;  // prefix of time_
  std::vector<double> input_, lane_input_, lane_output_;
};

}  // namespace credo::model
