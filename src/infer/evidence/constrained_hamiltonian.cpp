// Constrained Hamiltonian moves [betancourt2011]: leapfrog steps under the prior's density π, reflected where the likelihood ends.
// In coordinates q in which the covariance of the points is the identity, with a momentum p ~ N(0, I):
//
//   1  p += ½ ε ∇log π(q)
//   2  so many times, from 1 to 2 √D:  q += ε p, and a kick there
//        within:                       p += ε ∇log π(q)
//        outside, n = ∇log L(q):       p += ½ ε ∇log π(q);  p -= 2 n (n · p) / n²;  p += ½ ε ∇log π(q)
//        outside, without a gradient:  p = -p
//      the last kick is half of one, and at a point within; else the move is refused
//   3  q is taken with the probability min(1, exp(H - H')), H = ½ p² - log π(q)
//
// Each kick keeps volumes and is its own inverse once p is turned round, for any n as a function of q, and so does a
// drift. The whole is a palindrome of them: it leaves the prior above the threshold as it is.
#include "infer/core/vectors.hpp"
#include "infer/evidence/constrained_slot.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {

Step<Nothing> ConstrainedMoves::follow_a_trajectory(Slot& slot) {
  const double root = std::sqrt(static_cast<double>(space_.dimension())), step = scale_ / root;
  std::ranges::copy(std::as_const(points_->coordinates).position(slot.point),
                    slot.candidate.begin());
  for (double& p : slot.noise) p = slot.rng.normal();
  ++slot.num_candidates;
  if (!co_await look_with_slope(slot)) co_return Nothing{};
  const double energy = 0.5 * dot(slot.noise, slot.noise) - slot.log_density;
  add(slot.noise, 0.5 * step, slot.slope);  // line 1
  for (Index left = slot.rng.index_below(static_cast<Index>(std::ceil(2.0 * root))); true; --left) {
    slot.metric.shape_move(slot.noise, slot.direction);
    add(slot.candidate, step, slot.direction);
    const bool has_slope = co_await look_with_slope(slot);
    if (left == 0) break;
    if (has_slope && is_within(slot, -kInfinity))
      add(slot.noise, step, slot.slope);
    else
      co_await reflect(slot, step);
  }
  if (!is_within(slot, -kInfinity)) co_return Nothing{};
  add(slot.noise, 0.5 * step, slot.slope);
  const double change = 0.5 * dot(slot.noise, slot.noise) - slot.log_density - energy;
  if (slot.rng.uniform() < numerics::exp(-change)) take(slot);  // line 3
  co_return Nothing{};
}

// The kick outside.
Step<Nothing> ConstrainedMoves::reflect(Slot& slot, double step) {
  double square = 0.0;
  if (std::isfinite(slot.log_prior) && std::isfinite(slot.log_likelihood)) {
    slot.gradient.resize(slot.candidate.size());
    Evaluate posterior = evaluate(slot.position, slot.gradient);
    if ((co_await posterior).status.ok()) {
      add(slot.gradient, -1.0, slot.prior_gradient);
      slot.metric.shape_gradient(slot.gradient, slot.direction);  // n
      square = dot(slot.direction, slot.direction);
    }
  }
  if (!(square > 0.0) || !std::isfinite(square)) {
    for (double& p : slot.noise) p = -p;
    co_return Nothing{};
  }
  add(slot.noise, 0.5 * step, slot.slope);
  add(slot.noise, -2.0 * dot(slot.direction, slot.noise) / square, slot.direction);
  add(slot.noise, 0.5 * step, slot.slope);
  co_return Nothing{};
}

// Like look(), with the gradient of log π; false where it has none.
Step<bool> ConstrainedMoves::look_with_slope(Slot& slot) {
  slot.prior_gradient.resize(slot.candidate.size());
  slot.slope.resize(slot.candidate.size());
  std::ranges::copy(slot.candidate, slot.position.begin());
  Evaluate question = evaluate(slot.position, slot.prior_gradient);
  question.request.weight = 0.0;
  const Evaluation answer = co_await question;
  slot.log_prior = slot.log_density = answer.log_density;
  slot.log_likelihood = question.request.log_ratio;
  if (!answer.status.ok()) co_return false;
  slot.metric.shape_gradient(slot.prior_gradient, slot.slope);
  co_return true;
}

}  // namespace credo::infer
