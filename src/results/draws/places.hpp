// Places among draws, numbers that are uniform on (0, 1) if draws are right: places of a parameter among the draws of a fit,
// or of an observation among its replicates.
#pragma once
#include "base/types.hpp"

namespace credo::results {

struct PlaceFigures {
  Index count = 0;
  double p_value = kNaN;  // test of uniformity, by the distribution function at all points
  double mean = kNaN;     // 1/2; above: the draws are too low
  double spread = kNaN;   // variance over that of uniform ones: 1; above: the draws are too narrow
  // Fault of the draws by their places: "too low", "too high", "too narrow", "too wide", the one further from chance.
  std::string_view fault() const;
};

inline constexpr Index kPlacePoints = 100;  // at which distribution functions are compared

PlaceFigures judge_places(std::span<const double> places);

}  // namespace credo::results
