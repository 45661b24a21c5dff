// Places among draws, numbers that are uniform on (0, 1) where what drew them is right: of a parameter among the draws of a fit,
// of an observation among its replicates.
#pragma once
#include "base/types.hpp"

namespace credo::results {

struct PlaceFigures {
  Index count = 0;
  double p_value = kNaN;  // of uniform places, by their distribution function at all points at once
  double mean = kNaN;     // 1/2; above: the draws are too low
  double spread = kNaN;   // variance over that of uniform ones: 1; above: the draws are too narrow
  // What the places say of the draws: "too low", "too high", "too narrow", "too wide", whichever is further from chance.
  std::string_view fault() const;
};

inline constexpr Index kPlacePoints = 100;  // at which distribution functions are compared

PlaceFigures judge_places(std::span<const double> places);

}  // namespace credo::results
