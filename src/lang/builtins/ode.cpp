// Solvers of differential equations: integrate_ode_* and ode_*. The right-hand side is traced once
// into a graph of its own; the solution is one node of the density's graph (graph/solve/ode.hpp).
#include <fmt/format.h>

#include "graph/solve/ode.hpp"
#include "lang/trace/builtins.hpp"
#include "lang/trace/traced_system.hpp"

namespace credo::lang {
namespace {
using graph::OdeMethod;
using graph::OdeProblem;

// Positions of a solver's arguments (language facts 12.1, 12.2).
struct OdeSolver {
  std::string_view name;
  OdeMethod method;
  numerics::OdeTolerance defaults;
  bool of_vectors;        // the state is a vector; otherwise an array, and tolerances come last
  std::size_t settings;   // how many arguments stand between the times and those of f
  bool implicit = false;  // f(t, y, y') is 0, and slopes stand behind the initial states

  std::size_t start() const { return implicit ? 3 : 2; }
  std::size_t times() const { return start() + 1; }
  std::size_t rest() const { return start() + 2; }  // behind the times
};
constexpr std::size_t kControls = 11;
constexpr numerics::OdeTolerance kLoose{1e-6, 1e-6, 1'000'000}, kTight{1e-10, 1e-10, 100'000'000};
constexpr std::array<OdeSolver, 15> kOdeSolvers{{
    {"dae", OdeMethod::bdf, kTight, true, 0, true},
    {"dae_tol", OdeMethod::bdf, kTight, true, 3, true},
    {"integrate_ode", OdeMethod::dormand_prince, kLoose, false, 0},
    {"integrate_ode_adams", OdeMethod::adams, kTight, false, 0},
    {"integrate_ode_bdf", OdeMethod::bdf, kTight, false, 0},
    {"integrate_ode_rk45", OdeMethod::dormand_prince, kLoose, false, 0},
    {"ode_adams", OdeMethod::adams, kTight, true, 0},
    {"ode_adams_tol", OdeMethod::adams, kTight, true, 3},
    {"ode_adjoint_tol_ctl", OdeMethod::bdf, kTight, true, kControls},
    {"ode_bdf", OdeMethod::bdf, kTight, true, 0},
    {"ode_bdf_tol", OdeMethod::bdf, kTight, true, 3},
    {"ode_ckrk", OdeMethod::cash_karp, kLoose, true, 0},
    {"ode_ckrk_tol", OdeMethod::cash_karp, kLoose, true, 3},
    {"ode_rk45", OdeMethod::dormand_prince, kLoose, true, 0},
    {"ode_rk45_tol", OdeMethod::dormand_prince, kLoose, true, 3},
}};
constexpr std::size_t kInitial = 1, kSlopes = 2, kArrayArguments = 7;

const OdeSolver& ode_solver_named(std::string_view name) {
  return *std::find_if(kOdeSolvers.begin(), kOdeSolvers.end(),
                       [&](const OdeSolver& s) { return s.name == name; });
}

// The smallest element of an argument, all of which must be positive and finite.
double positive(const BuiltinCall& c, std::size_t argument, std::string_view what) {
  double least = kInfinity;
  for (Index i = 0; i < size_of(c[argument]); ++i) {
    const double value = scalar_of(c[argument], i).known;
    if (!(value > 0.0) || !std::isfinite(value))
      c.machine.reject(c.name, what, value, "positive finite");
    least = std::min(least, value);
  }
  return least;
}

Index max_steps(const BuiltinCall& c, std::size_t argument) {
  const double steps = positive(c, argument, "maximum number of steps");
  return static_cast<Index>(std::max(std::min(steps, 1e15), 1.0));
}

numerics::OdeTolerance tolerance_of(const BuiltinCall& c, const OdeSolver& solver) {
  const std::size_t first = solver.of_vectors ? solver.rest() : kArrayArguments;
  if (solver.settings == 0 && (solver.of_vectors || c.size() == kArrayArguments))
    return solver.defaults;
  return {positive(c, first, "relative tolerance"), positive(c, first + 1, "absolute tolerance"),
          max_steps(c, first + 2)};
}

// ---- ode_adjoint_tol_ctl: its settings, behind the times

enum Control : std::size_t {
  kForwardRelative = 4,
  kForwardAbsolute,
  kBackwardRelative,
  kBackwardAbsolute,
  kQuadratureRelative,
  kQuadratureAbsolute,
  kMaxSteps,
  kCheckpointSteps,
  kInterpolation,
  kForwardSolver,
  kBackwardSolver
};

// A setting of two values, 1 and 2.
bool is_second(const BuiltinCall& c, Control argument, std::string_view what) {
  const double value = scalar_of(c[argument]).known;
  if (value != 1.0 && value != 2.0) c.machine.reject(c.name, what, value, "1 or 2");
  return value == 2.0;
}

double absolute(const BuiltinCall& c, Control argument, std::string_view what) {
  if (size_of(c[argument]) != size_of(c[kInitial])) {
    c.machine.fail(fmt::format("{}: there are {} elements of the {} for {} states", c.name,
                               size_of(c[argument]), what, size_of(c[kInitial])));
  }
  return positive(c, argument, what);
}

// Elements share the smallest absolute tolerance. The integral is as good as the steps of the
// adjoint equation are, so these keep its tolerances, too. The solution between its steps is always
// by their own polynomials, and all steps are kept: no checkpoints are needed.
void take_control(const BuiltinCall& c, OdeProblem& problem) {
  const auto method = [&](Control argument, std::string_view what) {
    return is_second(c, argument, what) ? OdeMethod::bdf : OdeMethod::adams;
  };
  positive(c, kCheckpointSteps, "number of steps between checkpoints");
  problem.method = method(kForwardSolver, "forward solver");
  problem.tolerance = {positive(c, kForwardRelative, "forward relative tolerance"),
                       absolute(c, kForwardAbsolute, "forward absolute tolerance"),
                       max_steps(c, kMaxSteps)};
  graph::OdeBackward backward;
  backward.method = method(kBackwardSolver, "backward solver");
  backward.tolerance = {
      std::min(positive(c, kBackwardRelative, "backward relative tolerance"),
               positive(c, kQuadratureRelative, "quadrature's relative tolerance")),
      std::min(absolute(c, kBackwardAbsolute, "backward absolute tolerance"),
               positive(c, kQuadratureAbsolute, "quadrature's absolute tolerance")),
      problem.tolerance.max_steps};
  is_second(c, kInterpolation, "interpolation polynomial");
  problem.backward = backward;
}

struct OdeCall : SystemCall {
  OdeCall(const BuiltinCall& c, const OdeSolver& s);
  Index num_states() const { return problem.num_states(); }
  Index num_shown() const { return num_states() - problem.algebraic; }
  void take_slopes(const BuiltinCall& c);

  const OdeSolver& solver;
  OdeProblem problem;
};

OdeCall::OdeCall(const BuiltinCall& c, const OdeSolver& s) : SystemCall(c.machine), solver(s) {
  problem.name = std::string(c.name);
  problem.method = s.method;
  if (s.settings == kControls) take_control(c, problem);
  if (s.settings != kControls) problem.tolerance = tolerance_of(c, s);
  problem.start = entry(scalar_of(c[s.start()]));
  problem.initial = entries(c[kInitial]);
  problem.times = entries(c[s.times()]);
  if (s.implicit) take_slopes(c);
  const auto& tolerance = problem.tolerance;
  key = {tolerance.relative, tolerance.absolute, double(tolerance.max_steps),
         double(problem.initial.size()), double(problem.times.size())};
  const std::size_t end = s.of_vectors ? c.size() : kArrayArguments;
  for (std::size_t k = s.rest(); k < s.rest() + s.settings; ++k) {
    for (Index i = 0; i < size_of(c[k]); ++i) key.push_back(scalar_of(c[k], i).known);
  }
  take_rest(c, s.rest() + s.settings, end, 1 + num_states());
  problem.parameters = parameters;
  problem.num_arguments = arguments.count();
}

// f(t, y, y') = 0 is solved as y' = v and 0 = f(t, y, v), which backward differentiation formulas
// do as if y' were replaced by its formula.
void OdeCall::take_slopes(const BuiltinCall& c) {
  if (size_of(c[kSlopes]) != size_of(c[kInitial])) {
    c.machine.fail(fmt::format("{}: there are {} initial slopes for {} states", c.name,
                               size_of(c[kSlopes]), size_of(c[kInitial])));
  }
  for (const auto& slope : entries(c[kSlopes])) problem.initial.push_back(slope);
  problem.algebraic = size_of(c[kSlopes]);
}

// ---- the right-hand side

std::vector<Scalar> inputs(graph::NodeId input, Index first, Index count) {
  std::vector<Scalar> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].ref = {input, static_cast<std::int32_t>(first) + static_cast<std::int32_t>(i)};
  return all;
}

// The slopes v, and f(t, y, v).
TracedSystem implicit_system(const BuiltinCall& c, const OdeCall& call) {
  const Index n = call.num_shown();
  const auto front = [n](graph::NodeId input) {
    const auto vector = [&](Index first) {
      return make_reals(BaseType::vector, {n}, inputs(input, first, n));
    };
    return std::vector<Value>{inputs(input, 0, 1)[0], vector(1), vector(1 + n)};
  };
  TracedSystem system =
      TracedSystem::of(c, call, n, front, "the residual has {} elements for {} states");
  system.size = 2 * n;
  system.make = [n, residual = system.make](Machine& inner, graph::NodeId input) {
    std::vector<Expr> elements;
    for (const Scalar& slope : inputs(input, 1 + n, n))
      elements.push_back(to_expr(slope, inner.graph()));
    const Expr values = residual(inner, input);
    for (Index i = 0; i < n; ++i) elements.push_back(values.element(i));
    return graph::pack(graph::vector_shape(2 * n), elements);
  };
  return system;
}

TracedSystem system_of(const BuiltinCall& c, const OdeCall& call) {
  if (call.solver.implicit) return implicit_system(c, call);
  const Index size = call.num_states();
  const BaseType base = call.solver.of_vectors ? BaseType::vector : BaseType::real;
  const auto front = [size, base](graph::NodeId input) {
    return std::vector<Value>{inputs(input, 0, 1)[0],
                              make_reals(base, {size}, inputs(input, 1, size))};
  };
  return TracedSystem::of(c, call, size, front,
                          "the right-hand side has {} derivatives for {} states");
}

// If f branches, its refusals are those on the paths of the solution at the reference.
Solver make_solver(const BuiltinCall& c, const OdeCall& call) {
  const TracedSystem system = system_of(c, call);
  std::vector<double> reference =
      call.reference(c.machine, scalar_of(c[call.solver.start()]), c[kInitial]);
  if (call.solver.implicit) {  // slopes stand behind time and states
    const std::vector<double> slopes = call.reference(c.machine, Scalar(0.0), c[kSlopes]);
    reference.insert(reference.begin() + 1 + call.num_shown(), slopes.begin() + 1,
                     slopes.begin() + 1 + call.num_shown());
  }
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
  if (call.solver.implicit) finite(c[kSlopes], "initial slopes");
  const std::size_t start = call.solver.start(), times = call.solver.times();
  finite(c[start], "initial time");
  finite(c[times], "times");
  if (call.problem.num_arguments > 0 && c.machine.graph() != nullptr)
    checks.finite(call.arguments.vector(), {c.name, "parameters", "finite"});
  const Index count = size_of(c[times]);
  const auto time = [&](Index k) { return to_expr(scalar_of(c[times], k), c.machine.graph()); };
  checks.greater(time(0), c.expr(start), {c.name, "first time", "greater than the initial time"});
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

// Check that fails if derivatives can't be pulled back.
std::int32_t backward_check(const BuiltinCall& c) {
  return c.machine.add_failure({.kind = FailureKind::requirement,
                                .statement = c.machine.statement(),
                                .function = std::string(c.name),
                                .argument = "time that the adjoint solution reaches, backwards,",
                                .rule =
                                    "the initial time: it takes more steps than allowed, or the "
                                    "right-hand side can't be evaluated before",
                                .text = {}});
}

Value run_ode(const BuiltinCall& c) {
  const OdeCall call(c, ode_solver_named(c.name));
  const Index count = ssize(call.problem.times), states = call.num_states();
  if (count == 0)
    c.machine.fail(fmt::format("{}: there are no times, one at least is needed", c.name));
  const BaseType base = call.solver.of_vectors ? BaseType::vector : BaseType::real;
  if (states == 0) return make_reals(base, {count, 0}, {});
  check_arguments(c, call);
  const auto solver = solver_of(c, call, [&] { return make_solver(c, call); });
  const graph::Routine& routine = *solver->routine;
  const Expr all = run_solver(c, call, *solver, routine.pulls_back() ? backward_check(c) : 0);
  check_reports(c, call, graph::part(all, routine.num_results(), routine.num_reports()),
                solver->refusals);
  std::vector<std::int32_t> shown;
  for (Index k = 0; k < count; ++k) {
    for (Index i = 0; i < call.num_shown(); ++i)
      shown.push_back(static_cast<std::int32_t>(k * states + i));
  }
  return from_expr(graph::gather(graph::vector_shape(ssize(shown)), all, shown), base,
                   {count, call.num_shown()});
}

constexpr auto kOdeRows = [] {
  std::array<Builtin, kOdeSolvers.size()> rows{};
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = {kOdeSolvers[k].name, run_ode};
  return rows;
}();
}  // namespace

std::span<const Builtin> builtins_ode() { return kOdeRows; }

}  // namespace credo::lang
