#include "graph/passes/reroll_bundles.hpp"

#include <queue>

#include "graph/core/ops.hpp"

namespace credo::graph {
namespace {

using Key = std::uint64_t;

Key mix_key(Key hash, Key value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 31);
}

bool is_constant(const Graph& graph, const Ref& ref) { return graph.is_constant(ref.node); }

// Scalar instances of an elementwise row, checks of scalars, and products with a row of data.
bool can_be_bundled(const Graph& graph, const Node& node) {
  const auto refs = graph.operands(node);
  const bool scalars =
      std::all_of(refs.begin(), refs.end(), [&](Ref r) { return graph.shape_of(r).is_scalar(); });
  if (node.op->kind == OpKind::elementwise) return scalars;
  if (node.op->kind == OpKind::check) return scalars && !refs.empty();
  return is_row_product(graph, node);
}

// Keys of structure: equal for nodes that play one part in different iterations.
class Signatures {
 public:
  explicit Signatures(const Graph& graph) : graph_(graph) {
    const auto n = static_cast<std::size_t>(graph.num_nodes());
    bundled_.resize(n), keys_.resize(n);
    for (std::size_t id = 0; id < n; ++id) {
      const Node& node = graph.node(static_cast<NodeId>(id));
      bundled_[id] = can_be_bundled(graph, node);
      keys_[id] = own_key(node);
      if (!bundled_[id]) ++instances_[keys_[id]];
    }
    constexpr int kDepth = 3;  // operands to this depth distinguish parts of a statement
    for (int depth = 0; depth < kDepth; ++depth) deepen();
  }
  bool bundled(NodeId id) const { return bundled_[static_cast<std::size_t>(id)]; }
  Key key(NodeId id) const { return keys_[static_cast<std::size_t>(id)]; }

 private:
  Key own_key(const Node& node) const {
    const Key row = mix_key(reinterpret_cast<std::uintptr_t>(node.op), Key(node.statement));
    Key key = mix_key(row, Key(node.shape.size()));
    const Attributes& attributes = graph_.attributes(node);
    if (node.op->kind == OpKind::check) return mix_key(key, Key(attributes.ints[0]));
    if (!is_row_product(graph_, node)) return key;
    return mix_key(key, Key(graph_.operands(node)[1].node));  // rows of data times one vector
  }
  Key operand_key(const Ref& ref) const {
    if (is_constant(graph_, ref)) return ref.whole() ? 2 : 1;
    const Key key = keys_[static_cast<std::size_t>(ref.node)];
    if (bundled(ref.node)) return mix_key(key, 3);
    const bool one_of_many = instances_.at(own_key(graph_.node(ref.node))) > 1;
    if (!one_of_many) return mix_key(Key(ref.node), ref.whole() ? 5 : 4);
    return mix_key(key, Key(ref.element + 7));  // the same element of each iteration's container
  }
  void deepen() {
    std::vector<Key> next = keys_;
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (!bundled(id)) continue;
      Key& key = next[static_cast<std::size_t>(id)];
      for (const Ref& ref : graph_.operands(graph_.node(id))) key = mix_key(key, operand_key(ref));
    }
    keys_ = std::move(next);
  }

  const Graph& graph_;
  std::vector<char> bundled_;
  std::vector<Key> keys_;
  std::unordered_map<Key, int> instances_;  // nodes outside families, by their own key
};

// The quotient graph: a unit is a family or a node outside families.
class Quotient {
 public:
  Quotient(const Graph& graph, const Families& families) : graph_(graph), families_(families) {
    unit_of_.assign(static_cast<std::size_t>(graph.num_nodes()), -1);
    std::vector<std::int32_t> unit_of_family(families.members.size(), -1);
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      if (graph.is_constant(id)) continue;
      const std::int32_t family = families.of[static_cast<std::size_t>(id)];
      std::int32_t fresh = -1;
      std::int32_t& unit = family < 0 ? fresh : unit_of_family[static_cast<std::size_t>(family)];
      if (unit < 0) unit = static_cast<std::int32_t>(units_.size()), units_.emplace_back();
      unit_of_[static_cast<std::size_t>(id)] = unit;
      units_[static_cast<std::size_t>(unit)].push_back(id);
    }
    link();
  }
  std::size_t size() const { return units_.size(); }
  const std::vector<NodeId>& nodes(std::int32_t unit) const { return units_[at(unit)]; }
  const std::vector<std::int32_t>& needs(std::int32_t unit) const { return needs_[at(unit)]; }
  std::int32_t unit_of(NodeId id) const { return unit_of_[at(id)]; }

 private:
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  void link() {
    needs_.resize(units_.size());
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      std::vector<std::int32_t>& needs = needs_[unit];
      for (const NodeId id : units_[unit]) {
        for (const Ref& ref : graph_.operands(graph_.node(id))) {
          if (!graph_.is_constant(ref.node)) needs.push_back(unit_of(ref.node));
        }
      }
      std::sort(needs.begin(), needs.end());
      needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    }
  }

  const Graph& graph_;
  const Families& families_;
  std::vector<std::int32_t> unit_of_;
  std::vector<std::vector<NodeId>> units_;
  std::vector<std::vector<std::int32_t>> needs_;
};

// Strongly connected components of the quotient graph [tarjan1972], without recursion.
class Components {
 public:
  explicit Components(const Quotient& quotient)
      : quotient_(quotient),
        of(quotient.size(), -1),
        index_(quotient.size(), -1),
        low_(quotient.size(), 0),
        on_stack_(quotient.size(), 0) {
    for (std::size_t unit = 0; unit < quotient.size(); ++unit) {
      if (index_[unit] < 0) visit(static_cast<std::int32_t>(unit));
    }
  }

 private:
  const Quotient& quotient_;

 public:
  std::vector<std::int32_t> of;  // component of each unit
  std::int32_t count = 0;

 private:
  struct Frame {
    std::int32_t unit;
    std::size_t next = 0;
  };
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  void enter(std::int32_t unit) {
    index_[at(unit)] = low_[at(unit)] = counter_++;
    stack_.push_back(unit), on_stack_[at(unit)] = 1;
    frames_.push_back({unit});
  }
  void visit(std::int32_t root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::int32_t unit = frame.unit;
      if (frame.next == quotient_.needs(unit).size()) {
        leave(unit);
        continue;
      }
      const std::int32_t other = quotient_.needs(unit)[frame.next++];
      if (index_[at(other)] < 0) {
        enter(other);
      } else if (on_stack_[at(other)]) {
        low_[at(unit)] = std::min(low_[at(unit)], index_[at(other)]);
      }
    }
  }
  void leave(std::int32_t unit) {
    frames_.pop_back();
    if (!frames_.empty()) {
      std::int32_t& low = low_[at(frames_.back().unit)];
      low = std::min(low, low_[at(unit)]);
    }
    if (low_[at(unit)] != index_[at(unit)]) return;
    for (std::int32_t member = -1; member != unit;) {
      member = stack_.back();
      stack_.pop_back(), on_stack_[at(member)] = 0;
      of[at(member)] = count;
    }
    ++count;
  }

  std::vector<std::int32_t> index_, low_;
  std::vector<char> on_stack_;
  std::vector<std::int32_t> stack_;
  std::vector<Frame> frames_;
  std::int32_t counter_ = 0;
};

// Components, operands first; among those that are ready, the one whose first node comes first.
std::vector<std::vector<NodeId>> ordered_components(const Quotient& quotient,
                                                    const Components& components) {
  const auto n = static_cast<std::size_t>(components.count);
  std::vector<std::vector<NodeId>> nodes(n);
  std::vector<std::vector<std::int32_t>> users(n);
  std::vector<int> missing(n, 0);
  for (std::size_t unit = 0; unit < quotient.size(); ++unit) {
    const std::int32_t own = components.of[unit];
    const auto& members = quotient.nodes(static_cast<std::int32_t>(unit));
    auto& all = nodes[static_cast<std::size_t>(own)];
    all.insert(all.end(), members.begin(), members.end());
    for (const std::int32_t need : quotient.needs(static_cast<std::int32_t>(unit))) {
      const std::int32_t other = components.of[static_cast<std::size_t>(need)];
      if (other == own) continue;
      users[static_cast<std::size_t>(other)].push_back(own);
      ++missing[static_cast<std::size_t>(own)];
    }
  }
  for (auto& all : nodes) std::sort(all.begin(), all.end());
  using Entry = std::pair<NodeId, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto push = [&](std::size_t c) {
    ready.emplace(nodes[c].front(), static_cast<std::int32_t>(c));
  };
  for (std::size_t c = 0; c < n; ++c) {
    if (missing[c] == 0) push(c);
  }
  std::vector<std::vector<NodeId>> result;
  while (!ready.empty()) {
    const auto c = static_cast<std::size_t>(ready.top().second);
    ready.pop();
    result.push_back(std::move(nodes[c]));
    for (const std::int32_t user : users[c]) {
      if (--missing[static_cast<std::size_t>(user)] == 0) push(static_cast<std::size_t>(user));
    }
  }
  return result;
}

// A recurrence: bundles level by level, or node by node where no level is wide.
class Recurrence {
 public:
  Recurrence(const Graph& graph, const Families& families)
      : graph_(graph), families_(families), level_(families.of.size()) {}

  void append(const std::vector<NodeId>& nodes, std::vector<Bundle>& bundles) {
    ++recurrence_;
    std::map<std::pair<std::int32_t, std::int32_t>, Bundle> levels;
    for (const NodeId id : nodes) {
      const std::int32_t level = level_of(id);
      const std::int32_t family = families_.of[static_cast<std::size_t>(id)];
      // a node outside families stands alone
      levels[{level, family < 0 ? -1 - id : family}].push_back(id);
    }
    const bool wide = std::any_of(levels.begin(), levels.end(),
                                  [](const auto& l) { return l.second.size() >= kMinWidth; });
    if (!wide) {
      for (const NodeId id : nodes) bundles.push_back({id});
      return;
    }
    for (auto& [key, bundle] : levels) add_level(std::move(bundle), bundles);
  }

 private:
  // Narrow levels are better off as single nodes: a vector would be packed in every step.
  static constexpr std::size_t kMinWidth = 8;

  static void add_level(Bundle bundle, std::vector<Bundle>& bundles) {
    if (bundle.size() >= kMinWidth) {
      bundles.push_back(std::move(bundle));
      return;
    }
    for (const NodeId id : bundle) bundles.push_back({id});
  }
  struct Level {
    std::int32_t recurrence = 0, value = 0;
  };
  // The longest way to the node inside this recurrence.
  std::int32_t level_of(NodeId id) {
    std::int32_t level = 0;
    for (const Ref& ref : graph_.operands(graph_.node(id))) {
      const Level& operand = level_[static_cast<std::size_t>(ref.node)];
      if (operand.recurrence == recurrence_) level = std::max(level, operand.value + 1);
    }
    level_[static_cast<std::size_t>(id)] = {recurrence_, level};
    return level;
  }

  const Graph& graph_;
  const Families& families_;
  std::vector<Level> level_;  // level of each node
  std::int32_t recurrence_ = 0;
};
}  // namespace

bool is_row_product(const Graph& graph, const Node& node) {
  if (!node.shape.is_scalar() || (node.op != &ops::dot && node.op->name != "matmul")) return false;
  const auto refs = graph.operands(node);
  const auto is_row = [&](Ref r) { return r.whole() && graph.is_constant(r.node); };
  const auto is_vector = [&](Ref r) {
    return r.whole() && !graph.is_constant(r.node) && !graph.shape_of(r).is_scalar();
  };
  return is_row(refs[0]) && is_vector(refs[1]);
}

namespace {
// Checks on the nodes that they can be emitted as one bundle: a key is only a hash.
bool can_share_bundle(const Graph& graph, const Node& a, const Node& b) {
  if (a.op != b.op || a.num_operands != b.num_operands || a.statement != b.statement) return false;
  if (a.op->kind == OpKind::check)
    return graph.attributes(a).ints[0] == graph.attributes(b).ints[0];
  if (!is_row_product(graph, a)) return !is_row_product(graph, b);
  return graph.attributes(a) == graph.attributes(b) && graph.operands(a)[1] == graph.operands(b)[1];
}
}  // namespace

Families find_families(const Graph& graph) {
  const Signatures signatures(graph);
  std::unordered_map<Key, std::int32_t> family_of_key;
  Families families;
  families.of.assign(static_cast<std::size_t>(graph.num_nodes()), -1);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (!signatures.bundled(id)) continue;
    const auto [place, is_new] = family_of_key.try_emplace(
        signatures.key(id), static_cast<std::int32_t>(families.members.size()));
    if (is_new) {
      families.members.emplace_back();
    } else {
      const auto& members = families.members[static_cast<std::size_t>(place->second)];
      if (!can_share_bundle(graph, graph.node(members.front()), graph.node(id))) continue;
    }
    families.of[static_cast<std::size_t>(id)] = place->second;
    families.members[static_cast<std::size_t>(place->second)].push_back(id);
  }
  return families;
}

std::vector<Bundle> order_in_bundles(const Graph& graph, const Families& families) {
  const Quotient quotient(graph, families);
  const Components components(quotient);
  Recurrence recurrence(graph, families);
  std::vector<Bundle> bundles;
  for (const std::vector<NodeId>& nodes : ordered_components(quotient, components)) {
    const std::int32_t unit = quotient.unit_of(nodes.front());
    const bool one_unit = nodes.size() == quotient.nodes(unit).size();
    const auto& needs = quotient.needs(unit);
    const bool cycle = !one_unit || std::binary_search(needs.begin(), needs.end(), unit);
    if (cycle) {
      recurrence.append(nodes, bundles);
    } else if (nodes.size() >= kMinBundle) {
      bundles.push_back(nodes);
    } else {
      for (const NodeId id : nodes) bundles.push_back({id});
    }
  }
  return bundles;
}

}  // namespace credo::graph
