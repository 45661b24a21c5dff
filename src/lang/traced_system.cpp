#include "lang/traced_system.hpp"

namespace credo::lang {

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

std::vector<Failure> TracedSystem::refusals(std::span<const double> reference,
                                            const BuiltinCall& c) const {
  std::vector<Failure> all, found;
  trace(reference, ssize(reference), all);
  for (Failure& failure : all) {
    if (failure.kind != FailureKind::guard) found.push_back(std::move(failure));
  }
  found.push_back({.kind = FailureKind::requirement,
                   .statement = c.machine.statement(),
                   .function = std::string(c.name),
                   .argument = "the function",
                   .rule = "defined where the solver asks for it",
                   .text = {}});
  return found;
}

graph::OdeTracer tracer_of(const TracedSystem& system, const std::vector<Failure>& refusals,
                           std::int32_t first_report) {
  return [system, refusals, first_report](std::span<const double> point, Index input_size) {
    graph::OdeFunction result;
    std::vector<Failure> failures;
    result.traced = system.trace(point, input_size, failures);
    for (const Failure& failure : failures) {
      const auto known =
          std::find(refusals.begin(), refusals.end() - 1, failure) - refusals.begin();
      const bool is_guard = failure.kind == FailureKind::guard;
      result.reports.push_back(is_guard ? graph::OdeFunction::kGuard
                                        : first_report + static_cast<std::int32_t>(2 * known));
    }
    return result;
  };
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
