// A program is a graph made ready to run: steps in order, places in a workspace, constants.
// It is immutable and shared between threads; a Workspace is one thread's, who may have a team to
// help with large groups. Running neither allocates nor locks. docs/design/executor.md explains
// how.
#pragma once
#include <mutex>

#include "base/team.hpp"
#include "graph/core/expr.hpp"
#include "graph/core/kernel.hpp"

namespace credo::graph {

struct Code;
struct Plan;
class DirectSweep;

struct ProgramOptions {
  bool fuse = true;                // false: one kernel call a node, the reference for all else
  void (*plant)(Plan&) = nullptr;  // makes a fault in the plan, for tests of what finds it
};

class Program {
 public:
  // Everything in the graph is run; passes (graph/passes/passes.hpp) are what removes or rewrites nodes.
  // `input` is a node of add_input; outputs are expressions of the graph or constants.
  Program(const Graph& graph, NodeId input, std::span<const Expr> outputs,
          ProgramOptions options = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Index input_size() const { return input_.shape.size(); }
  Index output_size(std::size_t k) const { return outputs_[k].shape.size(); }
  Index num_instructions() const;
  std::string dump() const;  // steps and fused groups, for people

 private:
  friend class Inspector;
  friend class Workspace;
  const Code& code(Index lanes) const;  // made when first needed

  std::unique_ptr<const DirectSweep> sweep_;  // either of the two is set
  std::unique_ptr<const Plan> plan_;
  OperandSlot input_;
  std::vector<OperandSlot> outputs_;
  mutable std::mutex code_mutex_;
  mutable std::array<std::unique_ptr<const Code>, 4> code_;
};

// The working memory of one thread for up to max_lanes points at once.
class Workspace {
 public:
  Workspace(const Program& program, Index max_lanes);

  // The next run takes `lanes` points; lanes is 1, 2, 4 or 8 and at most max_lanes. A number that
  // is new to the program makes its code, and one that differs from the last run's writes the
  // constants anew; inputs must be set after it.
  void set_lanes(Index lanes);
  void set_input(Index lane, std::span<const double> values);
  void set_inputs(const double* values);  // inputs of all lanes, [element][lane]
  // Threads that share the work of large groups from now on, which changes no bit; null: none.
  void use_team(Team* team);
  bool splits() const;  // the present number of lanes has groups that a team would share
  void run();
  double output(std::size_t k, Index element, Index lane) const;
  void copy_output(std::size_t k, Index lane, std::span<double> out) const;
  void copy_outputs(std::size_t k, double* out) const;  // outputs of all lanes, [element][lane]
  const LaneStatus& status(Index lane) const { return status_[static_cast<std::size_t>(lane)]; }

 private:
  friend class Inspector;
  void write_constants();
  void make_locals();

  const Program* program_;
  Index max_lanes_;
  AlignedArray values_, scratch_;
  std::array<LaneStatus, kMaxLanes> status_;
  Index lanes_ = 0;
  const Code* code_ = nullptr;  // code for lanes_
  Team* team_ = nullptr;
  AlignedArray locals_;  // blocks of the team's other members
};

}  // namespace credo::graph
