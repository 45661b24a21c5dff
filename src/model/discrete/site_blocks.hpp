// Blocks of discrete parameters that are updated together.
#pragma once
#include "graph/factors/factors.hpp"

namespace credo::model {

enum class SiteBlocks { trees, single, clusters };

// Sites that are independent given all others; that summands hold in pairs, which make no cycle, and are drawn
// jointly; that summands hold in pairs, and are moved by clusters (model/discrete/site_clusters.hpp).
enum class StepKind { apart, forest, clusters };

// Each summand that isn't wide holds at most two of its sites; one at most, where they are apart.
struct SiteStep {
  graph::Sites sites;
  StepKind kind = StepKind::apart;
};

// Trees: sites are taken in order as long as they make no cycle, then from those left over; single sites: in
// colours; clusters: all sites that meet others in pairs only, then those left over in colours. `apart` (by
// site): always in a colour. Throws Error(usage) where there are to be clusters and no summand is of a pair.
std::vector<SiteStep> steps_of(std::span<const graph::Sites> scopes, std::span<const char> apart,
                               SiteBlocks blocks);

}  // namespace credo::model
