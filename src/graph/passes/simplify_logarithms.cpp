// Sums of log1p_exp that nothing differentiates: one logarithm for many elements.
#include "graph/core/ops.hpp"
#include "graph/passes/rebuild.hpp"
#include "graph/passes/simplify.hpp"

namespace credo::graph {
namespace {

// A sum has eight partial sums, each with a logarithm of its own.
constexpr Index kFewElements = 32;

// How many nodes and outputs read each node.
std::vector<std::int32_t> count_uses(const Traced& traced) {
  const Graph& graph = *traced.graph;
  std::vector<std::int32_t> uses(static_cast<std::size_t>(graph.num_nodes()), 0);
  const auto count = [&](Ref ref) { ++uses[static_cast<std::size_t>(ref.node)]; };
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    for (const Ref& ref : graph.operands(graph.node(id))) {
      if (!graph.is_constant(ref.node)) count(ref);
    }
  }
  for (const Expr& output : traced.outputs) {
    if (!output.is_constant()) count(output.ref());
  }
  return uses;
}

// The node of the elements if `id` is a sum of log1p_exp.
NodeId summed_elements(const Graph& graph, NodeId id) {
  static const Op* const log1p_exp = find_op("log1p_exp");
  const Node& node = graph.node(id);
  if (node.op != &ops::sum) return kNoNode;
  const Ref from = graph.operands(node)[0];
  return from.whole() && graph.node(from.node).op == log1p_exp ? from.node : kNoNode;
}
}  // namespace

// Elements that something else reads, too, have their logarithms anyway.
Traced join_logarithms(const Traced& traced) {
  const Graph& graph = *traced.graph;
  const std::vector<std::int32_t> uses = count_uses(traced);
  Rebuild rebuild(graph);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (graph.is_constant(id)) continue;
    const NodeId elements = summed_elements(graph, id);
    if (elements == kNoNode || uses[static_cast<std::size_t>(elements)] > 1 ||
        graph.node(elements).shape.size() < kFewElements) {
      rebuild.copy(id);
      continue;
    }
    const std::vector<Ref> x = rebuild.mapped_operands(elements);
    rebuild.to().statement = graph.node(id).statement;
    rebuild.set_place(id, {rebuild.to().add(ops::sum_log1p_exp, Shape{}, x), -1});
  }
  return rebuild.finish(traced);
}

}  // namespace credo::graph
