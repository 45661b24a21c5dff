// A program is a graph made ready to run: instructions in order, places in a workspace, constants.
// It is immutable and shared between threads; a Workspace is one thread's. Running neither
// allocates nor locks.
#pragma once
#include "graph/expr.hpp"
#include "graph/kernel.hpp"

namespace credo::graph {

struct Instruction {
  Kernel kernel = nullptr;
  std::int32_t first_slot = 0, num_slots = 0;
  Index offset = 0;  // of the result, in elements
  Shape shape;
  std::int32_t attributes = 0;
  std::int32_t statement = 0;
};

class Program {
 public:
  // Everything in the graph is run; passes (graph/passes.hpp) are what removes or rewrites nodes.
  // `input` is a node of add_input; outputs are expressions of the graph or constants.
  Program(const Graph& graph, NodeId input, std::span<const Expr> outputs);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Index input_size() const { return input_.shape.size(); }
  Index output_size(std::size_t k) const { return outputs_[k].shape.size(); }
  Index num_instructions() const { return ssize(instructions_); }
  Index workspace_elements() const { return elements_; }
  Index scratch_elements() const { return scratch_; }

 private:
  friend class Workspace;
  OperandSlot slot(const Graph& graph, const Expr& operand);
  void add_instruction(const Graph& graph, NodeId id);

  std::vector<Instruction> instructions_;
  std::vector<OperandSlot> slots_, outputs_;
  OperandSlot input_;
  std::vector<Attributes> attributes_;
  AlignedArray scalars_;
  std::vector<Buffer> buffers_;
  std::vector<Index> offsets_;  // node -> place; used while building
  Index elements_ = 0, scratch_ = 0;
};

// The working memory of one thread for up to max_lanes points at once.
class Workspace {
 public:
  Workspace(const Program& program, Index max_lanes);

  // The next run takes `lanes` points; lanes is 1, 2, 4 or 8 and at most max_lanes.
  void set_lanes(Index lanes) { lanes_ = lanes; }
  void set_input(Index lane, std::span<const double> values);
  void run();
  double output(std::size_t k, Index element, Index lane) const;
  void copy_output(std::size_t k, Index lane, std::span<double> out) const;
  const LaneStatus& status(Index lane) const { return status_[static_cast<std::size_t>(lane)]; }

 private:
  const Program* program_;
  AlignedArray values_, scratch_;
  std::array<LaneStatus, kMaxLanes> status_;
  Index lanes_ = 1;
};

}  // namespace credo::graph
