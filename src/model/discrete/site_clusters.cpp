#include "model/discrete/site_clusters.hpp"

#include "numerics/elementary.hpp"

namespace credo::model {
namespace {
constexpr std::size_t kEnd = static_cast<std::size_t>(-1);

bool holds(const Bond& bond, std::int32_t first, std::int32_t second) {
  return bond.strength > 0.0 && (first != second) == bond.opposite;
}
}  // namespace

// The strength for values v and w: half the excess of log weights (v, v) + (w, w) over (v, w) + (w, v). The smallest of
// all pairs of values, so that the rest is nowhere less than 0; for a Potts table it is the coupling.
Bond bond_of(std::span<const double> table, std::int32_t first_size, std::int32_t second_size) {
  if (first_size != second_size) return {};
  const auto at = [&](std::int32_t a, std::int32_t b) {
    return table[static_cast<std::size_t>(a * second_size + b)];
  };
  double least = kInfinity;
  for (std::int32_t v = 0; v < first_size; ++v) {
    for (std::int32_t w = v + 1; w < first_size; ++w) {
      const double excess = 0.5 * (at(v, v) + at(w, w) - at(v, w) - at(w, v));
      if (std::isnan(excess)) return {};  // impossible with and without the bond
      least = std::min(least, excess);
    }
  }
  if (first_size == 2 && least < 0.0) return {.strength = -least, .opposite = true};
  return {.strength = first_size > 1 ? std::max(least, 0.0) : 0.0};
}

SiteClusters::SiteClusters(const numerics::EliminationPlan& plan)
    : plan_(plan),
      pairs_of_(plan.sizes.size()),
      singles_of_(plan.sizes.size()),
      up_(plan.sizes.size()),
      next_(plan.sizes.size()),
      last_(plan.sizes.size()) {
  for (std::size_t f = 0; f < plan.scopes.size(); ++f) {
    const numerics::Scope& scope = plan.scopes[f];
    const auto first = static_cast<std::size_t>(scope[0]);
    if (scope.size() == 1) {
      singles_of_[first].push_back(f);
      continue;
    }
    const auto second = static_cast<std::size_t>(scope[1]);
    pairs_of_[first].push_back(pairs_.size());
    pairs_of_[second].push_back(pairs_.size());
    pairs_.push_back({f, first, second});
  }
}

void SiteClusters::draw(std::span<const std::vector<double>> tables, std::span<std::int32_t> values,
                        const density::ChooseByLogWeight& choose) {
  bind(tables, values, choose);
  gather_clusters();
  for (std::size_t s = 0; s < up_.size(); ++s)
    if (up_[s].root == s) draw_cluster(s, tables, values, choose);
}

// Halves the path on its way.
SiteClusters::Link SiteClusters::root_of(std::size_t site) {
  Link found{site, false};
  while (up_[found.root].root != found.root) {
    Link& up = up_[found.root];
    const Link& above = up_[up.root];
    up = {above.root, up.opposite != above.opposite};
    found = {up.root, found.opposite != up.opposite};
  }
  return found;
}

// The root of a cluster is its smallest site.
void SiteClusters::bind(std::span<const std::vector<double>> tables,
                        std::span<const std::int32_t> values,
                        const density::ChooseByLogWeight& choose) {
  for (std::size_t s = 0; s < up_.size(); ++s) up_[s] = {s, false};
  for (Pair& pair : pairs_) {
    pair.bond = bond_of(tables[pair.table], plan_.sizes[pair.first], plan_.sizes[pair.second]);
    pair.bound = false;
    if (!holds(pair.bond, values[pair.first], values[pair.second])) continue;
    const double strength = pair.bond.strength;
    const std::array<double, 2> weights{numerics::log(-numerics::expm1(-strength)), -strength};
    pair.bound = choose(weights) == 0;
    if (!pair.bound) continue;
    const Link a = root_of(pair.first), b = root_of(pair.second);
    const bool opposite = (a.opposite != b.opposite) != pair.bond.opposite;
    if (a.root < b.root) up_[b.root] = {a.root, opposite};
    if (b.root < a.root) up_[a.root] = {b.root, opposite};
  }
}

// Lists of each cluster's sites, ascending from the root; then all links lead to roots directly.
void SiteClusters::gather_clusters() {
  num_clusters_ = 0;
  for (std::size_t s = 0; s < up_.size(); ++s) {
    up_[s] = root_of(s);
    next_[s] = kEnd;
    const std::size_t root = up_[s].root;
    if (root == s)
      ++num_clusters_;
    else
      next_[last_[root]] = s;
    last_[root] = s;
  }
}

// The rest of a pair's log weight when the bonds are known: all of a bound pair's, whose bond has the same
// share of each weight, and the rest's of one that isn't.
double SiteClusters::log_weight(const Pair& pair, std::span<const double> table, std::int32_t first,
                                std::int32_t second) const {
  const double whole = table[static_cast<std::size_t>(first * plan_.sizes[pair.second] + second)];
  if (pair.bound || !holds(pair.bond, first, second) || whole == -kInfinity) return whole;
  return whole - pair.bond.strength;
}

void SiteClusters::draw_cluster(std::size_t root, std::span<const std::vector<double>> tables,
                                std::span<std::int32_t> values,
                                const density::ChooseByLogWeight& choose) {
  // A site's value when the root has `v`, or the one it has where it is in another cluster.
  const auto value_at = [&](std::size_t s, std::int32_t v) {
    if (up_[s].root != root) return values[s];
    return up_[s].opposite ? 1 - v : v;
  };
  weights_.assign(static_cast<std::size_t>(plan_.sizes[root]), 0.0);
  for (std::size_t s = root; s != kEnd; s = next_[s]) {
    for (std::int32_t v = 0; v < plan_.sizes[root]; ++v) {
      double& weight = weights_[static_cast<std::size_t>(v)];
      for (const std::size_t f : singles_of_[s])
        weight += tables[f][static_cast<std::size_t>(value_at(s, v))];
      for (const std::size_t p : pairs_of_[s]) {
        const Pair& pair = pairs_[p];
        const bool seen = pair.second == s && up_[pair.first].root == root;
        if (!seen)
          weight += log_weight(pair, tables[pair.table], value_at(pair.first, v),
                               value_at(pair.second, v));
      }
    }
  }
  const bool any =
      std::any_of(weights_.begin(), weights_.end(), [](double w) { return w > -kInfinity; });
  if (!any) return;
  const auto drawn = static_cast<std::int32_t>(choose(weights_));
  for (std::size_t s = root; s != kEnd; s = next_[s]) values[s] = value_at(s, drawn);
}

}  // namespace credo::model
