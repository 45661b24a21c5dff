// The modes that climbs from several starts find, with the normal distributions that their curvatures give [murphy2023, 7.4.3].
#pragma once
#include "infer/optimise/curvature.hpp"
#include "infer/optimise/mode.hpp"

namespace credo::infer {

struct LaplaceSearch {
  Index num_starts = 8;
  double init_radius = 2.0;  // climbs begin uniformly on (-radius, radius)
  std::uint64_t seed = 1;
  // Exact second derivatives, where the density has them: a program is traced again for them. Else differences of gradients.
  bool exact = true;
  std::function<void(const FitProgress&)> on_fit = nullptr;
  Index num_threads = 1;  // threads of an evaluation; no value depends on them
};

struct LaplacePeak {
  Mode mode;
  Curvature curvature;
  Index num_climbs = 1;
  double log_mass = -kInfinity;  // log evidence of its normal distribution
};

// The peaks, that with the largest mass first. Throws Error(evaluation) where no climb converges, or the end with the highest
// density is no peak: the message names the direction along which it isn't.
std::vector<LaplacePeak> find_peaks(const density::LogDensity& density,
                                    const LaplaceSearch& search);

}  // namespace credo::infer
