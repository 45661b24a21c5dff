// Gibbs updates of the discrete block of a log density, as a part of a composition.
//
//   const KernelMaker both =
//       cycle({on_coordinates({0, 1, 2}, kernel("nuts")), site_sweep(density)});
//
// is what run_chains makes of a sampler's name when the density has a discrete block: the sampler
// moves the other coordinates with the block as it is, then each value of the block is drawn from
// its full conditional.
#pragma once
#include "infer/compose/chooser.hpp"
#include "infer/compose/compose.hpp"

namespace credo::infer {

// Runs each step of the updates in turn; position becomes their draw. Leaves the density invariant.
void sweep_sites(density::DiscreteUpdates& updates, std::span<double> position, Chooser& chooser);

// Kind of the updates. random: as many steps as there are, each picked uniformly. metropolis: each value is
// offered another one, all alike. over_relaxed: each value is ranked among draws from its full conditional. Throws Error(usage)
// for the last two where values are drawn jointly.
void sweep_as_asked(density::DiscreteUpdates& updates, std::span<double> position,
                    Chooser& chooser);

// A sweep, and one evaluation of the log density where it ends. The density must outlive the
// kernel.
KernelMaker site_sweep(const density::LogDensity& density);

// The sampler on the continuous coordinates, if there are any, then a sweep. Throws Error(usage)
// for a sampler that moves many points at once.
KernelMaker with_site_sweep(const density::LogDensity& density, const SampleOptions& options);

// Throws Error(usage) unless all coordinates are continuous; for algorithms without discrete moves.
void require_continuous(const density::LogDensity& density, std::string_view algorithm);

}  // namespace credo::infer
