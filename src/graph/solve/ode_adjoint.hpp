// Solutions of differential equations whose derivatives are pulled back (graph/solve/ode.hpp): a run
// keeps its steps in the thread's memory, and pull_back goes through them again, backwards. If
// the arguments aren't those of the last run, it solves once more.
#pragma once
#include "graph/solve/ode.hpp"

namespace credo::graph {

// True if the problem says so, or if the adjoint gradient costs less.
bool prefers_adjoint(const OdeProblem& problem);

std::shared_ptr<const Routine> make_adjoint_ode(OdeProblem problem, const OdeTracer& tracer,
                                                Index num_refusals,
                                                std::span<const double> reference);

}  // namespace credo::graph
