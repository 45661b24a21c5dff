// Modes that no draw is near: climbs from random points, and what the modes they find hold.
#pragma once
#include "verdict/case.hpp"

namespace credo::verdict {

struct OtherMode {
  std::string output;    // in which it lies furthest from the draws
  double value = kNaN;   // of this output there
  double log_share = 0;  // logarithm of its mass against that of the draws
};

// None where there is no density, where it has many dimensions, or nothing is found.
//
// A mode counts if a climb of few steps reaches it, its second derivatives are those of a maximum,
// it lies outside the draws' range in some coordinate by twice their spread, a valley lies between
// it and the nearest draw, and it holds at least a fiftieth of the mass by a normal approximation
// of both: log p(mode) + log det(Σ) / 2, and of the draws mean(log p) + D / 2 + log det(S) / 2.
std::optional<OtherMode> find_other_mode(const Case& at_hand);

}  // namespace credo::verdict
