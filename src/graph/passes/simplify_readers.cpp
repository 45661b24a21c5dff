#include "graph/passes/simplify_readers.hpp"

namespace credo::graph {

std::vector<int> num_readers(const Graph& graph, const Traced& traced) {
  std::vector<int> readers(static_cast<std::size_t>(graph.num_nodes()));
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::check && node.num_operands == 1) continue;
    for (const Ref& ref : graph.operands(node)) ++readers[static_cast<std::size_t>(ref.node)];
  }
  for (const Expr& output : traced.outputs)
    if (!output.is_constant()) readers[static_cast<std::size_t>(output.ref().node)] += 2;
  return readers;
}

}  // namespace credo::graph
