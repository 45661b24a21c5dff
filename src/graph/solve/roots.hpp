// The solution x of f(x, q) = 0 as a routine (graph/solve/routine.hpp): Newton's method from a guess,
// damped where it doesn't get nearer. By the implicit function theorem dx/dq = -(df/dx)^-1 df/dq;
// the guess has no derivatives.
//
// f is a graph like the right-hand side of a differential equation (graph/solve/ode.hpp), its input
// (0, x, q): traced once, and again where it decides differently.
#pragma once
#include "graph/solve/ode.hpp"

namespace credo::graph {

struct RootProblem {
  std::string name;
  std::vector<OdeProblem::Entry> guess;
  std::vector<std::int32_t> parameters;  // q: which arguments
  Index num_arguments = 0;
  double residual = 1e-6;  // largest |f|, Euclidean, that counts as solved
  Index max_steps = 200;
};

// Reports: the steps that were taken, above the limit where it wasn't enough, and the norm of f
// where they ended; then for each way that f can be refused a value and its bound, as of an
// OdeProblem.
inline constexpr Index kRootSteps = 0, kRootResidual = 1, kRootRefusals = 2;

std::shared_ptr<const Routine> make_root(RootProblem problem, OdeTracer tracer, Index num_refusals,
                                         std::span<const double> reference);

}  // namespace credo::graph
