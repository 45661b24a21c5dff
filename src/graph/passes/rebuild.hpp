// Copies nodes from one graph into a new one and remembers where each value went: what passes are
// made of.
#pragma once
#include "graph/core/op.hpp"
#include "graph/passes/passes.hpp"

namespace credo::graph {

class Rebuild {
 public:
  explicit Rebuild(const Graph& from);

  Graph& to() { return *to_; }
  const Graph& from() const { return from_; }

  Ref mapped(Ref ref) const;  // an operand of the old graph in the new one
  Expr mapped_expr(Ref ref) const { return {*to_, mapped(ref)}; }
  std::vector<Ref> mapped_operands(NodeId id) const;

  void copy(NodeId id);  // the same row of the mapped operands
  void set_place(NodeId id, Ref place) { place_[static_cast<std::size_t>(id)] = place; }
  // The value of node `id` is `value` now, of the same number of elements.
  void set_value(NodeId id, const Expr& value) { set_place(id, value.ref_in(*to_)); }

  // Adds a node unless an equal one (same row, operands, attributes and shape) is there.
  NodeId add_once(const Op& op, Shape shape, std::span<const Ref> refs,
                  const Attributes& attributes);

  Traced finish(const Traced& traced);
  std::unique_ptr<Graph> release() { return std::move(to_); }

 private:
  const Graph& from_;
  std::unique_ptr<Graph> to_;
  std::vector<Ref> place_;  // whole nodes, or one element for a scalar

  // The nodes that were added once, by hash; open addressing, a power of two of slots.
  struct Seen {
    std::size_t hash = 0;
    NodeId id = kNoNode;
  };
  void remember(Seen entry);
  std::vector<Seen> seen_;
  std::size_t num_seen_ = 0;
};

}  // namespace credo::graph
