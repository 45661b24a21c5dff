// Modes that no draw is near: climbs from random points and from draws, and what the modes they
// find hold.
#pragma once
#include "verdict/case.hpp"

namespace credo::verdict {

struct OtherMode {
  std::string output;       // in which it lies furthest from the draws
  double value = kNaN;      // of this output there
  double log_share = 0;     // logarithm of its mass against that of the draws
  bool is_inside = false;   // a spike amid the draws
  double draws_near = 0.0;  // of a spike: the share of draws within it
};

struct ModeSearch {
  Index num_climbs = 0;  // 0: the density couldn't be asked, or has too many dimensions
  std::optional<OtherMode> found = {};
};

// A mode counts if a climb of few steps reaches it, its second derivatives are those of a maximum,
// and one of these holds:
//
// It lies outside the draws' range in some coordinate by twice their spread, a valley lies between
// it and the nearest draw, and it holds at least a fiftieth of the mass by a normal approximation
// of both: log p(mode) + log det(Σ) / 2, and of the draws mean(log p) + D / 2 + log det(S) / 2.
//
// It lies amid the draws and holds at least a tenth of their mass but not all of it, and its share of the draws is
// smaller than that by five standard errors. Both masses are taken so that this is no accident: its
// own by importance sampling with weights of at most 1, which is too small rather than too large,
// theirs by the normal distribution of their covariance, which no distribution of that covariance has more of.
ModeSearch search_modes(const Case& at_hand);

// True if climbs from the draws next to each of these values of a sampled column end at one and the
// same mode. False if the density can't be evaluated, or if a climb doesn't end.
bool climbs_meet(const Case& at_hand, Index column, std::span<const double> values);

}  // namespace credo::verdict
