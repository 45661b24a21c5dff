// The direct sweep: one kernel call a node, in the graph's order. It is the reference that fused
// programs are compared with, bit by bit.
#pragma once
#include "graph/core/expr.hpp"
#include "graph/core/kernel.hpp"

namespace credo::graph {

class DirectSweep {
 public:
  DirectSweep(const Graph& graph, NodeId input, std::span<const Expr> outputs);

  // `call` holds workspace, scratch, status and lanes.
  void run(Call call) const;

  OperandSlot input;
  std::vector<OperandSlot> outputs;
  Index num_elements = 0;  // elements of the workspace
  Index scratch = 0;       // doubles per lane
  Index num_instructions() const { return ssize(instructions_); }

 private:
  struct Instruction {
    Kernel kernel = nullptr;
    std::int32_t first_slot = 0, num_slots = 0;
    Index offset = 0;  // place of the result, in elements
    Shape shape;
    std::int32_t attributes = 0;
  };
  OperandSlot slot(const Graph& graph, const Expr& operand);
  OperandSlot operand_slot(const Graph& graph, Ref ref);
  void add_instruction(const Graph& graph, NodeId id);

  std::vector<Instruction> instructions_;
  std::vector<OperandSlot> slots_;
  std::vector<Attributes> attributes_;
  AlignedArray scalars_;
  std::vector<Buffer> buffers_;
  std::vector<Index> offsets_;  // node -> place; used while building
};

}  // namespace credo::graph
