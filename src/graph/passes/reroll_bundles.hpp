// Scalar nodes that are instances of one operation, and an order in which bundles of them can run.
//
// Nodes of one row, one statement and one structure of operands form a family. Between families
// lies a quotient graph; if it has no cycle through a family, all its members are independent
// and run as one bundle. A cycle is a recurrence: its nodes are bundled level by level inside it.
#pragma once
#include "graph/core/graph.hpp"
#include "graph/passes/passes.hpp"

namespace credo::graph {

struct Families {
  std::vector<std::int32_t> of;              // family of each node, or -1
  std::vector<std::vector<NodeId>> members;  // in the order of the nodes
};
Families find_families(const Graph& graph);

// A scalar product of a row of data with a vector: instances of it are a matrix product.
bool is_row_product(const Graph& graph, const Node& node);

// Independent members of one family, or one node.
using Bundle = std::vector<NodeId>;

inline constexpr std::size_t kMinBundle = 4;  // fewer instances stay single nodes

// Every node but constants, operands before users.
std::vector<Bundle> order_in_bundles(const Graph& graph, const Families& families);

// Turns many sums or checks of few scalars in one statement into rows of scalars;
// nullopt if no statement has them.
std::optional<Traced> spread_short_rows(const Traced& traced);

}  // namespace credo::graph
