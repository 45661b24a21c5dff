// Rate at which the density falls towards infinity along one unconstrained coordinate, the others held: computed from the
// density itself, so without sampling error.
#pragma once
#include "verdict/probe.hpp"

namespace credo::verdict {

// A tail of less weight isn't one that anybody will see: a likelihood may rule out all but a near
// region of a prior with heavy tails, and leave e^-1000 of it. 50 nats, not 20: conditional weights
// bound the marginal one from below, since other parameters may adapt to the tail.
inline constexpr double kUnseenWeight = -50.0;

// With a parameter x of density about x^(-1-α) towards infinity: α, the order from which moments
// don't exist (1: no mean; 0 or less: not even a density). Infinite where it falls faster than
// every power, for refused points, and in bounded coordinates.
struct TailOrder {
  double lower = kInfinity, upper = kInfinity;  // towards smaller and larger values
  // Logarithm of the distribution x^(-1-α), continued back to where a draw is, over the density there: how
  // much of the tail there is. The largest of the draws asked; -infinity of light tails.
  double lower_weight = -kInfinity, upper_weight = -kInfinity;
  double least() const { return std::min(lower, upper); }
};

// With a scale y = exp(x) and linear coordinates growing together, l to c + (l - c) e^s as x goes to
// x + s: the order α of that joint tail. It bounds the marginal orders of y and of each of these
// coordinates from above, so that 1 or less proves that they have no mean: a location and a scale
// that n data don't tie down have α = n - p, as Student's t says, and the scale of J groups whose
// values the data know, with their location, J - 2. Infinite for unseen tails.
double dilation_order(const Probe& probe, Index coordinate, std::span<const Index> along);

std::vector<Index> linear_coordinates(const Probe& probe);
// Coordinates that make the scale's tail heavier by growing with it. 2 evaluations each.
std::vector<Index> carried_along(const Probe& probe, Index scale);

// The largest of several draws in each direction: what holds at all of them, to the difference of
// two evaluations. 4 evaluations where the tails are light at the first draw.
TailOrder tail_order(const Probe& probe, Index coordinate);

}  // namespace credo::verdict
