// Modes that chains haven't seen, from starts that are independent of the chains.
//
// If all chains begin in the same one of several modes, they agree with each other, and every figure made of their
// draws alone calls itself exact. So climbs begin at draws of the prior. At each mode m they find, with the covariance
// V of its curvature, the evidence says which share of the draws should lie in the ellipsoid E = {(x - m)' V⁻¹ (x - m) <= D}:
//
//   p = (1 / Z) ∫_E density = (1 / Z) mean of 1_E density / N(x; m, V) over draws of that normal,
//
// Their weights are bounded on E, for any density. Fewer draws there than chance explains: the chains lack it.
//
// Z is that of the draws, so that p is above 1 where they miss the larger mode. Such modes have the share
//
//   R / (1 + R) of the whole mass,   R = Σ (p - share of the draws in E) / P(χ²(D) <= D)
//
// since a normal distribution has P(χ²(D) <= D) of its mass in E.
#pragma once
#include "density/draws.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

struct ModeSearchOptions {
  Index num_climbs = 20;
  Index num_points = 400;       // draws of the normal at a mode
  double limit = 4.0;           // standard errors
  Index most_dimensions = 200;  // the curvature takes as many gradients
  std::uint64_t seed = 1;
};

struct UnseenMode {
  std::vector<double> position;
  double expected_share = 0.0,
         share = 0.0;  // shares of the draws in E: by the evidence, and actual
};

struct ModeSearch {
  Index num_modes = 0, num_evaluations = 0;  // modes: different ones, with the curvature of a peak
  bool was_made = false;                     // false: no gradient, or too many dimensions
  std::optional<UnseenMode> unseen = {};     // the one with the largest expected share
  // Share of the whole mass, that of the draws and of all modes that they lack, which lies at the latter and no draw stands for.
  double lacking_share = 0.0;
};

// `draws`: free positions, S × C × D; `evidence`: that of the density, from these draws. O(climbs · their length) gradients.
ModeSearch search_unseen_modes(const density::LogDensity& density, const density::Draws& draws,
                               const LogEvidence& evidence, const ModeSearchOptions& options);

}  // namespace credo::infer
