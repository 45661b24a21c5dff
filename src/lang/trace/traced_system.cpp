#include "lang/trace/traced_system.hpp"

#include <fmt/format.h>

namespace credo::lang {

std::vector<graph::OdeProblem::Entry> SystemCall::entries(const Value& value) {
  std::vector<graph::OdeProblem::Entry> all;
  for (Index i = 0; i < size_of(value); ++i) all.push_back(entry(scalar_of(value, i)));
  return all;
}

void SystemCall::take_rest(const BuiltinCall& c, std::size_t first, std::size_t end, Index places) {
  std::map<std::int32_t, std::int32_t> known;
  const auto place = [&](const Scalar& scalar) {
    const std::int32_t argument = arguments.number(scalar);
    if (argument < 0) return argument;
    const auto next = static_cast<std::int32_t>(places + ssize(parameters));
    const auto [own, is_new] = known.try_emplace(argument, next);
    if (is_new) parameters.push_back(argument);
    return own->second;
  };
  for (std::size_t k = first; k < end; ++k) rest.emplace_back(c[k], place);
  for (const ValueTemplate& value : rest) value.append_key(key);
}

std::vector<double> SystemCall::reference(Machine& machine, const Scalar& time,
                                          const Value& states) const {
  const std::vector<double> values = arguments.values();
  std::vector<double> point{machine.value_here(time)};
  for (Index i = 0; i < size_of(states); ++i)
    point.push_back(machine.value_here(scalar_of(states, i)));
  for (const std::int32_t argument : parameters)
    point.push_back(values[static_cast<std::size_t>(argument)]);
  return point;
}

TracedSystem TracedSystem::of(const BuiltinCall& c, const SystemCall& call, Index size, Front front,
                              std::string complaint) {
  const TracedFunction function(c.machine, std::get<typed::FunctionName>(c.call.arguments[0].node));
  auto make = [function, size, front = std::move(front), rest = call.rest,
               complaint = std::move(complaint)](Machine& inner, graph::NodeId input) {
    std::vector<Value> arguments = front(input);
    for (const ValueTemplate& value : rest) arguments.push_back(value.make(input));
    const Value result = function.call(inner, std::move(arguments));
    if (size_of(result) != size)
      inner.fail(fmt::format(fmt::runtime(complaint), size_of(result), size));
    std::vector<Expr> elements;
    for (Index i = 0; i < size; ++i)
      elements.push_back(to_expr(scalar_of(result, i), inner.graph()));
    return graph::pack(graph::vector_shape(size), elements);
  };
  return {function, std::move(make), size};
}

graph::Traced TracedSystem::trace(std::span<const double> point, Index input_size,
                                  std::vector<Failure>& failures) const {
  graph::Traced traced;
  traced.graph = std::make_unique<graph::Graph>();
  traced.input = traced.graph->add_input(graph::vector_shape(input_size));
  std::vector<double> padded(point.begin(), point.end());
  padded.resize(static_cast<std::size_t>(input_size), 0.0);
  Machine inner = function.machine(*traced.graph, traced.input, padded);
  try {
    traced.outputs = {make(inner, traced.input)};
  } catch (const Rejection& r) {  // on this path of decisions it is refused everywhere
    graph::always_fails(*traced.graph, inner.add_failure(r.failure), r.value);
    traced.outputs = {graph::fill(graph::vector_shape(size), 0.0)};
  }
  failures = std::move(inner.failures);
  return traced;
}

namespace {
// Adds the reasons for which a path may be refused. True if there are guards, and so other paths.
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

// Reports of all checks. `report`: that of a failure that isn't a guard.
template <class Report>
std::vector<std::int32_t> reports_of(const std::vector<Failure>& failures, Report report) {
  std::vector<std::int32_t> all;
  for (const Failure& failure : failures) {
    const bool is_guard = failure.kind == FailureKind::guard;
    all.push_back(is_guard ? graph::OdeFunction::kGuard
                           : static_cast<std::int32_t>(report(failure)));
  }
  return all;
}
}  // namespace

std::vector<Failure> TracedSystem::refusals(std::span<const double> reference, Failure others,
                                            const Explore& explore) const {
  std::vector<Failure> failures, all;
  trace(reference, ssize(reference), failures);
  if (add_refusals(all, failures) && explore) {
    explore([&](std::span<const double> point, Index input_size) {
      graph::OdeFunction path;
      path.traced = trace(point, input_size, failures);
      add_refusals(all, failures);
      path.reports = reports_of(failures, [](const Failure&) { return graph::kOdeRefusals; });
      return path;
    });
  }
  all.push_back(std::move(others));
  return all;
}

graph::OdeTracer tracer_of(const TracedSystem& system, const std::vector<Failure>& refusals,
                           std::int32_t first_report) {
  return [system, refusals, first_report](std::span<const double> point, Index input_size) {
    graph::OdeFunction result;
    std::vector<Failure> failures;
    result.traced = system.trace(point, input_size, failures);
    result.reports = reports_of(failures, [&](const Failure& failure) {
      const auto last = refusals.end() - 1;
      return first_report + 2 * (std::find(refusals.begin(), last, failure) - refusals.begin());
    });
    return result;
  };
}

std::shared_ptr<const Solver> solver_of(const BuiltinCall& c, const SystemCall& call,
                                        const SolverCache::Make& make) {
  // The check of derivatives isn't masked, and paths are explored from the reference point.
  if (c.machine.options().differentiable) c.machine.require_all_points();
  const auto& cache = c.machine.options().solvers;
  if (c.machine.graph() != nullptr || cache == nullptr)
    return std::make_shared<const Solver>(make());
  return cache->get(&c.call, call.key, make);
}

Expr run_solver(const BuiltinCall& c, const SystemCall& call, const Solver& solver,
                std::int32_t check) {
  const bool differentiable = c.machine.graph() != nullptr && c.machine.options().differentiable;
  return graph::apply(solver.routine, call.arguments.vector(), differentiable, check);
}

void check_refusals(const BuiltinCall& c, const std::vector<Failure>& refusals,
                    const Expr& reports) {
  const graph::Checks& checks = c.machine.checks();
  for (std::size_t k = 0; k < refusals.size(); ++k) {
    const Index at = 2 * static_cast<Index>(k);
    Expr bound = reports.element(at + 1);
    if (!checks.mask.empty()) bound = graph::select(checks.mask, bound, kInfinity);
    const std::int32_t number = c.machine.add_failure(refusals[k]);
    if (const auto refused = graph::check_less(reports.element(at), bound, number))
      throw Rejection{refusals[k], *refused};
  }
}

}  // namespace credo::lang
