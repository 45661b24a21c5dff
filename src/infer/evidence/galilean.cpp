// Galilean moves [skilling2012; feroz2013]: straight steps through the region above the threshold, reflected at its
// edge. With the height of the prior's density drawn as in a slice, the distribution within is uniform. A step from x by d:
//
//   1  y = x + d is within: go there
//   2  else, with n the gradient at y of the constraint it breaks: d' = d - 2 n (n · d) / n², y' = y + d' is within: go
//      there, and on along d'
//   3  else stay, and turn round: d becomes -d
//
// in coordinates in which the covariance of the points is the identity. The map (x, d) -> (x', d') keeps volumes, and is its own
// inverse once d is turned round, whatever n is as a function of y: so it leaves the uniform distribution as it is.
// Each path has a direction of its own and from 1 to 2 √D steps of a standard deviation's length, which is what a ball
// is wide in many dimensions.
#include "infer/evidence/constrained_slot.hpp"

namespace credo::infer {
namespace {
void move_by(std::span<const double> from, std::span<const double> step, std::span<double> to) {
  for (std::size_t d = 0; d < to.size(); ++d) to[d] = from[d] + step[d];
}
}  // namespace

Step<Nothing> ConstrainedMoves::reflect_along_a_path(Slot& slot) {
  draw_direction(slot);
  for (double& d : slot.direction) d *= scale_;
  const double height = points_->coordinates.log_density(slot.point) - slot.rng.exponential();
  const auto most =
      static_cast<Index>(std::ceil(2.0 * std::sqrt(static_cast<double>(space_.dimension()))));
  for (Index steps = 1 + slot.rng.index_below(most); steps > 0; --steps) {
    move_by(std::as_const(points_->coordinates).position(slot.point), slot.direction,
            slot.candidate);
    co_await look(slot);
    bool goes_on = is_within(slot, height);
    if (!goes_on) goes_on = co_await turn_at_the_edge(slot, height);
    if (goes_on)
      take(slot);
    else
      for (double& d : slot.direction) d = -d;
  }
  co_return Nothing{};
}

// From a candidate outside: true if the reflected step leads back. Outside of the support there is no gradient: false.
Step<bool> ConstrainedMoves::turn_at_the_edge(Slot& slot, double height) {
  if (!std::isfinite(slot.log_likelihood) || !std::isfinite(slot.log_prior)) co_return false;
  const bool is_of_likelihood = !(slot.log_likelihood > threshold_);
  slot.prior_gradient.resize(slot.candidate.size());
  slot.gradient.resize(slot.candidate.size());
  Evaluate prior = evaluate(slot.position, slot.prior_gradient);
  prior.request.weight = 0.0;
  if (!(co_await prior).status.ok()) co_return false;
  if (is_of_likelihood) {
    Evaluate posterior = evaluate(slot.position, slot.gradient);
    if (!(co_await posterior).status.ok()) co_return false;
    for (std::size_t d = 0; d < slot.gradient.size(); ++d)
      slot.gradient[d] -= slot.prior_gradient[d];
  } else {
    slot.gradient = slot.prior_gradient;
  }
  // n = Lᵀ gradient, L Lᵀ the covariance; the direction's noise z = L⁻¹ d.
  slot.metric.shape_gradient(slot.gradient, slot.noise);
  std::vector<double> turned = slot.direction;
  slot.metric.unshape_move(turned);
  double square = 0.0, along = 0.0;
  for (std::size_t d = 0; d < turned.size(); ++d)
    square += slot.noise[d] * slot.noise[d], along += slot.noise[d] * turned[d];
  if (!(square > 0.0) || !std::isfinite(square)) co_return false;
  for (std::size_t d = 0; d < turned.size(); ++d) turned[d] -= 2.0 * slot.noise[d] * along / square;
  std::vector<double> step(turned.size());
  slot.metric.shape_move(turned, step);
  const std::vector<double> edge = slot.candidate;
  move_by(edge, step, slot.candidate);
  co_await look(slot);
  if (!is_within(slot, height)) co_return false;
  slot.direction = step;
  co_return true;
}

}  // namespace credo::infer
