#include "numerics/elimination.hpp"

#include <set>

namespace credo::numerics {

std::int64_t EliminationPlan::table_size(const Scope& scope) const {
  std::int64_t size = 1;
  for (const std::int32_t v : scope) size *= sizes[static_cast<std::size_t>(v)];
  return size;
}

std::int64_t EliminationPlan::place(const Scope& scope,
                                    std::span<const std::int32_t> assignment) const {
  std::int64_t place = 0;
  for (const std::int32_t v : scope) {
    const auto k = static_cast<std::size_t>(v);
    place = place * sizes[k] + assignment[k];
  }
  return place;
}

namespace {
using Neighbours = std::vector<std::set<std::int32_t>>;

void connect(Neighbours& neighbours, const Scope& scope) {
  for (const std::int32_t a : scope) {
    for (const std::int32_t b : scope) {
      if (a != b) neighbours[static_cast<std::size_t>(a)].insert(b);
    }
  }
}
}  // namespace

EliminationPlan plan_elimination(std::vector<Scope> scopes, std::vector<std::int32_t> sizes,
                                 std::int64_t limit) {
  EliminationPlan plan{std::move(scopes), std::move(sizes), {}, 1};
  const std::size_t n = plan.sizes.size();
  Neighbours neighbours(n);
  std::vector<std::vector<std::int32_t>> factors(n);  // that aren't used up, by variable
  for (std::size_t f = 0; f < plan.scopes.size(); ++f) {
    connect(neighbours, plan.scopes[f]);
    for (const std::int32_t v : plan.scopes[f])
      factors[static_cast<std::size_t>(v)].push_back(static_cast<std::int32_t>(f));
  }
  std::set<std::pair<std::size_t, std::int32_t>> waiting;  // number of neighbours, -variable
  for (std::size_t v = 0; v < n; ++v) {
    if (!factors[v].empty()) waiting.emplace(neighbours[v].size(), -static_cast<std::int32_t>(v));
  }
  while (!waiting.empty()) {
    const std::int32_t v = -waiting.begin()->second;
    waiting.erase(waiting.begin());
    const auto k = static_cast<std::size_t>(v);
    EliminationStep step{v, Scope(neighbours[k].begin(), neighbours[k].end()), factors[k]};
    const auto message = static_cast<std::int32_t>(plan.scopes.size() + plan.steps.size());
    plan.largest_table =
        std::max(plan.largest_table, plan.table_size(step.neighbours) * plan.sizes[k]);
    if (plan.largest_table > limit) return plan;
    for (const std::int32_t other : step.neighbours) {
      const auto o = static_cast<std::size_t>(other);
      waiting.erase({neighbours[o].size(), -other});
      std::erase_if(factors[o], [&](std::int32_t f) {
        return std::find(step.factors.begin(), step.factors.end(), f) != step.factors.end();
      });
      factors[o].push_back(message);
      neighbours[o].erase(v);
    }
    connect(neighbours, step.neighbours);
    for (const std::int32_t other : step.neighbours)
      waiting.emplace(neighbours[static_cast<std::size_t>(other)].size(), -other);
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

}  // namespace credo::numerics
