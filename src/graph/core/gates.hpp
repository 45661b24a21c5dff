// Gates around one side of a decision while it is traced. What the side takes from outside goes
// through select(mask, x, 1), so that derivatives that aren't finite where the side isn't taken stay inside:
// the adjoint of that select is select(mask, adjoint, 0).
#pragma once
#include <set>

#include "graph/core/expr.hpp"

namespace credo::graph {

class Gates {
 public:
  // Holds for the nodes that are added until it is destroyed. `mask` is a scalar, 1 where the side is taken.
  Gates(Graph& graph, Expr mask);
  ~Gates();
  Gates(const Gates&) = delete;
  Gates& operator=(const Gates&) = delete;

  // The operands of a row that is about to be added. Rows that only move what is outside count as
  // outside themselves: their operands stay, and `note_move` is to be told of the node.
  std::vector<Expr> through(std::span<const Expr> operands);
  bool only_moves_outside(const Op& op, std::span<const Expr> operands) const;
  void note_move(NodeId id, std::span<const Expr> operands);
  void forget_from(NodeId id);

  // While the graph's owner adds masks and choices, which no gate may touch.
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
  std::set<NodeId> moved_;  // of the nodes from `begin_` on, those that only move what is outside
  std::map<std::pair<NodeId, std::int32_t>, Expr> gates_;
};

}  // namespace credo::graph
