// How many readers each node of a graph has.
#pragma once
#include "graph/core/graph.hpp"
#include "graph/passes/passes.hpp"

namespace credo::graph {

// By node: operands of others that are this node, checks of one operand aside; an output counts twice, so that it never has one
// reader alone.
std::vector<int> num_readers(const Graph& graph, const Traced& traced);

}  // namespace credo::graph
