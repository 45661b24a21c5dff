#include "graph/passes.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/op.hpp"

namespace credo::graph {
namespace {

// Copies nodes from one graph to another and remembers where each went.
class Rebuild {
 public:
  explicit Rebuild(const Graph& from)
      : from_(from),
        to_(std::make_unique<Graph>()),
        place_(static_cast<std::size_t>(from.num_nodes()), kNoNode) {}

  Graph& to() { return *to_; }
  Ref mapped(Ref ref) const {
    if (ref.node == kScalarConstants) {
      return to_->scalar_constant(from_.scalar_constants()[static_cast<std::size_t>(ref.element)]);
    }
    if (from_.is_constant(ref.node)) {
      return {to_->add_constant(from_.node(ref.node).shape, from_.constant(ref.node)), ref.element};
    }
    return {place_[static_cast<std::size_t>(ref.node)], ref.element};
  }
  std::vector<Ref> mapped_operands(NodeId id) const {
    std::vector<Ref> refs;
    for (const Ref& ref : from_.operands(from_.node(id))) refs.push_back(mapped(ref));
    return refs;
  }
  void copy(NodeId id) {
    const Node& node = from_.node(id);
    const std::vector<Ref> refs = mapped_operands(id);  // may add constants first
    to_->statement = node.statement;
    set_place(id,
              to_->add(*node.op, node.shape, refs, to_->add_attributes(from_.attributes(node))));
  }
  void set_place(NodeId id, NodeId place) { place_[static_cast<std::size_t>(id)] = place; }

  Traced finish(const Traced& traced) {
    Traced result{.graph = std::move(to_),
                  .input = place_[static_cast<std::size_t>(traced.input)],
                  .outputs = {}};
    for (const Expr& output : traced.outputs) {
      if (output.is_constant()) {
        result.outputs.push_back(output);
        continue;
      }
      const Ref ref{place_[static_cast<std::size_t>(output.ref().node)], output.ref().element};
      result.outputs.push_back(Expr(*result.graph, ref).reshaped(output.shape()));
    }
    return result;
  }

 private:
  const Graph& from_;
  std::unique_ptr<Graph> to_;
  std::vector<NodeId> place_;
};

// What no output, no check and no input needs goes.
Traced remove_dead_code(const Traced& traced) {
  const Graph& graph = *traced.graph;
  std::vector<char> live(static_cast<std::size_t>(graph.num_nodes()), 0);
  live[static_cast<std::size_t>(traced.input)] = 1;
  for (const Expr& output : traced.outputs) {
    if (!output.is_constant()) live[static_cast<std::size_t>(output.ref().node)] = 1;
  }
  for (auto id = static_cast<NodeId>(graph.num_nodes()) - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::check) live[static_cast<std::size_t>(id)] = 1;
    if (!live[static_cast<std::size_t>(id)]) continue;
    for (const Ref& ref : graph.operands(node)) live[static_cast<std::size_t>(ref.node)] = 1;
  }
  Rebuild rebuild(graph);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (live[static_cast<std::size_t>(id)] && !graph.is_constant(id)) rebuild.copy(id);
  }
  return rebuild.finish(traced);
}

std::size_t mix(std::size_t hash, std::size_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15ULL + (hash >> 29);
}

std::size_t hash_of(const Node& node, std::span<const Ref> refs, const Attributes& attributes) {
  std::size_t hash = std::hash<const void*>()(node.op);
  for (const Ref& ref : refs) {
    hash = mix(mix(hash, static_cast<std::size_t>(ref.node)),
               static_cast<std::size_t>(ref.element + 1));
  }
  for (const std::int32_t value : attributes.ints)
    hash = mix(hash, static_cast<std::size_t>(value));
  for (const double value : attributes.reals) hash = mix(hash, std::hash<double>()(value));
  return mix(hash, static_cast<std::size_t>(node.shape.size()));
}

// Equal rows of equal operands are computed once.
Traced join_common_subexpressions(const Traced& traced) {
  const Graph& graph = *traced.graph;
  Rebuild rebuild(graph);
  std::unordered_multimap<std::size_t, NodeId> seen;  // of the new graph
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (graph.is_constant(id)) continue;
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::source || node.op->kind == OpKind::check) {
      rebuild.copy(id);
      continue;
    }
    const std::vector<Ref> refs = rebuild.mapped_operands(id);
    const Attributes& attributes = graph.attributes(node);
    const std::size_t hash = hash_of(node, refs, attributes);
    const auto [begin, end] = seen.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto& entry) {
      const Node& other = rebuild.to().node(entry.second);
      const auto others = rebuild.to().operands(other);
      return other.op == node.op && other.shape == node.shape &&
             std::equal(refs.begin(), refs.end(), others.begin(), others.end()) &&
             rebuild.to().attributes(other) == attributes;
    });
    if (same != end) {
      rebuild.set_place(id, same->second);
      continue;
    }
    rebuild.to().statement = node.statement;
    const NodeId place =
        rebuild.to().add(*node.op, node.shape, refs, rebuild.to().add_attributes(attributes));
    rebuild.set_place(id, place);
    seen.emplace(hash, place);
  }
  return rebuild.finish(traced);
}

const Pass dead_code{"dead-code", "remove what no output and no check needs", remove_dead_code};
const Pass common{"cse", "compute equal expressions once", join_common_subexpressions};
}  // namespace

std::span<const Pass* const> pass_table() {
  static const std::array<const Pass*, 2> table{&common, &dead_code};
  return table;
}

std::vector<const Pass*> choose_passes(std::string_view names) {
  const auto table = pass_table();
  if (names.empty() || names == "all") return {table.begin(), table.end()};
  std::vector<const Pass*> chosen;
  if (names == "none") return chosen;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string_view name = names.substr(begin, end - begin);
    const auto row = std::find_if(table.begin(), table.end(),
                                  [&](const Pass* pass) { return pass->name == name; });
    if (row == table.end()) {
      throw Error(ErrorCode::usage, fmt::format("there is no pass '{}'", name), "--passes",
                  "use all, none or a list of: cse, dead-code");
    }
    chosen.push_back(*row);
    begin = end + 1;
  }
  return chosen;
}

Traced run_passes(Traced traced, std::span<const Pass* const> passes) {
  for (const Pass* pass : passes) traced = pass->run(traced);
  return traced;
}

std::string verify(const Graph& graph) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    for (const Ref& ref : graph.operands(graph.node(id))) {
      if (ref.node < 0 || ref.node >= id)
        return fmt::format("%{}: operand %{} isn't before it", id, ref.node);
      if (ref.element >= graph.node(ref.node).shape.size()) {
        return fmt::format("%{}: element {} of %{} doesn't exist", id, ref.element, ref.node);
      }
    }
  }
  return {};
}

}  // namespace credo::graph
