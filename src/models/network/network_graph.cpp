#include "models/network/network_graph.hpp"

#include <fmt/format.h>

#include <deque>
#include <set>

#include "base/error.hpp"

namespace credo::models {
namespace {
std::size_t place(std::int32_t v) { return static_cast<std::size_t>(v); }

std::vector<char> flags_of(const Network& network, std::span<const std::int32_t> nodes) {
  std::vector<char> flags(network.nodes.size(), 0);
  for (const std::int32_t v : nodes) flags[place(v)] = 1;
  return flags;
}

void require_disjoint(const Network& network, const SeparationQuestion& question) {
  std::set<std::int32_t> seen;
  for (const auto* nodes : {&question.a, &question.b, &question.given})
    for (const std::int32_t v : *nodes)
      if (!seen.insert(v).second)
        throw Error(ErrorCode::usage, fmt::format("{} is named twice", network.node(v).name),
                    "--separated", "name a node on one side, or as given");
}

// Visits of nodes along active paths. A visit has a direction: up, from a child, or down, from a parent.
class Reachability {
 public:
  Reachability(const Network& network, const SeparationQuestion& question)
      : network_(network), is_given_(flags_of(network, question.given)) {
    children_.resize(network.nodes.size());
    for (std::int32_t v = 0; v < network.size(); ++v)
      for (const std::int32_t p : network.node(v).parents) children_[place(p)].push_back(v);
    // Phase I: the given nodes and their ancestors, which open colliders.
    std::vector<std::int32_t> stack = question.given;
    opens_.assign(network.nodes.size(), 0);
    while (!stack.empty()) {
      const std::int32_t v = stack.back();
      stack.pop_back();
      if (std::exchange(opens_[place(v)], 1) != 0) continue;
      for (const std::int32_t p : network.node(v).parents) stack.push_back(p);
    }
    before_.assign(2 * network.nodes.size(), kUnseen);
  }

  // Phase II, breadth first. A shortest path to the first target that is reached; empty if none is.
  std::vector<std::int32_t> path(const SeparationQuestion& question) {
    const std::vector<char> is_target = flags_of(network_, question.b);
    for (const std::int32_t v : question.a) see(up(v), kStart);
    while (!queue_.empty()) {
      const std::size_t visit = queue_.front();
      queue_.pop_front();
      const auto v = static_cast<std::int32_t>(visit / 2);
      if (is_target[place(v)] != 0 && is_given_[place(v)] == 0) return trace(visit);
      if (network_.is_directed)
        leave(visit, v);
      else if (is_given_[place(v)] == 0)
        leave_undirected(visit, v);
    }
    return {};
  }

  void join(std::int32_t a, std::int32_t b) { children_[place(a)].push_back(b); }

 private:
  static constexpr std::int64_t kUnseen = -2, kStart = -1;
  static std::size_t up(std::int32_t v) { return 2 * place(v); }
  static std::size_t down(std::int32_t v) { return 2 * place(v) + 1; }

  void see(std::size_t visit, std::int64_t from) {
    if (before_[visit] != kUnseen) return;
    before_[visit] = from;
    queue_.push_back(visit);
  }
  void leave(std::size_t visit, std::int32_t v) {
    const bool from_parent = visit % 2 == 1, given = is_given_[place(v)] != 0;
    const auto from = static_cast<std::int64_t>(visit);
    if (from_parent ? opens_[place(v)] != 0 : !given)
      for (const std::int32_t p : network_.node(v).parents) see(up(p), from);
    if (!given)
      for (const std::int32_t child : children_[place(v)]) see(down(child), from);
  }
  void leave_undirected(std::size_t visit, std::int32_t v) {
    for (const std::int32_t other : children_[place(v)])
      see(up(other), static_cast<std::int64_t>(visit));
  }
  std::vector<std::int32_t> trace(std::size_t visit) const {
    std::vector<std::int32_t> nodes{static_cast<std::int32_t>(visit / 2)};
    for (std::int64_t k = before_[visit]; k != kStart; k = before_[static_cast<std::size_t>(k)])
      nodes.push_back(static_cast<std::int32_t>(k / 2));
    std::ranges::reverse(nodes);
    return nodes;
  }

  const Network& network_;
  std::vector<char> is_given_, opens_;
  std::vector<std::vector<std::int32_t>> children_;  // in an undirected model neighbours
  std::vector<std::int64_t> before_;                 // by visit: the visit before
  std::deque<std::size_t> queue_;
};
}  // namespace

std::vector<std::int32_t> active_path(const Network& network, const SeparationQuestion& question) {
  require_disjoint(network, question);
  Reachability reach(network, question);
  if (!network.is_directed)
    for (const auto& [a, b] : moral_edges(network)) reach.join(a, b), reach.join(b, a);
  return reach.path(question);
}

bool is_separated(const Network& network, const SeparationQuestion& question) {
  return active_path(network, question).empty();
}

std::vector<std::pair<std::int32_t, std::int32_t>> moral_edges(const Network& network) {
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  const auto join = [&](std::span<const std::int32_t> nodes) {
    for (const std::int32_t a : nodes)
      for (const std::int32_t b : nodes)
        if (a < b) edges.insert({a, b});
  };
  for (const NetworkFactor& factor : network.factors) join(factor.nodes);
  for (std::int32_t v = 0; network.is_directed && v < network.size(); ++v) {
    std::vector<std::int32_t> family = network.node(v).parents;
    family.push_back(v);
    join(family);
  }
  return {edges.begin(), edges.end()};
}

numerics::FactorTables factors_of_shape(const Network& network) {
  numerics::FactorTables shape;
  for (const NetworkNode& node : network.nodes) shape.sizes.push_back(node.num_states());
  const auto add = [&](numerics::Scope scope) {
    std::ranges::sort(scope);
    if (!scope.empty()) shape.scopes.push_back(std::move(scope));
  };
  for (const NetworkFactor& factor : network.factors) add(factor.nodes);
  for (std::int32_t v = 0; network.is_directed && v < network.size(); ++v) {
    numerics::Scope family = network.node(v).parents;
    family.push_back(v);
    add(std::move(family));
  }
  return shape;
}

std::vector<numerics::Scope> cliques_of(const numerics::EliminationPlan& plan) {
  std::vector<numerics::Scope> cliques;
  for (const numerics::EliminationStep& step : plan.steps) {
    numerics::Scope clique = step.neighbours;
    clique.insert(std::upper_bound(clique.begin(), clique.end(), step.variable), step.variable);
    // An earlier clique has a variable that no later one has, so only later ones can be within others.
    const bool is_within = std::ranges::any_of(cliques, [&](const numerics::Scope& other) {
      return std::ranges::includes(other, clique);
    });
    if (!is_within) cliques.push_back(std::move(clique));
  }
  return cliques;
}

}  // namespace credo::models
