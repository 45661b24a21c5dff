// Solutions of differential equations whose derivatives are pulled back (graph/solve/ode.hpp): a run
// keeps its steps in the thread's memory, and pull_back goes through them again, backwards. Where
// the arguments aren't those of the last run, it solves once more.
#pragma once
#include "graph/solve/ode.hpp"

namespace credo::graph {

// As the problem says, or where a gradient costs less so.
bool prefers_adjoint(const OdeProblem& problem);

std::shared_ptr<const Routine> make_adjoint_ode(OdeProblem problem, const OdeTracer& tracer,
                                                Index num_refusals,
                                                std::span<const double> reference);

}  // namespace credo::graph
