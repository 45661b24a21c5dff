// In which order nodes run, and which of them block by block together.
#pragma once
#include "graph/core/graph.hpp"

namespace credo::graph {

enum class Role : std::uint8_t {
  none,      // constants, inputs, and what costs nothing
  scalar,    // runs alone
  lane_map,  // elementwise over a vector: a block of the result needs that block of the operands
  gather,    // makes blocks from a complete operand
  sink,      // sums and scatters: takes blocks, complete at the end
};

struct Ordering {
  std::vector<NodeId> order;
  struct Range {
    Index first = 0, last = 0;  // range in `order`
    Index size = 1;             // elements of its blocks
  };
  std::vector<Range> ranges;
};

// Roles, resolved operands and sizes of the nodes of a graph, as the planner sees them.
struct NodeFacts {
  std::vector<Role> role;
  std::vector<std::int32_t> size;         // block size of a lane_map, gather or sink
  std::vector<std::int32_t> first_ref;    // into refs; one more than nodes
  std::vector<Ref> refs;                  // non-constant operands
  std::vector<std::int32_t> num_streams;  // blocks a node may hold at once
};

// True if a user with this role can read the operand's value block by block, right behind it.
inline bool reads_blocks(Role user, Role operand, Ref ref) {
  return ref.whole() && (user == Role::lane_map || user == Role::sink) &&
         (operand == Role::lane_map || operand == Role::gather);
}

// Nodes that run alone come as early as they can; then all vectors of one size that can run
// together do. Among equals the graph's order is kept.
Ordering order_nodes(const NodeFacts& facts);

}  // namespace credo::graph
