// A user's function as a solver's system of equations: traced into graphs of its own, with
// its checks. Shared by the solvers that are routines of the graph.
#pragma once
#include "graph/solve/ode.hpp"
#include "lang/trace/builtins.hpp"
#include "lang/trace/solver_cache.hpp"
#include "lang/trace/traced_function.hpp"

namespace credo::lang {

// A solver's call, as far as it is the same whatever the values of its arguments are.
struct SystemCall {
  explicit SystemCall(Machine& machine) : arguments(machine) {}
  graph::OdeProblem::Entry entry(const Scalar& scalar) {
    return {arguments.number(scalar), scalar.known};
  }
  std::vector<graph::OdeProblem::Entry> entries(const Value& value);
  // Reads the function's arguments after the solver's own ones: first, ..., end - 1 of the call.
  // Parameters among them stand behind the first `places` elements of its input.
  void take_rest(const BuiltinCall& c, std::size_t first, std::size_t end, Index places);
  // Its input where decisions are taken: a time, states, parameters.
  std::vector<double> reference(Machine& machine, const Scalar& time, const Value& states) const;

  RoutineArguments arguments;
  std::vector<std::int32_t> parameters;  // their argument numbers
  std::vector<ValueTemplate> rest;
  std::vector<double> key;  // other values that distinguish two calls
};

struct TracedSystem {
  // The equations' values, made by a machine that traces, from the graph's input.
  using Make = std::function<Expr(Machine& inner, graph::NodeId input)>;

  TracedFunction function;
  Make make;
  Index size = 0;

  // The function that is the call's first argument. `front`: its arguments before the rest, from
  // the input; `complaint`: message for a wrong number of values, with places for it and for `size`.
  using Front = std::function<std::vector<Value>(graph::NodeId input)>;
  static TracedSystem of(const BuiltinCall& c, const SystemCall& call, Index size, Front front,
                         std::string complaint);

  graph::Traced trace(std::span<const double> point, Index input_size,
                      std::vector<Failure>& failures) const;
  // How it can be refused, as far as is seen at a point, and where it decides, on the paths that
  // `explore` meets; the last one, `others`, stands for what later paths of it add.
  using Explore = std::function<void(graph::OdeTracer)>;
  std::vector<Failure> refusals(std::span<const double> reference, Failure others,
                                const Explore& explore = {}) const;
};

graph::OdeTracer tracer_of(const TracedSystem& system, const std::vector<Failure>& refusals,
                           std::int32_t first_report);

// The interpreter meets the same call again and again: its numbers are arguments, the rest is kept.
std::shared_ptr<const Solver> solver_of(const BuiltinCall& c, const SystemCall& call,
                                        const SolverCache::Make& make);

// The routine's results and reports at the call's arguments. `check`: as of graph::apply.
Expr run_solver(const BuiltinCall& c, const SystemCall& call, const Solver& solver,
                std::int32_t check = 0);

// `reports`: a value and its bound for each refusal.
void check_refusals(const BuiltinCall& c, const std::vector<Failure>& refusals,
                    const Expr& reports);

}  // namespace credo::lang
