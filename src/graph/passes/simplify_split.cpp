// Vectors used in parts are computed in parts: reroll joins all instances of an operation to one
// vector; where later operations take disjoint parts of it, each by a gather, the parts are made on
// their own. Operands that are the same within a part are numbers again, and the gathers go.
#include <set>

#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/simplify.hpp"
#include "graph/passes/simplify_builder.hpp"

namespace credo::graph {
namespace {

using Indices = std::vector<std::int32_t>;

class Split {
 public:
  explicit Split(const Graph& graph)
      : graph_(graph),
        builder_(graph, true),
        demands_(static_cast<std::size_t>(graph.num_nodes())) {}

  Traced run(const Traced& traced) {
    for (const Expr& output : traced.outputs) {
      if (!output.is_constant()) demand(output.ref().node).whole = true;
    }
    for (auto id = static_cast<NodeId>(graph_.num_nodes()) - 1; id >= 0; --id) pass_on(id);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) place(id);
    return builder_.rebuild().finish(traced);
  }

 private:
  // Shorter parts aren't worth a row of their own.
  static constexpr Index kMinPart = 64;

  struct Demand {
    bool whole = false;
    std::vector<const Indices*> parts;  // equal lists once
  };

  Demand& demand(NodeId id) { return demands_[static_cast<std::size_t>(id)]; }
  const Indices* interned(Indices index) { return &*lists_.insert(std::move(index)).first; }

  bool is_split(NodeId id) {
    const Demand& d = demand(id);
    const bool elementwise = graph_.node(id).op->kind == OpKind::elementwise;
    if (d.whole || d.parts.empty() || !elementwise) return false;
    Index total = 0;
    for (const Indices* part : d.parts) {
      if (ssize(*part) < kMinPart) return false;
      total += ssize(*part);
    }
    const Index size = graph_.node(id).shape.size();
    return total < size || (total == size && d.parts.size() > 1);
  }

  void want_part(const Ref& ref, Indices index) {
    Demand& d = demand(ref.node);
    const bool longer = ssize(index) > graph_.shape_of(ref).size();
    if (!ref.whole() || longer || graph_.shape_of(ref).is_scalar()) {
      d.whole = true;
      return;
    }
    const Indices* list = interned(std::move(index));
    if (std::find(d.parts.begin(), d.parts.end(), list) == d.parts.end()) d.parts.push_back(list);
  }

  Indices composed(const Indices& inner, const Indices& outer) const {
    Indices result;
    result.reserve(outer.size());
    for (const std::int32_t i : outer) result.push_back(inner[static_cast<std::size_t>(i)]);
    return result;
  }

  // Adds a node's needs to its operands, given the needs of its users.
  void pass_on(NodeId id) {
    const Node& node = graph_.node(id);
    const auto refs = graph_.operands(node);
    if (node.op == &ops::gather) {
      const Indices& index = graph_.attributes(node).ints;
      const Demand& d = demand(id);
      if (d.whole || d.parts.empty()) return want_part(refs[0], index);
      for (const Indices* part : d.parts) want_part(refs[0], composed(index, *part));
      return;
    }
    const bool split = is_split(id);
    for (const Ref& ref : refs) {
      if (graph_.is_constant(ref.node)) continue;
      const bool container = ref.whole() && !graph_.shape_of(ref).is_scalar();
      if (!split || !container) {
        demand(ref.node).whole = true;
        continue;
      }
      for (const Indices* part : demand(id).parts) want_part(ref, *part);
    }
  }

  void place(NodeId id) {
    if (graph_.is_constant(id) || is_split(id)) return;
    const Node& node = graph_.node(id);
    if (node.op != &ops::gather) return builder_.place(id);
    const Demand& d = demand(id);
    if (!d.whole && !d.parts.empty()) return;  // made part by part
    builder_.graph().statement = node.statement;
    const Ref source = graph_.operands(node)[0];
    builder_.rebuild().set_value(id, part_of_node(source, graph_.attributes(node).ints));
  }

  // Elements `index` of an operand.
  Expr part_of_node(const Ref& ref, const Indices& index) {
    const NodeId id = ref.node;
    const Shape shape = vector_shape(ssize(index));
    if (graph_.shape_of(ref).is_scalar() || graph_.is_constant(id))
      return builder_.gather(shape, builder_.operand(ref), index);
    const Node& node = graph_.node(id);
    const Demand& d = demand(id);
    if (node.op == &ops::gather && !d.whole && !d.parts.empty()) {
      const Indices& inner = graph_.attributes(node).ints;
      return part_of_node(graph_.operands(node)[0], composed(inner, index));
    }
    if (!is_split(id)) return picked(shape, builder_.operand(ref), index);
    const auto [place, is_new] = built_.try_emplace({id, interned(index)});
    if (is_new) place->second = built(id, index);
    return place->second;
  }

  // A part that is one element again and again is that number.
  Expr picked(Shape shape, const Expr& x, const Indices& index) {
    const bool one = !index.empty() && std::ranges::count(index, index.front()) == ssize(index);
    if (one) return builder_.broadcast(shape, builder_.resolved(x.element(index.front())));
    return builder_.gather(shape, x, index);
  }

  Expr built(NodeId id, const Indices& index) {
    const Node& node = graph_.node(id);
    std::vector<Expr> in;
    for (const Ref& ref : graph_.operands(node)) {
      const bool container = ref.whole() && !graph_.shape_of(ref).is_scalar();
      in.push_back(container ? part_of_node(ref, index) : builder_.operand(ref));
    }
    builder_.graph().statement = node.statement;
    return builder_.apply(*node.op, std::move(in), graph_.attributes(node),
                          vector_shape(ssize(index)));
  }

  const Graph& graph_;
  Builder builder_;
  std::vector<Demand> demands_;
  std::set<Indices> lists_;
  std::map<std::pair<NodeId, const Indices*>, Expr> built_;
};
}  // namespace

Traced split_parts(const Traced& traced) { return Split(*traced.graph).run(traced); }

}  // namespace credo::graph
