// Which discrete parameters are updated together.
#pragma once
#include "graph/factors/factors.hpp"

namespace credo::model {

enum class SiteBlocks { trees, single };

struct SiteStep {
  graph::Sites sites;
  // Each summand that isn't wide holds at most two of them, and the pairs make no cycle; if not
  // joint, it holds one at most: given all others the sites are independent.
  bool joint = false;
};

// Trees: sites are taken in order as long as they make no cycle, then from those left over; by
// single sites: in colours. `apart` (by site): never in a tree.
std::vector<SiteStep> steps_of(std::span<const graph::Sites> scopes, std::span<const char> apart,
                               SiteBlocks blocks);

}  // namespace credo::model
