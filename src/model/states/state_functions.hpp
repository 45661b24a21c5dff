// The functions by which a program states a state-space model (docs/algorithms/filters.md): their roles are their names, and
// their arguments are found by name among the program's data and parameters.
#pragma once
#include "model/data/source.hpp"

namespace credo::model {

enum class StateRole : std::uint8_t {
  initial_draw,
  initial_density,
  transition_draw,
  transition_density,
  observation_density,
  proposal_draw,
  proposal_density,
  initial_proposal_draw,
  initial_proposal_density,
  look_ahead,
  initial_regimes,
  next_regimes,
  initial_map,
  transition_map,
  observation_draw
};
inline constexpr std::size_t kNumStateRoles = 15;

// Source of an argument.
struct StateArgument {
  enum class From : std::uint8_t {
    outcome,   // y_t, the element of the observed variable
    state,     // x_t
    previous,  // x_{t-1}
    uniforms,  // a vector of numbers within (0, 1), as many as a state has elements
    time,      // t, from 1
    regime,    // the regime of time t, from 1; for next_regimes the one before
    whole,     // a variable of the program
    element    // its element at time t
  };
  From from;
  int global = -1;  // slot of the variable for outcome, whole and element
};

struct StateFunction {
  std::string name;  // name in the program; empty without one
  std::int32_t function = -1;
  bool is_density = false;
  bool is_of_regimes = false;  // its result is a vector of probabilities
  bool is_of_outcome = false;  // its result is an outcome
  std::vector<StateArgument> arguments = {};
  explicit operator bool() const { return function >= 0; }
};

struct StateFunctions {
  std::array<StateFunction, kNumStateRoles> roles;
  lang::UnsizedType state;
  int outcome = -1;  // the slot of the observed variable

  // The model switches between regimes: its functions are given one.
  bool have_regimes() const { return static_cast<bool>((*this)[StateRole::initial_regimes]); }

  const StateFunction& operator[](StateRole role) const {
    return roles[static_cast<std::size_t>(role)];
  }
};

// Throws Error(program) where a function that is needed is missing, or one has arguments that can't be bound.
StateFunctions state_functions(const ProgramSource& source);

// The type of an element at one time: T for array[] T, a real for a vector, a row for a matrix; empty for scalars and tuples.
std::optional<lang::UnsizedType> type_at_one_time(const lang::UnsizedType& type);

}  // namespace credo::model
