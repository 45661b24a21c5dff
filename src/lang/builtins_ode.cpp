// Solvers of differential equations: integrate_ode_* and ode_*. The right-hand side is traced once
// into a graph of its own; the solution is one node of the density's graph (graph/ode.hpp).
#include <fmt/format.h>

#include "graph/ode.hpp"
#include "lang/builtins.hpp"
#include "lang/traced_system.hpp"

namespace credo::lang {
namespace {
using graph::OdeMethod;
using graph::OdeProblem;

// Where the arguments of a solver stand (language facts 12.1, 12.2).
struct OdeSolver {
  std::string_view name;
  OdeMethod method;
  numerics::OdeTolerance defaults;
  bool of_vectors;         // the state is a vector; otherwise an array, and tolerances come last
  bool states_tolerances;  // behind the times
};
constexpr numerics::OdeTolerance kLoose{1e-6, 1e-6, 1'000'000}, kTight{1e-10, 1e-10, 100'000'000};
constexpr std::array<OdeSolver, 12> kSolvers{{
    {"integrate_ode", OdeMethod::dormand_prince, kLoose, false, false},
    {"integrate_ode_adams", OdeMethod::adams, kTight, false, false},
    {"integrate_ode_bdf", OdeMethod::bdf, kTight, false, false},
    {"integrate_ode_rk45", OdeMethod::dormand_prince, kLoose, false, false},
    {"ode_adams", OdeMethod::adams, kTight, true, false},
    {"ode_adams_tol", OdeMethod::adams, kTight, true, true},
    {"ode_bdf", OdeMethod::bdf, kTight, true, false},
    {"ode_bdf_tol", OdeMethod::bdf, kTight, true, true},
    {"ode_ckrk", OdeMethod::cash_karp, kLoose, true, false},
    {"ode_ckrk_tol", OdeMethod::cash_karp, kLoose, true, true},
    {"ode_rk45", OdeMethod::dormand_prince, kLoose, true, false},
    {"ode_rk45_tol", OdeMethod::dormand_prince, kLoose, true, true},
}};
constexpr std::size_t kInitial = 1, kStart = 2, kTimes = 3, kRest = 4, kArrayArguments = 7;

const OdeSolver& solver_named(std::string_view name) {
  return *std::find_if(kSolvers.begin(), kSolvers.end(),
                       [&](const OdeSolver& s) { return s.name == name; });
}

numerics::OdeTolerance tolerance_of(const BuiltinCall& c, const OdeSolver& solver) {
  const std::size_t first = solver.of_vectors ? kRest : kArrayArguments;
  if (!solver.states_tolerances && (solver.of_vectors || c.size() == kArrayArguments))
    return solver.defaults;
  const auto number = [&](std::size_t k) {
    const double value = scalar_of(c[first + k]).known;
    static constexpr std::array<std::string_view, 3> kNames{
        "relative tolerance", "absolute tolerance", "maximum number of steps"};
    if (!(value > 0.0) || !std::isfinite(value))
      c.machine.reject(c.name, kNames[k], value, "positive finite");
    return value;
  };
  const double steps = std::min(number(2), 1e15);
  return {number(0), number(1), static_cast<Index>(std::max(steps, 1.0))};
}

struct OdeCall : SystemCall {
  OdeCall(const BuiltinCall& c, const OdeSolver& s);
  Index num_states() const { return problem.num_states(); }

  const OdeSolver& solver;
  OdeProblem problem;
};

OdeCall::OdeCall(const BuiltinCall& c, const OdeSolver& s) : SystemCall(c.machine), solver(s) {
  problem.name = std::string(c.name);
  problem.method = s.method;
  problem.tolerance = tolerance_of(c, s);
  problem.start = entry(scalar_of(c[kStart]));
  problem.initial = entries(c[kInitial]);
  problem.times = entries(c[kTimes]);
  const auto& tolerance = problem.tolerance;
  key = {tolerance.relative, tolerance.absolute, double(tolerance.max_steps),
         double(problem.initial.size()), double(problem.times.size())};
  const std::size_t end = s.of_vectors ? c.size() : kArrayArguments;
  take_rest(c, kRest + (s.states_tolerances ? 3 : 0), end, 1 + num_states());
  problem.parameters = parameters;
  problem.num_arguments = arguments.count();
}

// ---- the right-hand side

TracedSystem system_of(const BuiltinCall& c, const OdeCall& call) {
  const Index size = call.num_states();
  const BaseType base = call.solver.of_vectors ? BaseType::vector : BaseType::real;
  const auto front = [size, base](graph::NodeId input) {
    std::vector<Scalar> state(static_cast<std::size_t>(size));
    Scalar time;
    time.ref = {input, 0};
    for (std::size_t i = 0; i < state.size(); ++i)
      state[i].ref = {input, static_cast<std::int32_t>(1 + i)};
    return std::vector<Value>{time, make_reals(base, {size}, std::move(state))};
  };
  return TracedSystem::of(c, call, size, front,
                          "the right-hand side has {} derivatives for {} states");
}

// Where f decides, its refusals are those on the paths of the solution at the reference.
Solver make_solver(const BuiltinCall& c, const OdeCall& call) {
  const TracedSystem system = system_of(c, call);
  const std::vector<double> reference =
      call.reference(c.machine, scalar_of(c[kStart]), c[kInitial]);
  const auto explore = [&](graph::OdeTracer paths) {
    const std::vector<double> arguments = call.arguments.values();
    graph::apply(graph::make_ode(call.problem, std::move(paths), 1, reference),
                 graph::constant(graph::vector_shape(ssize(arguments)), arguments), false);
  };
  std::vector<Failure> refusals =
      system.refusals(reference,
                      {.kind = FailureKind::rejected,
                       .statement = c.machine.statement(),
                       .function = {},
                       .argument = {},
                       .rule = {},
                       .text = call.problem.name +
                               ": the right-hand side refuses a state that the solution reaches"},
                      explore);
  auto routine = graph::make_ode(call.problem, tracer_of(system, refusals, graph::kOdeRefusals),
                                 ssize(refusals), reference);
  return {std::move(routine), std::move(refusals)};
}

// ---- checks

void check_arguments(const BuiltinCall& c, const OdeCall& call) {
  graph::Checks& checks = c.machine.checks();
  const auto finite = [&](const Value& value, std::string_view what) {
    if (size_of(value) > 0) checks.finite(c.machine.expr(value), {c.name, what, "finite"});
  };
  finite(c[kInitial], "initial state");
  finite(c[kStart], "initial time");
  finite(c[kTimes], "times");
  if (call.problem.num_arguments > 0 && c.machine.graph() != nullptr)
    checks.finite(call.arguments.vector(), {c.name, "parameters", "finite"});
  const Index count = size_of(c[kTimes]);
  const auto time = [&](Index k) { return to_expr(scalar_of(c[kTimes], k), c.machine.graph()); };
  checks.greater(time(0), c.expr(kStart), {c.name, "first time", "greater than the initial time"});
  for (Index k = 1; k < count; ++k)
    checks.greater_equal(time(k), time(k - 1), {c.name, "times", "at least the one before it"});
}

void check_reports(const BuiltinCall& c, const OdeCall& call, const Expr& reports,
                   const std::vector<Failure>& refusals) {
  const Index first = graph::kOdeRefusals;
  check_refusals(c, refusals, graph::part(reports, first, reports.size() - first));
  graph::Checks& checks = c.machine.checks();
  const Index limit = call.problem.tolerance.max_steps;
  checks.less_equal(reports.element(graph::kOdeSteps), double(limit),
                    {c.name, "number of steps to the next time",
                     fmt::format("at most {}, the maximum number of steps", limit)});
  checks.greater(reports.element(graph::kOdeReached), std::numeric_limits<double>::max(),
                 {c.name, "time that the solution reaches",
                  "the last time: it isn't finite behind, or changes too fast"});
}

Value run_ode(const BuiltinCall& c) {
  const OdeCall call(c, solver_named(c.name));
  const Index count = ssize(call.problem.times), states = call.num_states();
  if (count == 0)
    c.machine.fail(fmt::format("{}: there are no times, one at least is needed", c.name));
  const BaseType base = call.solver.of_vectors ? BaseType::vector : BaseType::real;
  if (states == 0) return make_reals(base, {count, 0}, {});
  check_arguments(c, call);
  const auto solver = solver_of(c, call, [&] { return make_solver(c, call); });
  const graph::Routine& routine = *solver->routine;
  const Expr all = run_solver(c, call, *solver);
  check_reports(c, call, graph::part(all, routine.num_results(), routine.num_reports()),
                solver->refusals);
  return from_expr(graph::part(all, 0, count * states), base, {count, states});
}

constexpr auto kRows = [] {
  std::array<Builtin, kSolvers.size()> rows{};
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = {kSolvers[k].name, run_ode};
  return rows;
}();
}  // namespace

std::span<const Builtin> builtins_ode() { return kRows; }

}  // namespace credo::lang
