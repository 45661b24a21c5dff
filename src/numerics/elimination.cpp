#include "numerics/elimination.hpp"

#include <set>

namespace credo::numerics {
namespace {
std::int64_t times(std::int64_t a, std::int64_t b) {  // both at least 0
  return b > 0 && a > kBeyondTables / b ? kBeyondTables : a * b;
}
}  // namespace

std::int64_t EliminationPlan::table_size(const Scope& scope) const {
  std::int64_t size = 1;
  for (const std::int32_t v : scope) size = times(size, sizes[static_cast<std::size_t>(v)]);
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
// Variables that aren't eliminated yet, the next one first.
class Waiting {
 public:
  Waiting(const Neighbours& neighbours, EliminationOrder order)
      : neighbours_(neighbours), order_(order), keys_(neighbours.size()) {}

  bool empty() const { return waiting_.empty(); }
  void put(std::int32_t v) { waiting_.insert(keys_[index(v)] = key_of(v)); }
  void take(std::int32_t v) { waiting_.erase(keys_[index(v)]); }
  std::int32_t next() const { return -waiting_.begin()->back(); }
  // Those whose place changes when v's neighbours are joined.
  std::set<std::int32_t> moved_by(const Scope& joined) const {
    std::set<std::int32_t> moved(joined.begin(), joined.end());
    if (order_ == EliminationOrder::fewest_neighbours) return moved;
    for (const std::int32_t v : joined)
      if (neighbours_[index(v)].size() <= kMostNeighbours)
        moved.insert(neighbours_[index(v)].begin(), neighbours_[index(v)].end());
    return moved;
  }

 private:
  // No table has so many variables of two values; nor is it worth knowing what joining them costs.
  static constexpr std::size_t kMostNeighbours = 62;
  using Key = std::array<std::int32_t, 3>;  // fill, neighbours, -variable

  static std::size_t index(std::int32_t v) { return static_cast<std::size_t>(v); }
  Key key_of(std::int32_t v) const {
    const auto degree = static_cast<std::int32_t>(neighbours_[index(v)].size());
    return {order_ == EliminationOrder::least_fill ? fill(v) : 0, degree, -v};
  }
  // Pairs of neighbours that haven't met.
  std::int32_t fill(std::int32_t v) const {
    const auto& around = neighbours_[index(v)];
    if (around.size() > kMostNeighbours) return std::numeric_limits<std::int32_t>::max();
    std::int32_t pairs = 0;
    for (auto a = around.begin(); a != around.end(); ++a)
      for (auto b = std::next(a); b != around.end(); ++b)
        pairs += neighbours_[index(*a)].contains(*b) ? 0 : 1;
    return pairs;
  }

  const Neighbours& neighbours_;
  EliminationOrder order_;
  std::vector<Key> keys_;
  std::set<Key> waiting_;
};
}  // namespace

EliminationPlan plan_elimination(std::vector<Scope> scopes, std::vector<std::int32_t> sizes,
                                 std::int64_t limit, EliminationOrder order) {
  EliminationPlan plan{.scopes = std::move(scopes), .sizes = std::move(sizes), .steps = {}};
  const std::size_t n = plan.sizes.size();
  Neighbours neighbours(n);
  std::vector<std::vector<std::int32_t>> factors(n);  // unused factors by variable
  for (std::size_t f = 0; f < plan.scopes.size(); ++f) {
    connect(neighbours, plan.scopes[f]);
    for (const std::int32_t v : plan.scopes[f])
      factors[static_cast<std::size_t>(v)].push_back(static_cast<std::int32_t>(f));
  }
  Waiting waiting(neighbours, order);
  for (std::size_t v = 0; v < n; ++v)
    if (!factors[v].empty()) waiting.put(static_cast<std::int32_t>(v));
  while (!waiting.empty()) {
    const std::int32_t v = waiting.next();
    waiting.take(v);
    const auto k = static_cast<std::size_t>(v);
    EliminationStep step{v, Scope(neighbours[k].begin(), neighbours[k].end()), factors[k]};
    const auto message = static_cast<std::int32_t>(plan.scopes.size() + plan.steps.size());
    const std::int64_t size = times(plan.table_size(step.neighbours), plan.sizes[k]);
    plan.largest_table = std::max(plan.largest_table, size);
    plan.num_entries = std::min(kBeyondTables, plan.num_entries + size);
    plan.width = std::max(plan.width, ssize(step.neighbours));
    if (plan.largest_table > limit) return plan;
    for (const std::int32_t other : step.neighbours) {
      const auto o = static_cast<std::size_t>(other);
      std::erase_if(factors[o], [&](std::int32_t f) {
        return std::find(step.factors.begin(), step.factors.end(), f) != step.factors.end();
      });
      factors[o].push_back(message);
      neighbours[o].erase(v);
    }
    const std::set<std::int32_t> moved = waiting.moved_by(step.neighbours);
    for (const std::int32_t other : moved) waiting.take(other);
    connect(neighbours, step.neighbours);
    for (const std::int32_t other : moved) waiting.put(other);
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

}  // namespace credo::numerics
