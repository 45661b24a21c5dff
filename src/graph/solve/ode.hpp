// The solution of y' = f(t, y, q), y(start) = initial, at ascending times, as a routine
// (graph/solve/routine.hpp): results are the states time by time, with derivatives by the start, the
// initial states, the parameters q and the times, which are arguments or known.
//
// f is a graph, traced once, and again where it decides differently (a guard fails). Derivatives
// are forward, the sensitivities dy/dx of all arguments being solved beside the states, s' =
// (df/dy) s + df/dx, and taking part in the choice of steps; or they are pulled back through the
// steps (graph/solve/ode_adjoint.hpp).
#pragma once
#include "graph/passes/passes.hpp"
#include "graph/solve/routine.hpp"
#include "numerics/ode/ode.hpp"

namespace credo::graph {

enum class OdeMethod : std::uint8_t { dormand_prince, cash_karp, adams, bdf };

// forward: sensitivities beside the states. adjoint: a pass backwards for each gradient, whose cost
// doesn't depend on how many arguments there are. by_cost: the one that is faster
// (docs/design/ode.md).
enum class OdeDerivatives : std::uint8_t { by_cost, forward, adjoint };

// How the adjoint equation of a multistep method is solved.
struct OdeBackward {
  OdeMethod method = OdeMethod::bdf;
  numerics::OdeTolerance tolerance;
  bool relative = false;  // to the largest adjoint of the states
};

struct OdeProblem {
  struct Entry {  // an argument of the routine, or a number
    std::int32_t argument = -1;
    double known = 0.0;
  };
  std::string name;  // name of the function that users call
  OdeMethod method = OdeMethod::dormand_prince;
  OdeDerivatives derivatives = OdeDerivatives::by_cost;
  numerics::OdeTolerance tolerance;
  std::optional<OdeBackward> backward;  // with these, derivatives are pulled back
  Index algebraic = 0;  // the last so many states have no derivatives: f is 0 there (bdf only)
  Entry start;
  std::vector<Entry> initial, times;
  std::vector<std::int32_t> parameters;  // q: which arguments
  Index num_arguments = 0;
  Index num_states() const { return ssize(initial); }
};

// f at some point. Its input is the vector (t, y, q, and what else `input_size` has room for), its
// output the vector of derivatives. Check number k of the graph is reports[k - 1]: a report, or
// kGuard, which says that at this point f is another graph.
struct OdeFunction {
  static constexpr std::int32_t kGuard = -1;
  Traced traced;
  std::vector<std::int32_t> reports;
};
using OdeTracer = std::function<OdeFunction(std::span<const double> point, Index input_size)>;

// Reports: 0 is the number of steps, above the limit where it wasn't enough; 1 is the time that was
// reached where the solution ends before the last time for another reason, infinite otherwise; then
// for each way that f can be refused (num_refusals of them) a value and its bound: the value is
// below its bound unless f was refused so.
inline constexpr Index kOdeSteps = 0, kOdeReached = 1, kOdeRefusals = 2;

// `reference`: a point (t, y, q) at which f is traced first. Throws what the tracer throws.
std::shared_ptr<const Routine> make_ode(OdeProblem problem, OdeTracer tracer, Index num_refusals,
                                        std::span<const double> reference);

}  // namespace credo::graph
