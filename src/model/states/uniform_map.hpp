// States that are made of uniform numbers, for sequential quasi-Monte Carlo [gerber2015]: by the program's functions initial_map and
// transition_map, or, where its initial and transition densities are normal in their first argument, by
//
//   x = m + L Phi^-1(u),   N(m, L L') = p(x_t | x_{t-1})
#pragma once
#include "model/states/state_model.hpp"

namespace credo::model {

// False where there are neither maps nor densities to read.
density::Capability can_map_uniforms(const StateModel& model);

class UniformMap final : public density::StateSpace {
 public:
  // The model must live as long. Throws Error(program) with the reason of can_map_uniforms; movers throw it where a
  // density isn't normal.
  explicit UniformMap(const StateModel& model);

  Index num_times() const override { return model_.num_times(); }
  const density::Layout& state() const override { return model_.state(); }
  bool is_observed(Index time) const override { return model_.is_observed(time); }
  density::Capability can(density::Kernel kernel) const override;
  density::Capability can_look_ahead() const override { return model_.can_look_ahead(); }
  // They move blocks that have uniforms, and weigh them by the outcome.
  std::unique_ptr<density::StateMover> make_mover(density::Kernel kernel) const override;

 private:
  const StateModel& model_;
  bool has_functions_;
};

}  // namespace credo::model
