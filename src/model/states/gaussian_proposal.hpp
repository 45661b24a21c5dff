// Particles that are drawn from a normal distribution that knows the outcome, for programs whose transition is normal
// in its first argument [doucet2000; vandermerwe2000; murphy2023, 13.4]. For a particle whose state before is x, with
// N(m, P) = p(x_t | x):
//
//   unscented   q = the Kalman update of N(m, P) by y_t = C x_t + d + N(0, R): the line that fits the means of the outcome at the
//               sigma points of N(m, P) best, and the residual as noise
//   extended    the same by the tangent of the outcome's mean at m, and its covariance there
//   laplace     q = N(mode, -H^-1) for f(x_t) = log p(y_t | x_t) + log N(x_t; m, P), H its second derivatives at the mode
//
// Weights are p(y_t | x_t) p(x_t | x) / q(x_t), so likelihoods have no bias for any q. If the outcome is normal, with a mean
// that is linear in the state and a covariance that doesn't depend on it, all three are p(x_t | x, y_t), the optimal proposal, and
// the weight doesn't depend on x_t.
#pragma once
#include "model/states/state_model.hpp"

namespace credo::model {

enum class ProposalDistribution { unscented, extended, laplace };
density::Capability can_propose(const StateModel& model, ProposalDistribution distribution);

class GaussianProposal final : public density::StateSpace {
 public:
  // The model must live as long. `kappa` of the sigma points, at least 0. Throws Error(program) without initial_lpdf or
  // transition_lpdf, of states that aren't real, or of more than 15 elements; movers throw it where a density isn't normal: that of
  // the transition, and except for laplace that of the outcome.
  GaussianProposal(const StateModel& model, ProposalDistribution distribution, double kappa = 0.0);

  Index num_times() const override { return model_.num_times(); }
  const density::Layout& state() const override { return model_.state(); }
  bool is_observed(Index time) const override { return model_.is_observed(time); }
  density::Capability can(density::Kernel) const override { return {}; }
  density::Capability can_look_ahead() const override { return model_.can_look_ahead(); }
  std::unique_ptr<density::StateMover> make_mover(density::Kernel kernel) const override;

 private:
  const StateModel& model_;
  ProposalDistribution distribution_;
  double kappa_;
};

}  // namespace credo::model
