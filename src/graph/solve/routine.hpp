// A computation with programs of its own as one node: the solution of a differential equation.
//
// Its operand is a vector of arguments. The node's value is the routine's result. If
// derivatives are needed, it is followed by their Jacobian, made in the same run, or the routine
// pulls adjoints of its results back to its arguments, in a second row; so a density's value and
// gradient belong to one solution. It can be differentiated once.
#pragma once
#include "graph/core/expr.hpp"

namespace credo::graph {

// One run for `lanes` points. Elements lie as [element][lane].
struct RoutineCall {
  Index lanes = 1;
  const double* arguments = nullptr;
  double* values = nullptr;
  double* jacobian = nullptr;  // [result][argument]; null: not needed
  bool keep = false;           // pull_back will be called with the same arguments
};

// adjoints[argument] = sum of weights[result] d result / d argument.
struct PullbackCall {
  Index lanes = 1;
  const double* arguments = nullptr;
  const double* weights = nullptr;
  // Behind them stands how far the pass backwards came, if it failed though the run didn't, or
  // -infinity.
  double* adjoints = nullptr;
};

// Immutable and shared by threads; what a run needs to work in, each thread keeps (PerThread).
class Routine {
 public:
  virtual ~Routine() = default;
  virtual std::string_view name() const = 0;
  virtual Index num_arguments() const = 0;
  // Results have derivatives; the values behind them are reports, for checks to judge.
  virtual Index num_results() const = 0;
  virtual Index num_reports() const = 0;
  virtual void run(const RoutineCall& call) const = 0;
  // Derivatives are pulled back; a Jacobian is never requested.
  virtual bool pulls_back() const = 0;
  virtual void pull_back(const PullbackCall& call) const = 0;
};

// The results and the reports, one vector of num_results + num_reports. `check`: what fails where
// adjoints can't be pulled back, with how far they came.
Expr apply(std::shared_ptr<const Routine> routine, const Expr& arguments, bool differentiable,
           std::int32_t check = 0);

// Elements first, ..., first + count - 1 of x, as a vector.
Expr part(const Expr& x, Index first, Index count);

}  // namespace credo::graph
