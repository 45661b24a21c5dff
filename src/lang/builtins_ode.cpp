// Solvers of differential equations: integrate_ode_* and ode_*. The right-hand side is traced once
// into a graph of its own; the solution is one node of the density's graph (graph/ode.hpp).
#include <fmt/format.h>

#include "graph/ode.hpp"
#include "lang/builtins.hpp"
#include "lang/solver_cache.hpp"
#include "lang/traced_function.hpp"

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

// The call, as far as it is the same whatever the values of the arguments are.
struct OdeCall {
  OdeCall(const BuiltinCall& c, const OdeSolver& s);
  Index num_states() const { return problem.num_states(); }
  std::vector<double> reference(const BuiltinCall& c) const;  // (t, y, q)

  const OdeSolver& solver;
  RoutineArguments arguments;
  OdeProblem problem;
  std::vector<ValueTemplate> rest;  // behind time and state
  std::vector<double> key;
};

OdeProblem::Entry entry(RoutineArguments& arguments, const Scalar& scalar) {
  return {arguments.number(scalar), scalar.known};
}

OdeCall::OdeCall(const BuiltinCall& c, const OdeSolver& s) : solver(s), arguments(c.machine) {
  problem.name = std::string(c.name);
  problem.method = s.method;
  problem.tolerance = tolerance_of(c, s);
  problem.start = entry(arguments, scalar_of(c[kStart]));
  for (Index i = 0; i < size_of(c[kInitial]); ++i)
    problem.initial.push_back(entry(arguments, scalar_of(c[kInitial], i)));
  for (Index k = 0; k < size_of(c[kTimes]); ++k)
    problem.times.push_back(entry(arguments, scalar_of(c[kTimes], k)));
  // Parameters of the right-hand side stand behind time and state in its input.
  std::map<std::int32_t, std::int32_t> places;
  const auto place = [&](const Scalar& scalar) {
    const std::int32_t argument = arguments.number(scalar);
    if (argument < 0) return argument;
    const auto next = static_cast<std::int32_t>(1 + num_states() + ssize(problem.parameters));
    const auto [known, is_new] = places.try_emplace(argument, next);
    if (is_new) problem.parameters.push_back(argument);
    return known->second;
  };
  const std::size_t end = s.of_vectors ? c.size() : kArrayArguments;
  for (std::size_t k = kRest + (s.states_tolerances ? 3 : 0); k < end; ++k)
    rest.emplace_back(c[k], place);
  problem.num_arguments = arguments.count();
  const auto& tolerance = problem.tolerance;
  key = {tolerance.relative, tolerance.absolute, double(tolerance.max_steps),
         double(problem.initial.size()), double(problem.times.size())};
  for (const ValueTemplate& value : rest) value.append_key(key);
}

std::vector<double> OdeCall::reference(const BuiltinCall& c) const {
  const std::vector<double> values = arguments.values();
  std::vector<double> point{c.machine.value_here(scalar_of(c[kStart]))};
  for (Index i = 0; i < num_states(); ++i)
    point.push_back(c.machine.value_here(scalar_of(c[kInitial], i)));
  for (const std::int32_t argument : problem.parameters)
    point.push_back(values[static_cast<std::size_t>(argument)]);
  return point;
}

// ---- the right-hand side

// Traces f anywhere, any time later.
struct RightHandSide {
  RightHandSide(const BuiltinCall& c, const OdeCall& call)
      : function(c.machine, std::get<typed::FunctionName>(c.call.arguments[0].node)),
        of_vectors(call.solver.of_vectors),
        num_states(call.num_states()),
        rest(call.rest) {}

  Expr value(Machine& inner, graph::NodeId input) const;
  graph::Traced trace(std::span<const double> point, Index input_size,
                      std::vector<Failure>& failures) const;

  TracedFunction function;
  bool of_vectors;
  Index num_states;
  std::vector<ValueTemplate> rest;
};

Expr RightHandSide::value(Machine& inner, graph::NodeId input) const {
  std::vector<Scalar> state(static_cast<std::size_t>(num_states));
  Scalar time;
  time.ref = {input, 0};
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i].ref = {input, static_cast<std::int32_t>(1 + i)};
  const BaseType base = of_vectors ? BaseType::vector : BaseType::real;
  std::vector<Value> arguments{time, make_reals(base, {num_states}, std::move(state))};
  for (const ValueTemplate& value : rest) arguments.push_back(value.make(input));
  const Value result = function.call(inner, std::move(arguments));
  if (size_of(result) != num_states) {
    inner.fail(fmt::format("the right-hand side has {} derivatives for {} states", size_of(result),
                           num_states));
  }
  std::vector<Expr> elements;
  for (Index i = 0; i < num_states; ++i)
    elements.push_back(to_expr(scalar_of(result, i), inner.graph()));
  return graph::pack(graph::vector_shape(num_states), elements);
}

graph::Traced RightHandSide::trace(std::span<const double> point, Index input_size,
                                   std::vector<Failure>& failures) const {
  graph::Traced traced;
  traced.graph = std::make_unique<graph::Graph>();
  traced.input = traced.graph->add_input(graph::vector_shape(input_size));
  std::vector<double> padded(point.begin(), point.end());
  padded.resize(static_cast<std::size_t>(input_size), 0.0);
  Machine inner = function.machine(*traced.graph, traced.input, padded);
  try {
    traced.outputs = {value(inner, traced.input)};
  } catch (const Rejection& r) {  // on this path of decisions f is refused everywhere
    graph::always_fails(*traced.graph, inner.add_failure(r.failure), r.value);
    traced.outputs = {graph::fill(graph::vector_shape(num_states), 0.0)};
  }
  failures = std::move(inner.failures);
  return traced;
}

// What f may be refused for on one of its paths, added to what is known. True if there are others.
bool add_refusals(std::vector<Failure>& refusals, const std::vector<Failure>& failures) {
  bool has_guard = false;
  for (const Failure& failure : failures) {
    const bool is_guard = failure.kind == FailureKind::guard;
    has_guard = has_guard || is_guard;
    if (!is_guard && std::find(refusals.begin(), refusals.end(), failure) == refusals.end())
      refusals.push_back(failure);
  }
  return has_guard;
}

// How f can be refused, as far as it is seen where the solution at the reference goes; the last one
// stands for what later paths of it add.
std::vector<Failure> refusals_of(const RightHandSide& f, std::span<const double> reference,
                                 const OdeCall& call, std::int32_t statement) {
  std::vector<Failure> failures, refusals;
  f.trace(reference, ssize(reference), failures);
  if (add_refusals(refusals, failures)) {
    const auto explore = [&](std::span<const double> point, Index input_size) {
      graph::OdeFunction path;
      path.traced = f.trace(point, input_size, failures);
      add_refusals(refusals, failures);
      for (const Failure& failure : failures) {
        path.reports.push_back(failure.kind == FailureKind::guard ? graph::OdeFunction::kGuard
                                                                  : graph::kOdeRefusals);
      }
      return path;
    };
    const std::vector<double> arguments = call.arguments.values();
    graph::apply(graph::make_ode(call.problem, explore, 1, reference),
                 graph::constant(graph::vector_shape(ssize(arguments)), arguments), false);
  }
  refusals.push_back({.kind = FailureKind::rejected,
                      .statement = statement,
                      .function = {},
                      .argument = {},
                      .rule = {},
                      .text = call.problem.name +
                              ": the right-hand side refuses a state that the solution reaches"});
  return refusals;
}

graph::OdeTracer tracer_of(const RightHandSide& f, const std::vector<Failure>& refusals) {
  return [f, refusals](std::span<const double> point, Index input_size) {
    graph::OdeFunction result;
    std::vector<Failure> failures;
    result.traced = f.trace(point, input_size, failures);
    for (const Failure& failure : failures) {
      const auto known =
          std::find(refusals.begin(), refusals.end() - 1, failure) - refusals.begin();
      const auto report = static_cast<std::int32_t>(graph::kOdeRefusals + 2 * known);
      result.reports.push_back(failure.kind == FailureKind::guard ? graph::OdeFunction::kGuard
                                                                  : report);
    }
    return result;
  };
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
  graph::Checks& checks = c.machine.checks();
  for (std::size_t k = 0; k < refusals.size(); ++k) {
    const Index at = graph::kOdeRefusals + 2 * static_cast<Index>(k);
    Expr value = reports.element(at), bound = reports.element(at + 1);
    if (!checks.mask.empty()) bound = graph::select(checks.mask, bound, kInfinity);
    const std::int32_t number = c.machine.add_failure(refusals[k]);
    if (const auto refused = graph::check_less(value, bound, number))
      throw Rejection{refusals[k], *refused};
  }
  const Index limit = call.problem.tolerance.max_steps;
  checks.less_equal(reports.element(graph::kOdeSteps), double(limit),
                    {c.name, "number of steps to the next time",
                     fmt::format("at most {}, the maximum number of steps", limit)});
  checks.greater(reports.element(graph::kOdeReached), std::numeric_limits<double>::max(),
                 {c.name, "time that the solution reaches",
                  "the last time: it isn't finite behind, or changes too fast"});
}

Expr slice(const Expr& x, Index first, Index count) {
  std::vector<std::int32_t> index(static_cast<std::size_t>(count));
  std::iota(index.begin(), index.end(), static_cast<std::int32_t>(first));
  return graph::gather(graph::vector_shape(count), x, std::move(index));
}

// The interpreter meets the same call again and again: its numbers are arguments, the rest is kept.
std::shared_ptr<const Solver> solver_of(const BuiltinCall& c, const OdeCall& call) {
  const auto make = [&]() -> Solver {
    const RightHandSide f(c, call);
    const std::vector<double> reference = call.reference(c);
    std::vector<Failure> refusals = refusals_of(f, reference, call, c.machine.statement());
    auto routine =
        graph::make_ode(call.problem, tracer_of(f, refusals), ssize(refusals), reference);
    return {std::move(routine), std::move(refusals)};
  };
  const auto& cache = c.machine.options().solvers;
  if (c.machine.graph() != nullptr || cache == nullptr)
    return std::make_shared<const Solver>(make());
  return cache->get(&c.call, call.key, make);
}

Value run_ode(const BuiltinCall& c) {
  const OdeCall call(c, solver_named(c.name));
  const Index count = ssize(call.problem.times), states = call.num_states();
  if (count == 0)
    c.machine.fail(fmt::format("{}: there are no times, one at least is needed", c.name));
  const BaseType base = call.solver.of_vectors ? BaseType::vector : BaseType::real;
  if (states == 0) return make_reals(base, {count, 0}, {});
  check_arguments(c, call);
  const auto solver = solver_of(c, call);
  const bool differentiable = c.machine.graph() != nullptr && c.machine.options().differentiable;
  const graph::Routine& routine = *solver->routine;
  const Expr all = graph::apply(solver->routine, call.arguments.vector(), differentiable);
  check_reports(c, call, slice(all, routine.num_results(), routine.num_reports()),
                solver->refusals);
  return from_expr(slice(all, 0, count * states), base, {count, states});
}

constexpr auto kRows = [] {
  std::array<Builtin, kSolvers.size()> rows{};
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = {kSolvers[k].name, run_ode};
  return rows;
}();
}  // namespace

std::span<const Builtin> builtins_ode() { return kRows; }

}  // namespace credo::lang
