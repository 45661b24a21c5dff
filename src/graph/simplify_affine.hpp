// Containers that are affine in a few scalars with known coefficients:
//   x = constant + sum_j column_j p_j.
#pragma once
#include "graph/simplify_builder.hpp"

namespace credo::graph {

struct Affine {
  std::vector<double> constant;                              // N
  std::vector<std::pair<Ref, std::vector<double>>> columns;  // N each; scalars of the old graph
  double work = 0.0;          // additions and products that make it, roughly
  std::vector<NodeId> nodes;  // that make it, itself first
};

class AffineFinder {
 public:
  explicit AffineFinder(const Graph& graph) : graph_(graph) {}

  // Null where it isn't, or is in too many scalars.
  std::shared_ptr<const Affine> affine(NodeId id);

 private:
  using AffinePtr = std::shared_ptr<const Affine>;
  AffinePtr find(NodeId id);
  AffinePtr operand(const Ref& ref, Index size);
  bool accumulate(const Ref& ref, double sign, Affine& into);
  AffinePtr of_product(const Node& node);
  AffinePtr of_gather(const Node& node);
  AffinePtr of_elements(const Ref& source, const std::vector<std::int32_t>& index);
  AffinePtr of_design(const Node& node);

  const Graph& graph_;
  std::unordered_map<NodeId, AffinePtr> known_;
};

}  // namespace credo::graph
