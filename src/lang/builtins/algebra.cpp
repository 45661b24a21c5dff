// Solvers of algebraic equations: solve_newton, solve_powell and the older algebra_solver forms.
// All are the damped Newton method of graph/solve/roots.hpp, one node of the density's graph; what the
// names promise is the tolerance.
#include <fmt/format.h>

#include "graph/solve/roots.hpp"
#include "lang/trace/traced_system.hpp"

namespace credo::lang {
namespace {

// Positions of the tolerances and of the function's arguments (language facts 12.5).
struct RootSolver {
  std::string_view name;
  Index max_steps;           // by default
  std::size_t tolerances;    // position of the first of three; 0 without tolerances
  std::size_t first, fixed;  // arguments of the function behind x; fixed: their number, 0: the rest
};
constexpr std::array<RootSolver, 6> kRootSolvers{{
    {"algebra_solver", 1000, 5, 2, 3},
    {"algebra_solver_newton", 200, 5, 2, 3},
    {"solve_newton", 200, 0, 2, 0},
    {"solve_newton_tol", 200, 2, 5, 0},
    {"solve_powell", 1000, 0, 2, 0},
    {"solve_powell_tol", 1000, 2, 5, 0},
}};
constexpr double kResidual = 1e-6;  // the language's default for the norm of the equations

const RootSolver& root_solver_named(std::string_view name) {
  return *std::find_if(kRootSolvers.begin(), kRootSolvers.end(),
                       [&](const RootSolver& s) { return s.name == name; });
}

void read_tolerances(const BuiltinCall& c, std::size_t first, graph::RootProblem& problem) {
  constexpr std::array<std::string_view, 3> kNames{"relative tolerance", "function tolerance",
                                                   "maximum number of steps"};
  std::array<double, 3> values{};
  for (std::size_t k = 0; k < 3; ++k) {
    values[k] = scalar_of(c[first + k]).known;
    const bool fits = k == 2 ? values[k] >= 1.0 : values[k] >= 0.0;
    if (!fits || !std::isfinite(values[k]))
      c.machine.reject(c.name, kNames[k], values[k],
                       k == 2 ? "positive and finite" : "nonnegative and finite");
  }
  problem.residual = values[1];
  problem.max_steps = static_cast<Index>(std::min(values[2], 1e9));
}

struct RootCall : SystemCall {
  explicit RootCall(const BuiltinCall& c);
  Index size() const { return ssize(problem.guess); }

  graph::RootProblem problem;
};

RootCall::RootCall(const BuiltinCall& c) : SystemCall(c.machine) {
  const RootSolver& solver = root_solver_named(c.name);
  problem.name = std::string(c.name);
  problem.residual = kResidual;
  problem.max_steps = solver.max_steps;
  if (solver.tolerances != 0 && c.size() > solver.tolerances)
    read_tolerances(c, solver.tolerances, problem);
  problem.guess = entries(c[1]);
  key = {problem.residual, double(problem.max_steps), double(problem.guess.size())};
  const std::size_t end = solver.fixed == 0 ? c.size() : solver.first + solver.fixed;
  take_rest(c, solver.first, end, 1 + size());
  problem.parameters = parameters;
  problem.num_arguments = arguments.count();
}

TracedSystem system_of(const BuiltinCall& c, const RootCall& call) {
  const Index size = call.size();
  const auto front = [size](graph::NodeId input) {
    std::vector<Scalar> x(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < x.size(); ++i) x[i].ref = {input, static_cast<std::int32_t>(1 + i)};
    return std::vector<Value>{make_reals(BaseType::vector, {size}, std::move(x))};
  };
  return TracedSystem::of(c, call, size, front, "there are {} equations for {} unknowns");
}

Solver make_solver(const BuiltinCall& c, const RootCall& call) {
  const TracedSystem system = system_of(c, call);
  const std::vector<double> reference = call.reference(c.machine, Scalar(0.0), c[1]);
  std::vector<Failure> refusals =
      system.refusals(reference, {.kind = FailureKind::requirement,
                                  .statement = c.machine.statement(),
                                  .function = std::string(c.name),
                                  .argument = "the function",
                                  .rule = "defined where the solver asks for it",
                                  .text = {}});
  auto routine = graph::make_root(call.problem, tracer_of(system, refusals, graph::kRootRefusals),
                                  ssize(refusals), reference);
  return {std::move(routine), std::move(refusals)};
}

void check_reports(const BuiltinCall& c, const RootCall& call, const Expr& reports,
                   const std::vector<Failure>& refusals) {
  const Index first = graph::kRootRefusals;
  check_refusals(c, refusals, graph::part(reports, first, reports.size() - first));
  graph::Checks& checks = c.machine.checks();
  const Index limit = call.problem.max_steps;
  checks.less_equal(
      reports.element(graph::kRootSteps), static_cast<double>(limit),
      {c.name, "number of steps", fmt::format("at most {}, the maximum number of steps", limit)});
  checks.less_equal(reports.element(graph::kRootResidual), call.problem.residual,
                    {c.name, "norm of the equations where no step makes it smaller",
                     fmt::format("at most the function tolerance {}; give another guess",
                                 call.problem.residual)});
}

Value solve(const BuiltinCall& c) {
  if (size_of(c[1]) == 0) c.machine.fail(fmt::format("{}: the guess is empty", c.name));
  c.machine.checks().finite(c.expr(1), {c.name, "guess", "finite"});
  const RootCall call(c);
  if (call.problem.num_arguments > 0 && c.machine.graph() != nullptr)
    c.machine.checks().finite(call.arguments.vector(), {c.name, "parameters", "finite"});
  const auto solver = solver_of(c, call, [&] { return make_solver(c, call); });
  const graph::Routine& routine = *solver->routine;
  const Expr all = run_solver(c, call, *solver);
  check_reports(c, call, graph::part(all, routine.num_results(), routine.num_reports()),
                solver->refusals);
  return from_expr(graph::part(all, 0, call.size()), BaseType::vector, {call.size()});
}

constexpr auto kAlgebraRows = [] {
  std::array<Builtin, kRootSolvers.size()> rows{};
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = {kRootSolvers[k].name, solve};
  return rows;
}();
}  // namespace

std::span<const Builtin> builtins_algebra() { return kAlgebraRows; }

}  // namespace credo::lang
