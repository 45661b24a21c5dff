// The log evidence of the normal distribution that has the density's mode and curvature there:
//
//   log Z = log q(x̂) + ½ D log 2π - ½ log det C,   C = -∇² log q(x̂)
//
// on the unconstrained space, so that it depends on how parameters are declared.
#pragma once
#include "infer/core/sample.hpp"

namespace credo::infer {

struct LaplaceOptions {
  Index num_starts = 8;
  std::uint64_t seed = 1;
  double init_radius = 2.0;

  static void describe(auto& self, auto&& field) {  // all but the seed, which is the run's
    field(self.num_starts, FieldSpec{.name = "num_starts",
                                     .help = "climbs, each from a point of its own",
                                     .range = {.lo = 1.0, .hi = 1e6}});
    field(self.init_radius, FieldSpec{.name = "init_radius",
                                      .help = "climbs begin uniformly on (-radius, radius)",
                                      .range = {.lo = 0.0, .hi_open = true}});
  }
};

struct LaplaceEvidence {
  double log_evidence = kNaN;  // for the density as written; its error isn't known
  double log_density = -kInfinity;
  std::vector<double> mode, covariance;
  // Numbers of climbs that converged to this mode, and to others.
  Index num_there = 0, num_elsewhere = 0, num_evaluations = 0;
};

// At the highest of the modes that are found. Throws Error(evaluation) where no climb converges, or the density isn't
// peaked there, with the reason; Error(usage) without a gradient.
LaplaceEvidence laplace_evidence(const density::LogDensity& density, const LaplaceOptions& options);

}  // namespace credo::infer
