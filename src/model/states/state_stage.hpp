// A stage of a state-space model: a loop over particles that calls the functions of the program, which the tracer makes columns
// of.
#pragma once
#include "base/types.hpp"
#include "model/states/state_functions.hpp"

namespace credo::model {

// Task of the loop for each particle.
enum class StateTask : std::uint8_t {
  begin,       // draw x_1, weigh it
  move,        // draw x_t from x_{t-1}, weigh it
  map,         // make x_t of given uniform numbers (and x_{t-1}), weigh it
  look_ahead,  // log eta(y_t, x_{t-1})
  transition,  // at given x_t (and x_{t-1}): log density of the transition, or of the initial distribution
  weigh,        // the same density, and the log weight that x_t would have if it had been drawn
  observation,  // log density of the outcome after given x_t
  outcome,      // draw y_t after given x_t
  densities  // at given x_t (and x_{t-1}): log densities of the transition, or of the initial distribution, and of the
             // outcome
};
struct StateStage {
  StateTask task = StateTask::move;
  bool guided = false;       // drawn from the proposal
  bool observed = true;      // weighed by the outcome
  bool initial = false;      // of given states and maps: x_1's
  std::int32_t regime = 0;   // from 1; 0: the model has none
  bool derivatives = false;  // by x_{t-1} for transition, by x_t for observation
  auto operator<=>(const StateStage&) const = default;
};

// A stage as a typed program: the functions and global variables of the program that states the model, in their slots, then
// variables of its own, and generated quantities that are the loop. It needs no parser and no checker.
struct StageProgram {
  lang::typed::Program program;
  int time = -1, regime = -1;                         // slots; -1: none
  std::vector<int> slices, previous, given, results;  // slots of the columns
};
struct StageRequest {
  StateStage stage;
  Index state_size = 1;    // elements of a state
  Index particles = 1;     // rounds of the loop
  Index outcome_size = 1;  // elements of an outcome
  std::span<const int> slices =
      {};  // global variables of which the functions read the element of a time
};
// The program refers to the source, which must live as long.
StageProgram stage_program(const ProgramSource& source, const StateFunctions& functions,
                           const StageRequest& request);

// Functions that a stage calls, in the order of the sum of its log weight.
std::vector<StateRole> roles_of(const StateStage& stage, const StateFunctions& functions);

}  // namespace credo::model
