// The part of a graph that some values need, down to single elements: if a few elements of a vector
// are used, only these are computed. Updates of discrete parameters run such parts: the summands that a
// few of them enter (their Markov blanket; docs/design/discrete.md).
#pragma once
#include "graph/passes/passes.hpp"

namespace credo::graph {

// The outputs in a graph of the same input with no more than they need. Checks are left out.
Traced part_of(const Graph& graph, NodeId input, std::span<const Expr> outputs);

// Elements of the input on which the values depend, ascending.
std::vector<std::int32_t> inputs_of(const Graph& graph, NodeId input, std::span<const Expr> values);

}  // namespace credo::graph
