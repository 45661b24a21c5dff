// Reads the values of a graph as sums of products of atoms of its input (moment_value.hpp).
#pragma once
#include "graph/moments/moment_value.hpp"

namespace credo::graph {

// The coordinates of one declared parameter, and the bounds of its values.
struct CoordinateGroup {
  Index first = 0, size = 0;
  bool is_whole = false;
  double lower = -kInfinity, upper = kInfinity;
};

// An elementwise operation of whole numbers and constants: a sum over the values of the whole numbers. Nullopt if an operand depends on
// anything else.
std::optional<MomentValue> value_by_states(const Op& op, Shape shape,
                                           std::span<const MomentValue* const> in,
                                           std::span<const CoordinateGroup> groups);

// `less` and `less_equal` where the bounds of parameters decide: 1 for all elements. Nullopt if they don't.
std::optional<MomentValue> value_by_bounds(const Op& op, Shape shape,
                                           std::span<const MomentValue* const> in,
                                           std::span<const CoordinateGroup> groups);

// log(t exp(a) + u exp(b)) as log_mix writes it, shifted by the density that dominates: m + log(t exp(min(a - m, 700)) + u exp(min(b - m, 700))),
// m = select(..., a, b).
struct LogMix {
  Ref t, a, u, b;
};
std::optional<LogMix> log_mix_at(const Graph& graph, NodeId id);

class MomentWalk {
 public:
  // All must live as long.
  MomentWalk(const Graph& graph, NodeId input, std::span<const CoordinateGroup> groups,
             Expectations& expectations);

  // Throws NoMoments with the statement of the node.
  MomentValue value(const Expr& of);

 private:
  MomentValue operand(Ref ref) const;
  MomentSum coordinates(std::vector<std::int32_t> at, std::int32_t statement) const;
  MomentValue input_elements(std::span<const std::int32_t> index, const Node& node) const;
  std::int32_t group_of(Index coordinate) const;
  void mark(NodeId last);
  void visit(NodeId id);
  std::optional<MomentValue> folded(const Node& node, std::span<const MomentValue* const> in) const;
  MomentValue applied(NodeId id) const;
  MomentValue mixed(const LogMix& mix, const Node& node) const;

  const Graph& graph_;
  NodeId input_;
  std::span<const CoordinateGroup> groups_;
  Expectations& expectations_;
  std::vector<char> is_needed_;
  std::vector<std::unique_ptr<MomentValue>> values_;
};

}  // namespace credo::graph
