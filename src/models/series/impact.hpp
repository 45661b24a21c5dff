// The effect of an intervention on a series: outcomes after it, less those that the series would have had [brodersen2015].
#pragma once
#include "models/series/series_paths.hpp"

namespace credo::models {

struct ImpactTime {
  Index place = 0;
  double outcome = kNaN;
  SeriesBand expected, effect,
      cumulative;  // without the intervention; outcome less that; sums of effects until here
};
struct Impact {
  std::vector<ImpactTime> times;     // behind the fit, with an outcome
  double outcome = kNaN;             // mean over these
  SeriesBand expected, effect, sum;  // means, sum of all effects
  SeriesBand relative;               // mean effect over the mean expected outcome; NaN without one
  std::string no_relative = {};      // why there is no relative effect
  double positive = kNaN;            // probability that the sum is above 0
  // False if the interval of the sum excludes 0.
  bool contains_zero() const { return sum.q5 <= 0.0 && sum.q95 >= 0.0; }
};
// `outer`: probability of the intervals. Throws Error(data) if no time behind the fit has an outcome.
Impact impact_of(const Series& made, std::span<const SeriesPath> paths, double outer);

}  // namespace credo::models
