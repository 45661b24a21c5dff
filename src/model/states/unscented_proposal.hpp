// Particles that are drawn from a normal law that knows the outcome, for programs whose densities are normal in their first
// argument [vandermerwe2000; murphy2023, 13.4.3]. Of a particle whose state before is x:
//
//   N(m, P) = p(x_t | x);   C, d, R: the line that fits the means of the outcome at the sigma points of N(m, P) best
//   q = the Kalman update of N(m, P) by y_t = C x_t + d + N(0, R)
//
// weighed by p(y_t | x_t) p(x_t | x) / q(x_t). Where the outcome's mean is linear in the state and its covariance doesn't depend on
// it, q is p(x_t | x, y_t), the optimal proposal, and the weight doesn't depend on x_t.
#pragma once
#include "model/states/state_model.hpp"

namespace credo::model {

class UnscentedProposal final : public density::StateSpace {
 public:
  // The model must live as long. `kappa` of the sigma points, at least 0. Throws Error(program) without initial_lpdf or
  // transition_lpdf, of states that aren't real, or of more than 15 elements; movers throw it where a density isn't normal.
  UnscentedProposal(const StateModel& model, double kappa);

  Index num_times() const override { return model_.num_times(); }
  const density::Layout& state() const override { return model_.state(); }
  bool is_observed(Index time) const override { return model_.is_observed(time); }
  density::Capability can(density::Kernel) const override { return {}; }
  density::Capability can_look_ahead() const override { return model_.can_look_ahead(); }
  std::unique_ptr<density::StateMover> make_mover(density::Kernel kernel) const override;

 private:
  const StateModel& model_;
  double kappa_;
};

}  // namespace credo::model
