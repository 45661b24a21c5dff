// A program that states a state-space model, at one point of its parameters.
#pragma once
#include <map>

#include "density/state_space.hpp"
#include "model/model.hpp"
#include "model/states/state_stage.hpp"

namespace credo::model {

struct StateProgram;

class StateModel final : public density::StateSpace {
 public:
  // `position`: the model's unconstrained values; unread ones may be NaN. `num_more`: times without an outcome
  // after those of the data. The model must live as long. Throws Error(program) where the program states no state-space model,
  // Error(data) where a series has another length, or no elements for more times, or a parameter that is read isn't a number.
  StateModel(const Model& model, std::span<const double> position, Index num_more = 0);
  // A copy moves by itself, with what the other has compiled.
  StateModel(const StateModel& other) = default;
  StateModel& operator=(const StateModel&) = delete;
  ~StateModel() override;
  // Sets other parameters; compiled programs are kept. Its movers are to be made anew. Throws as the constructor does.
  void move_to(std::span<const double> position);

  Index num_times() const override { return num_times_; }
  const density::Layout& state() const override { return state_; }
  bool is_observed(Index time) const override {
    return observed_[static_cast<std::size_t>(time)] != 0;
  }
  density::Capability can(density::Kernel kernel) const override;
  density::Capability can_look_ahead() const override;
  density::Capability can_weigh_states() const override;
  density::Capability can_weigh_transitions() const override;
  std::unique_ptr<density::StateMover> make_mover(density::Kernel kernel) const override;
  // The time after the last outcome; num_times() where the last time has one. Outcomes from there on can be forecast: by Kalman
  // filters, and by particles where the program has observation_rng.
  Index first_forecast() const;
  density::Capability can_draw_outcomes() const;
  std::unique_ptr<density::OutcomeDraws> make_outcome_draws() const;
  density::Layout outcome() const;  // the elements of one outcome

  const StateFunctions& functions() const { return functions_; }
  // Regimes between which the model switches; 0: none. Its densities are those of one of them, from 1, at a time.
  Index num_regimes() const { return num_regimes_; }
  std::int32_t regime() const { return regime_; }
  void set_regime(std::int32_t regime) { regime_ = regime; }
  // Their probabilities at a time, of times after the first given the regime before, from 1. Throws Error(evaluation) where the
  // program refuses them or they aren't probabilities.
  std::vector<double> regime_probabilities(Index time, std::int32_t before) const;
  std::vector<double> outcome_at(Index time) const;
  const std::string& outcome_name() const;
  // The names of parameters, transformed ones among them, that the functions read.
  std::vector<std::string> parameters_read() const;
  // True if the expressions of initial_lpdf, transition_lpdf or observation_lpdf show that it is a polynomial of second degree
  // in the states and the outcome, at all times and parameters. If it is a density, it is then normal, with a mean that is linear
  // in the state that it is given.
  bool is_quadratic(StateRole role) const;
  // The distributions of the densities that a function returns, as the list of statements names them, without normal ones.
  std::vector<std::string> other_distributions(StateRole role) const;
  // After the second time: whether particles move as columns of one program; else eight at a time, and why.
  std::string how_it_moves() const;

 private:
  friend class StateProgramRun;
  void take_values(std::span<const double> position);
  void take_times();
  void require_parameters() const;
  struct Series;
  void add_more(Series& series) const;
  void take_observed();
  void take_state();
  void take_regimes();
  std::vector<int> globals_read() const;
  Index num_data_times() const { return num_times_ - num_more_; }
  void require_slices(int global) const;
  Index place_of_outcome() const;  // in the input
  std::vector<double> input_at(
      Index time) const;  // the words of a seed, the time, slices, parameters
  lang::Machine machine_of(const StateProgram& program, lang::MachineOptions options) const;
  void set_globals(lang::Machine& machine, const StateProgram& program,
                   const lang::Expr& input) const;
  std::shared_ptr<const StateProgram> program(const StateStage& stage,
                                              std::span<const double> example, bool columns) const;

  struct Trace {
    graph::Traced traced;
    lang::Machine machine;
  };
  // The outputs of a stage as a graph, at an example of its input. Throws Rejection or Error.
  Trace trace(const StateProgram& program, std::span<const double> example) const;
  bool finds_quadratic(const StateStage& stage) const;
  std::shared_ptr<StateProgram> compiled(const StateStage& stage, Index particles) const;
  Index size_of_first_state() const;
  lang::Value called(StateRole role, Index time, std::int32_t regime) const;

  const Model& model_;
  StateFunctions functions_;
  std::vector<lang::Value> values_;  // values of the model's globals
  Index num_times_ = 0, num_regimes_ = 0;
  Index num_more_ = 0;       // times behind the data
  std::int32_t regime_ = 0;  // the current one of num_regimes_, from 1
  density::Layout state_;
  std::vector<int> slices_;  // globals of which the functions read the element of a time
  struct Series {            // a slice: its values at each time, and bounds of whole ones
    lang::BaseType base;
    lang::Dims dims;
    std::vector<double> values;
    std::int32_t least = lang::Whole::kLeast, most = lang::Whole::kMost;
  };
  std::vector<Series> series_;
  std::vector<int> whole_;          // parameters that are read as they are, by their globals
  std::vector<double> parameters_;  // their values
  std::vector<char> observed_;
  struct Programs {
    Programs() = default;
    Programs(const Programs& other);
    mutable std::mutex mutex = {};
    std::map<StateStage, std::shared_ptr<const StateProgram>> all = {};
    std::map<StateStage, bool> quadratic = {};
  };
  mutable Programs programs_;
};

}  // namespace credo::model
