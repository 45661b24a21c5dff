// The part of a graph that some values need, down to single elements: of a vector of which a few
// are used, only these are computed. What updates of discrete parameters run: the summands that a
// few of them enter (their Markov blanket; docs/design/discrete.md).
#pragma once
#include "graph/passes/passes.hpp"

namespace credo::graph {

// The outputs in a graph of the same input with no more than they need. Checks are left out.
Traced part_of(const Graph& graph, NodeId input, std::span<const Expr> outputs);

// Which elements of the input the values depend on, ascending.
std::vector<std::int32_t> inputs_of(const Graph& graph, NodeId input, std::span<const Expr> values);

}  // namespace credo::graph
