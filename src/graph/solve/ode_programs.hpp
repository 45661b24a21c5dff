// The right-hand side of a differential equation as programs: alone, with sensitivities, and its
// Jacobian, each for the paths of its decisions that have been met.
#pragma once
#include <atomic>

#include "graph/execute/program.hpp"
#include "graph/solve/ode.hpp"

namespace credo::graph {

// Arguments that have sensitivities, and the sources of their derivatives.
struct OdeColumns {
  explicit OdeColumns(const OdeProblem& problem);
  Index count() const { return ssize(arguments); }
  std::vector<std::int32_t> arguments;         // argument of each column
  std::vector<std::vector<Index>> parameters;  // of each column: the q it is
  std::vector<std::int32_t> of_argument;       // its column, or -1
};

// values: f, of (t, y, q), with the interpreter's bits, as draws show them. simplified: the same by
// all passes, where it is solved for derivatives. sensitivities: f and the rows of s', of (t, y, q,
// rows of s). jacobian: df/dy by columns, of (t, y, q). pullback: w'df/dy and w'df/dq, of (t, y, q,
// w).
enum class OdeForm : std::uint8_t { values, simplified, sensitivities, jacobian, pullback };

class OdePrograms {
 public:
  struct Path {
    std::unique_ptr<const Program> program;
    std::vector<std::int32_t> reports;
  };
  static constexpr Index kMostPaths = 64;

  OdePrograms(const OdeProblem& problem, const OdeColumns& columns, OdeTracer tracer, OdeForm form);

  Index input_size() const { return input_size_; }
  Index beside() const { return beside_; }  // elements of the input behind the parameters
  Index output_size() const { return output_size_; }
  Index num_paths() const { return num_paths_.load(std::memory_order_acquire); }
  const Path& path(Index k) const { return *paths_[static_cast<std::size_t>(k)]; }
  // Traces f at this input and adds its path, unless there are so many already.
  bool add_path(std::span<const double> input) const;

 private:
  Path make_path(std::span<const double> input) const;

  const OdeProblem& problem_;
  const OdeColumns& columns_;
  OdeTracer tracer_;
  OdeForm form_;
  Index beside_, input_size_, output_size_;
  mutable std::mutex mutex_;  // for adding; readers see the paths below num_paths
  mutable std::array<std::unique_ptr<const Path>, static_cast<std::size_t>(kMostPaths)> paths_;
  mutable std::atomic<Index> num_paths_{0};
};

// A system's programs of all forms, traced on demand.
struct SystemPrograms {
  SystemPrograms(OdeProblem p, const OdeTracer& tracer);
  Index states() const { return problem.num_states(); }

  OdeProblem problem;
  OdeColumns columns;
  OdePrograms values, simplified, sensitivities, jacobian, pullback;
};

// Why f was refused in a lane.
struct OdeRefusal {
  std::int32_t report = -1;  // -1: it wasn't
  double value = 0.0;
};

// One thread's runs of OdePrograms.
class OdeRunner {
 public:
  OdeRunner(const OdePrograms& programs, Index max_lanes);

  // Inputs of the next evaluation of f, [element][lane]; lanes as in the last call of set_lanes.
  void set_lanes(Index lanes);
  double* input() { return input_.data(); }
  Index input_size() const { return programs_.input_size(); }
  // Runs all lanes; out as [element][lane]. Lanes with a refusal keep it and are passed over.
  void run(double* out, OdeRefusal* refusals);

 private:
  void run_alone(Index lane, Index but, double* out, OdeRefusal& refusal);
  Workspace& workspace(Index path);

  const OdePrograms& programs_;
  Index max_lanes_, lanes_ = 1;
  Index last_ = 0;  // the path that fitted last, tried first
  std::vector<std::unique_ptr<Workspace>> workspaces_;
  AlignedArray input_;
  std::vector<double> single_, single_out_;
};

}  // namespace credo::graph
