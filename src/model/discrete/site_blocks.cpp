// Blocks of sites that hold together as trees, drawn jointly [hamze2004]: in a chain all of them,
// in a grid two combs. Colours as [gonzalez2011].
#include "model/discrete/site_blocks.hpp"

#include <set>

#include "base/error.hpp"

namespace credo::model {
using graph::Sites;

namespace {
class Partition {
 public:
  explicit Partition(std::span<const Sites> scopes, std::size_t num_sites)
      : scopes_(scopes), factors_(num_sites), parent_(num_sites), step_(num_sites, -1) {
    for (std::size_t f = 0; f < scopes.size(); ++f) {
      for (const std::int32_t s : scopes[f]) factors_[static_cast<std::size_t>(s)].push_back(f);
    }
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  // A forest of the first sites that are possible; the others are left in `sites`.
  SiteStep forest(Sites& sites) {
    SiteStep step;
    Sites left;
    const std::int32_t number = num_steps_++;
    for (const std::int32_t s : sites) {
      if (!joins(s, number)) {
        left.push_back(s);
        continue;
      }
      if (!trees_.empty()) step.kind = StepKind::forest;
      for (const std::int32_t root : trees_) parent_[static_cast<std::size_t>(root)] = s;
      step_[static_cast<std::size_t>(s)] = number;
      step.sites.push_back(s);
    }
    sites = std::move(left);
    return step;
  }

  std::vector<SiteStep> colours(const Sites& sites) {
    std::vector<SiteStep> steps;
    const std::int32_t first = num_steps_;
    for (const std::int32_t s : sites) {
      const std::size_t colour = free_colour(s, first);
      if (colour == steps.size()) steps.emplace_back(), ++num_steps_;
      steps[colour].sites.push_back(s);
      step_[static_cast<std::size_t>(s)] = first + static_cast<std::int32_t>(colour);
    }
    return steps;
  }

 private:
  // trees_: the trees that it would join.
  bool joins(std::int32_t s, std::int32_t number) {
    trees_.clear(), neighbours_.clear();
    for (const std::size_t f : factors_[static_cast<std::size_t>(s)]) {
      std::int32_t in_step = 0;
      for (const std::int32_t other : scopes_[f]) {
        if (step_[static_cast<std::size_t>(other)] != number) continue;
        if (++in_step > 1) return false;
        if (!neighbours_.insert(other).second) continue;
        if (!trees_.insert(root_of(other)).second) return false;  // a cycle
      }
    }
    return true;
  }
  std::int32_t root_of(std::int32_t s) {
    for (; parent_[static_cast<std::size_t>(s)] != s; s = parent_[static_cast<std::size_t>(s)]) {
      auto& parent = parent_[static_cast<std::size_t>(s)];
      parent = parent_[static_cast<std::size_t>(parent)];
    }
    return s;
  }
  std::size_t free_colour(std::int32_t s, std::int32_t first) const {
    std::set<std::int32_t> taken;
    for (const std::size_t f : factors_[static_cast<std::size_t>(s)]) {
      for (const std::int32_t other : scopes_[f])
        taken.insert(step_[static_cast<std::size_t>(other)]);
    }
    std::int32_t colour = first;
    while (taken.contains(colour)) ++colour;
    return static_cast<std::size_t>(colour - first);
  }

  std::span<const Sites> scopes_;
  std::vector<std::vector<std::size_t>> factors_;  // factors of each site
  std::vector<std::int32_t> parent_, step_;
  std::set<std::int32_t> trees_, neighbours_;
  std::int32_t num_steps_ = 0;
};

// By site: it meets another, and none but in summands of two.
std::vector<char> in_pairs(std::span<const Sites> scopes, std::size_t num_sites) {
  std::vector<char> pair(num_sites, 0), more(num_sites, 0);
  for (const Sites& scope : scopes) {
    if (scope.size() < 2) continue;
    for (const std::int32_t s : scope)
      (scope.size() == 2 ? pair : more)[static_cast<std::size_t>(s)] = 1;
  }
  for (std::size_t s = 0; s < num_sites; ++s) pair[s] = pair[s] != 0 && more[s] == 0;
  return pair;
}

Error no_pairs() {
  return Error(
      ErrorCode::usage,
      "clusters are made of discrete parameters that terms of the log density hold in pairs; this "
      "program has none",
      "--blocks clusters", "take --blocks trees");
}
}  // namespace

std::vector<SiteStep> steps_of(std::span<const Sites> scopes, std::span<const char> apart,
                               SiteBlocks blocks) {
  Partition partition(scopes, apart.size());
  std::vector<char> is_together(apart.size(), blocks == SiteBlocks::single ? 0 : 1);
  if (blocks == SiteBlocks::clusters) is_together = in_pairs(scopes, apart.size());
  Sites together, in_colours;
  for (std::size_t s = 0; s < apart.size(); ++s) {
    const bool single = is_together[s] == 0 || apart[s] != 0;
    (single ? in_colours : together).push_back(static_cast<std::int32_t>(s));
  }
  std::vector<SiteStep> steps;
  if (blocks == SiteBlocks::clusters) {
    if (together.empty()) throw no_pairs();
    steps.push_back({.sites = std::move(together), .kind = StepKind::clusters});
    together.clear();
  }
  while (!together.empty()) steps.push_back(partition.forest(together));
  for (SiteStep& step : partition.colours(in_colours)) steps.push_back(std::move(step));
  return steps;
}

}  // namespace credo::model
