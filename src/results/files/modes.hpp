// Modes that the climbs of a fit found (docs/optimize.md).
#pragma once
#include "infer/optimise/climb.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

inline constexpr const char* kOptimumGroup = "optimum";  // in NetCDF, in the place of "posterior"

// The fit is of climbs to modes: its draws are no sample.
bool holds_modes(const Fit& fit);

struct ModeStart {
  double log_density = kNaN, gradient = kNaN, gain = kNaN;  // largest component; Newton step's
  Index num_iterations = 0, num_evaluations = 0;
  infer::ClimbEnd end = infer::ClimbEnd::none;
  infer::Curvature::Shape curvature = infer::Curvature::Shape::unknown;
  bool agrees = false;  // its log density is that of the best one
};

struct Modes {
  std::vector<ModeStart> starts;
  std::size_t best = 0;    // the highest of those that converged, or of all where none has
  std::string limits;      // sentences: faults and gaps of the best; empty: none
  std::string kinks = {};  // sentences on values at kinks; empty: none are known
  bool is_sound = false;   // a peak was found, and no climb went without bound

  const ModeStart& best_start() const { return starts[best]; }
};
inline constexpr double kSameHeight = 1e-4;  // nats

// Modes of a fit that holds modes, with at least one draw.
Modes modes_of(const Fit& fit);

// Standard deviations of the outputs at the best mode, by the normal approximation with the inverse
// of its curvature and the delta method; NaN for generated quantities, for whole numbers, and if there
// is no mode or no curvature.
std::vector<double> mode_sds(const Fit& fit, const Modes& modes, const density::Model& model);

}  // namespace credo::results
