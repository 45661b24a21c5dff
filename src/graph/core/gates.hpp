// Gates around one side of a decision while it is traced. Values from outside enter the side through
// select(mask, x, 1), so that derivatives that aren't finite at points that don't take the side stay inside: the
// adjoint of that select is select(mask, adjoint, 0).
#pragma once
#include <set>

#include "graph/core/expr.hpp"

namespace credo::graph {

class Gates {
 public:
  // Applies to nodes added until it is destroyed. `mask` is a scalar, 1 for points that take the side.
  Gates(Graph& graph, Expr mask);
  ~Gates();
  Gates(const Gates&) = delete;
  Gates& operator=(const Gates&) = delete;

  // The gated operands of a node that is about to be added. Nodes that only move values from outside count as outside
  // themselves: their operands aren't gated, and note_move() must be called for the node.
  std::vector<Expr> through(std::span<const Expr> operands);
  bool only_moves_outside(const Op& op, std::span<const Expr> operands) const;
  void note_move(NodeId id, std::span<const Expr> operands);
  void forget_from(NodeId id);

  // Opens all gates while the owner of the graph adds masks and selects, which must not be gated.
  class Open {
   public:
    explicit Open(Graph* graph);
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    Graph* graph_;
    Gates* closed_ = nullptr;
  };

 private:
  bool is_outside(const Expr& x) const;
  bool all_outside(std::span<const Expr> operands) const;
  Expr gated(const Expr& x);

  Graph& graph_;
  Gates* outer_;
  NodeId begin_;
  Expr mask_;
  std::set<NodeId> moved_;  // nodes from `begin_` on that only move values from outside
  std::map<std::pair<NodeId, std::int32_t>, Expr> gates_;
};

}  // namespace credo::graph
