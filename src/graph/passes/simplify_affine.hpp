// Containers that are affine in a few scalars with known coefficients:
//   x = X p + c.
// They are found on the graph alone; the numbers are made in blocks of rows, so a long X
// is never in memory.
#pragma once
#include "graph/passes/simplify_builder.hpp"

namespace credo::graph {

struct Affine {
  Index size = 0;
  NodeId node = kNoNode;      // x
  std::vector<Ref> columns;   // p: scalars of the old graph
  double work = 0.0;          // additions and products that make it, roughly
  std::vector<NodeId> nodes;  // that make it, itself first
};
using AffinePtr = std::shared_ptr<const Affine>;

class AffineFinder {
 public:
  explicit AffineFinder(const Graph& graph) : graph_(graph) {}

  // Null where it isn't, or is in too many scalars.
  AffinePtr affine(NodeId id);

 private:
  bool visit(NodeId id, Affine& into);
  bool operand(const Ref& ref, Affine& into);
  bool visit_gather(const Node& node, Affine& into);
  bool visit_elements(const Node& node, Affine& into);
  bool visit_design(const Node& node, Affine& into);

  const Graph& graph_;
  std::unordered_map<NodeId, AffinePtr> known_;
};

// The numbers.
class AffineRows {
 public:
  AffineRows(const Graph& graph, AffineFinder& finder, const Affine& affine);

  // Rows begin, begin + 1, ... in (X c), column-major; `out` has `count` for each column.
  void fill(Index begin, Index count, std::span<double> out);

 private:
  // Elements of a container of the graph and their factors in the computed rows.
  struct Part {
    std::vector<std::int32_t> element;
    std::vector<double> factor;
  };
  void add(NodeId id, Part part);
  void add_operand(const Ref& ref, Part part);
  void add_product(const Node& node, Part part);
  void add_gather(const Node& node, Part part);
  void add_design(const Node& node, const Part& part);
  double* column(const Ref& ref);
  double* constant() { return out_.data() + affine_.columns.size() * count_; }

  const Graph& graph_;
  AffineFinder& finder_;
  const Affine& affine_;
  std::unordered_map<std::uint64_t, std::size_t> place_;  // place of a scalar among the columns
  std::span<double> out_;
  std::size_t count_ = 0;
};

}  // namespace credo::graph
