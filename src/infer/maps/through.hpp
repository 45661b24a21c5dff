// Runs in the base space of a map [hoffman2019]: an algorithm sees the density pulled back, and its draws are mapped on. Right for every map;
// easy for one near the target, whose density in the base space is near N(0, I). So a distribution that was fitted is a proposal, too:
// importance sampling, the independence sampler and paths of particles from N(0, I) there draw from it here.
#pragma once
#include "infer/core/sample.hpp"
#include "infer/maps/map_values.hpp"

namespace credo::infer {

// run_chains in the base space of a map. Throws Error(usage) for a map of another number of values, for algorithms that ask a density for
// more than values and gradients, and for starts and metrics that the base space can't take.
RunResult run_through(const density::LogDensity& density, const MapValues& map,
                      const SampleOptions& options, DrawSink& sink);

}  // namespace credo::infer
