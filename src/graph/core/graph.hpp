// The graph of a log density: nodes in the order they were made, so operands always come before
// their users.
//
// A node applies one row of the operation table (graph/core/op.hpp) to operands. An operand is a whole
// node or one element of a node; reading an element therefore costs nothing, and its counterpart,
// `pack`, joins elements to a node. Node 0 is the column of all scalar constants.
#pragma once
#include "base/aligned.hpp"
#include "graph/core/shape.hpp"

namespace credo::graph {

struct Op;
class Routine;
class Gates;
using NodeId = std::int32_t;

inline constexpr NodeId kNoNode = -1;
inline constexpr NodeId kScalarConstants = 0;

// A whole node (element < 0) or one element of it.
struct Ref {
  NodeId node = kNoNode;
  std::int32_t element = -1;
  bool whole() const { return element < 0; }
  bool operator==(const Ref&) const = default;
};

// Data of a node beside its operands: index lists, sizes, flags. Their meaning depends on the row.
struct Attributes {
  std::vector<std::int32_t> ints;
  std::vector<double> reals;
  std::shared_ptr<const Routine> routine =
      nullptr;  // for rows that run one (graph/solve/routine.hpp)
  bool operator==(const Attributes&) const = default;
};

struct Node {
  const Op* op = nullptr;
  Shape shape;
  std::int32_t first_operand = 0, num_operands = 0;
  std::int32_t attributes = -1;  // index into the graph's list, or -1
  std::int32_t statement = 0;    // the statement it comes from; 0: none
};

using Buffer = std::shared_ptr<const AlignedArray>;

class Graph {
 public:
  Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Appends a node. Shapes are the caller's business (graph/core/expr.hpp infers them).
  NodeId add(const Op& op, Shape shape, std::span<const Ref> operands,
             std::int32_t attributes = -1);
  NodeId add_input(Shape shape);
  NodeId add_constant(Shape shape, Buffer data);  // equal buffers give the same node
  Ref scalar_constant(double value);              // equal bits give the same element of node 0
  std::int32_t add_attributes(Attributes attributes);

  Index num_nodes() const { return ssize(nodes_); }
  const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  std::span<const Ref> operands(const Node& node) const;
  const Attributes& attributes(const Node& node) const;
  const std::vector<double>& scalar_constants() const { return scalars_; }
  const Buffer& constant(NodeId id) const;  // values of a constant node
  bool is_constant(NodeId id) const;
  Shape shape_of(Ref ref) const { return ref.whole() ? node(ref.node).shape : Shape{}; }

  // Nodes added since a mark are removed; references to them become invalid.
  struct Mark {
    Index nodes = 0, operands = 0, attributes = 0;
  };
  Mark mark() const { return {ssize(nodes_), ssize(operands_), ssize(attributes_)}; }
  void roll_back(const Mark& mark);

  std::int32_t statement = 0;  // given to the nodes that are added next
  Gates* gates = nullptr;      // of the side that is being traced (graph/core/gates.hpp)

 private:
  std::vector<Node> nodes_;
  std::vector<Ref> operands_;
  std::vector<Attributes> attributes_;
  std::vector<double> scalars_;
  std::unordered_map<std::uint64_t, std::int32_t> scalar_index_;
  std::unordered_map<const AlignedArray*, NodeId> constant_index_;
  std::unordered_map<NodeId, Buffer> constants_;
};

std::string dump(const Graph& graph);  // one line a node, for people

}  // namespace credo::graph
