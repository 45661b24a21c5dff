// Elements of a container that are equal for all parameters: equal data, equal indices of
// a gather, equal rows of a design, and results of elementwise functions of these.
#pragma once
#include "graph/passes/simplify_builder.hpp"

namespace credo::graph {

// Elements i and j with of[i] == of[j] are equal; class k's first element is representative[k].
struct Classes {
  std::vector<std::int32_t> of;
  std::vector<std::int32_t> representative;
  Index count() const { return ssize(representative); }
};
using ClassesPtr = std::shared_ptr<const Classes>;

class ClassFinder {
 public:
  explicit ClassFinder(const Graph& graph) : graph_(graph) {}

  // Null where more than half of the elements may differ.
  ClassesPtr classes(NodeId id);
  ClassesPtr joined(const ClassesPtr& a, const ClassesPtr& b);

  // Node `id` at the representatives only, in the graph that `builder` makes.
  Expr representatives(Builder& builder, NodeId id, const ClassesPtr& classes);

 private:
  ClassesPtr find(NodeId id);
  ClassesPtr of_operands(const Node& node);
  ClassesPtr of_gather(const Node& node);
  ClassesPtr of_design(const Node& node);
  Expr rebuild(Builder& builder, NodeId id, const ClassesPtr& classes);
  Expr design_rows(Builder& builder, const Node& node, const Classes& classes);

  const Graph& graph_;
  std::unordered_map<NodeId, ClassesPtr> known_;
  std::map<std::pair<const Classes*, const Classes*>, ClassesPtr> joins_;
  std::map<std::pair<NodeId, const Classes*>, Expr> built_;
};

}  // namespace credo::graph
