// Products of a large constant matrix and a vector, which fused groups run by blocks of rows: A x
// makes blocks, A'x takes them, and both read a block of A while it is in the second-level cache.
#pragma once
#include "graph/core/graph.hpp"

namespace credo::graph {

struct TallProduct {
  Ref matrix, vector;
  Index rows = 0, cols = 0;  // sizes of the stored matrix, column-major
  bool transposed = false;   // A'x
  bool found() const { return rows > 0; }
};

// Decided by sizes only; not found for any other node.
TallProduct tall_product(const Graph& graph, NodeId id);

// True if its matrix is read from a copy in panels of eight rows, and that copy.
bool belongs_in_panels(const TallProduct& product);
Buffer in_panels(const Graph& graph, const TallProduct& product);

}  // namespace credo::graph
