// How the density falls towards infinity along one free coordinate, the others held: asked of the
// density itself, so without sampling error.
#pragma once
#include "verdict/probe.hpp"

namespace credo::verdict {

// With a parameter x of density about x^(-1-α) towards infinity: α, the order from which moments
// don't exist (1: no mean; 0 or less: not even a density). Infinite where it falls faster than
// every power, for refused points, and in bounded coordinates.
struct TailOrder {
  double lower = kInfinity, upper = kInfinity;  // towards smaller and larger values
  double least() const { return std::min(lower, upper); }
};

// The largest of several draws in each direction: what holds at all of them, to the difference of
// two evaluations. 4 evaluations where the tails are light at the first draw.
TailOrder tail_order(const Probe& probe, Index coordinate);

}  // namespace credo::verdict
