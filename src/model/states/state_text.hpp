// A program that moves or judges many states at once, written from a program that states a state-space model: its model and
// generated quantities give way to a loop over particles, which the tracer makes columns of.
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

// Variables of the program that is written. Those of the program itself keep their names.
namespace state_names {
inline const std::string kTime = "credo_t", kRegime = "credo_regime", kAt = "credo_at_",
                         kPrevious = "credo_previous_", kNext = "credo_next_",
                         kGiven = "credo_given_", kWeight = "credo_weight",
                         kTransition = "credo_log_transition", kOutcome = "credo_outcome_";
}

// The element of a variable at one time, as it is declared: "vector[3]".
struct StateSlice {
  int global = -1;
  std::string name, declaration;
};

struct StateTextRequest {
  StateStage stage;
  Index state_size = 1;    // elements of a state
  Index particles = 1;     // rounds of the loop
  Index outcome_size = 1;  // elements of an outcome
  std::span<const StateSlice> slices = {};
};
std::string state_text(const ProgramSource& source, const StateFunctions& functions,
                       const StateTextRequest& request);

// Functions that a stage calls, in the order of the sum of its log weight.
std::vector<StateRole> roles_of(const StateStage& stage, const StateFunctions& functions);

}  // namespace credo::model
