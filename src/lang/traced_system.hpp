// A user's function as a solver's system of equations: traced into graphs of its own, with what
// becomes of its checks. Shared by the solvers that are routines of the graph.
#pragma once
#include "graph/ode.hpp"
#include "lang/builtins.hpp"
#include "lang/traced_function.hpp"

namespace credo::lang {

struct TracedSystem {
  // The equations' values, made by a machine that traces, from the graph's input.
  using Make = std::function<Expr(Machine& inner, graph::NodeId input)>;

  TracedFunction function;
  Make make;
  Index size = 0;

  graph::Traced trace(std::span<const double> point, Index input_size,
                      std::vector<Failure>& failures) const;
  // How it can be refused, as far as is seen at a point; the last one stands for what later paths
  // of it add, and says that it is not defined where the solver went.
  std::vector<Failure> refusals(std::span<const double> reference, const BuiltinCall& c) const;
};

graph::OdeTracer tracer_of(const TracedSystem& system, const std::vector<Failure>& refusals,
                           std::int32_t first_report);

// `reports`: a value and its bound for each refusal.
void check_refusals(const BuiltinCall& c, const std::vector<Failure>& refusals,
                    const Expr& reports);

}  // namespace credo::lang
