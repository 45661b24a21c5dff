// From program and data to a runnable log density: trace, sum the terms, differentiate, run the
// passes.
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "graph/core/op.hpp"
#include "graph/passes/differentiate.hpp"
#include "graph/passes/passes.hpp"
#include "graph/passes/rebuild.hpp"
#include "model/tracer.hpp"

namespace credo::model {
using lang::Expr;
namespace typed = lang::typed;

namespace {
Expr total_of(const std::vector<Expr>& summands) {
  if (summands.empty()) return 0.0;
  return graph::sum(graph::pack(graph::vector_shape(ssize(summands)), summands));
}

// The terms of one statement; only their sum is an output, so that passes may compute it in any
// way.
struct StatementSum {
  std::int32_t statement = 0;
  bool jacobian = false;
  std::vector<Expr> values;
  double dropped = 0.0;
};

std::vector<StatementSum> by_statement(std::span<const lang::Term> terms) {
  std::vector<StatementSum> sums;
  std::map<std::pair<std::int32_t, bool>, std::size_t> place;
  for (const lang::Term& term : terms) {
    const bool jacobian = is_jacobian(term);
    const auto [entry, is_new] = place.try_emplace({term.statement, jacobian}, sums.size());
    if (is_new) sums.push_back({term.statement, jacobian, {}, 0.0});
    sums[entry->second].values.push_back(term.value);
    sums[entry->second].dropped += term.dropped;
  }
  return sums;
}

// The constants in the log density that `~` drops on the sides of decisions; empty: none.
Expr varying_constants(std::span<const lang::Term> terms, const density::Query& query) {
  std::vector<Expr> all;
  for (const lang::Term& term : terms) {
    if (query.constants && query.batch == 0 && !term.varying.empty()) all.push_back(term.varying);
  }
  if (all.empty()) return {};
  return query.power == 1.0 ? total_of(all) : query.power * total_of(all);
}

// The log density, with and without Jacobian terms, and the sum of each statement.
std::vector<Expr> values(std::span<const StatementSum> sums, const density::Query& query) {
  std::vector<Expr> all, without, jacobians, totals;
  for (const StatementSum& sum : sums) {
    totals.push_back(total_of(sum.values));
    const Expr complete = query.constants ? totals.back() + sum.dropped : totals.back();
    if (query.jacobian || !sum.jacobian) all.push_back(complete);
    if (!sum.jacobian) without.push_back(complete);
    if (query.jacobian && sum.jacobian) jacobians.push_back(complete);
  }
  std::vector<Expr> outputs{total_of(all), total_of(without)};
  if (query.power != 1.0) {
    outputs[1] = query.power * outputs[1];
    outputs[0] = outputs[1] + total_of(jacobians);
  }
  outputs.insert(outputs.end(), totals.begin(), totals.end());
  return outputs;
}

void add_gradient(graph::Traced& traced, const ProgramSource& source) {
  try {
    traced.outputs.insert(
        traced.outputs.begin() + TracedDensity::kGradient,
        graph::gradient(*traced.graph, traced.outputs[0], std::array{traced.input})[0]);
  } catch (const graph::NotDifferentiable& e) {
    throw Error(ErrorCode::program, fmt::format("{} can't be differentiated", e.op),
                source.where(e.statement));
  }
}
}  // namespace

Tracer::Tracer(const ProgramParts& parts, const ModelOptions& options,
               const DiscreteParameters& sites, Statuses& statuses)
    : parts_(parts),
      options_(options),
      sites_(sites),
      statuses_(statuses),
      source_(parts.data.source()),
      discrete_(parts.parameters.discrete()),
      dimension_(parts.parameters.dimension()) {}

void Tracer::refuse_paths(const lang::Machine& machine) const {
  if (machine.key.empty()) return;
  throw Error(
      ErrorCode::program,
      "a decision on parameters takes different paths in a program with discrete parameters",
      source_.name, "write branches that only assign, or use log_mix and the like");
}

// The log density, and the one without Jacobian terms, with the discrete parameters summed out; the
// graph becomes one of the unconstrained values only.
void Tracer::sum_out(graph::Traced& traced, const lang::Machine& machine) const {
  Expr total = 0.0, jacobian = 0.0;
  for (const lang::Term& term : machine.terms) {
    if (!options_.query.jacobian && is_jacobian(term)) continue;
    const bool is_whole = term.dropped == 0.0 || !options_.query.constants;
    total = total + (is_whole ? term.value : term.value + term.dropped);
    if (is_jacobian(term)) jacobian = jacobian + term.value;
  }
  graph::Factors factors = graph::factorise(*traced.graph, total, traced.input, dimension_);
  traced.outputs = {jacobian};
  const auto where = [this](std::int32_t statement) { return source_.where(statement); };
  const auto all = std::make_shared<const DiscreteFactors>(std::move(traced), std::move(factors),
                                                           discrete_, where);
  traced = all->summed_out();
  traced.outputs[1] = traced.outputs[0] - traced.outputs[1];
  sites_.keep(all);
}

namespace {
// The graph again without the checks that depend on sites: summands stand for them.
graph::Traced without_site_checks(const graph::Graph& graph, graph::NodeId input, Index first_site,
                                  std::span<const Expr> outputs) {
  graph::Dependence depends(graph, input, first_site);
  graph::Rebuild rebuild(graph);
  for (graph::NodeId id = 0; id < graph.num_nodes(); ++id) {
    const bool is_check = graph.node(id).op->kind == graph::OpKind::check;
    if (graph.is_constant(id) || (is_check && depends.of({id, -1}) != 0)) continue;
    rebuild.copy(id);
  }
  graph::Traced traced{.graph = nullptr, .input = input, .outputs = {}};
  traced.outputs.assign(outputs.begin(), outputs.end());
  return rebuild.finish(traced);
}
}  // namespace

// Checks on sites become summands of the log densities; the graph that updates are made of is kept.
void Tracer::keep_sites(graph::Traced& traced) const {
  std::vector<Expr> outputs = std::move(traced.outputs);
  graph::Factors factors = graph::factorise(*traced.graph, outputs[TracedDensity::kLogDensity],
                                            traced.input, dimension_, graph::FactorUse::updates);
  for (const std::size_t k : {TracedDensity::kLogDensity, TracedDensity::kWithoutJacobian})
    outputs[k] = outputs[k] + factors.states;
  graph::Traced density = without_site_checks(*traced.graph, traced.input, dimension_, outputs);
  sites_.keep(std::move(traced), std::move(factors));
  traced = std::move(density);
}

// The sites' components are 0, and aren't computed.
void Tracer::keep_free_gradient(graph::Traced& traced) const {
  const Index free = dimension_, all = dimension_ + discrete_.size();
  Expr& gradient = traced.outputs[TracedDensity::kGradient];
  const Expr zeros = graph::fill(graph::vector_shape(discrete_.size()), 0.0);
  gradient = free == 0 ? zeros
                       : graph::concat(graph::vector_shape(all),
                                       std::array{part_of(gradient, 0, free), zeros});
}

// Only statement by statement are all densities seen by a watch. Differential equations are solved
// as for gradients in any case: steps that follow sensitivities, too, are other steps, and a
// value has to be that of the gradient's density.
lang::Machine Tracer::new_machine(const graph::Passes& passes, bool apart,
                                  lang::DensityWatch watch) const {
  parts_.data.require_known();
  lang::MachineOptions machine_options;
  machine_options.apart = apart;
  machine_options.watch = std::move(watch);
  const bool is_watched = machine_options.watch != nullptr;
  machine_options.constants = options_.query.constants;
  machine_options.columns = passes.has("columns") && !is_watched;
  if (passes.has("selects") && !is_watched) machine_options.selects = lang::Selects::all;
  if (discrete_.size() > 0) machine_options.first_site = dimension_;
  return parts_.data.new_machine(std::move(machine_options));
}

// Outputs 0 and 1 of the traced density, and the sums of its statements.
graph::Traced Tracer::trace_values(std::span<const double> point, lang::Machine& machine,
                                   TracedDensity& result) const {
  graph::Traced traced;
  traced.graph = std::make_unique<graph::Graph>();
  graph::Graph& graph = *traced.graph;
  traced.input = graph.add_input(graph::vector_shape(dimension_ + discrete_.size()));
  machine.trace_into(graph, traced.input, parts_.parameters.completed(point));
  try {
    parts_.parameters.set(machine, Expr(graph, {traced.input, -1}));
    machine.run(typed::BlockKind::transformed_parameters);
    machine.run(typed::BlockKind::model);
  } catch (const lang::Rejection& r) {  // on this path of decisions every point is refused
    graph::always_fails(graph, machine.add_failure(r.failure), r.value);
  }
  machine.label_terms();
  result.num_traced_nodes = graph.num_nodes();
  if (discrete_.size() > 0) refuse_paths(machine);
  AskedTerms asked;
  graph::NodeId seed = -1;  // generated quantities' seed, if rows of log_lik are left out
  if (!options_.query.without.empty() && takes_log_lik(machine))
    seed = take_off_log_lik(graph, traced.input, machine);
  else if (machine.options().apart)
    asked = keep_asked(machine, traced);
  if (sites_.are_summed_out()) {
    sum_out(traced, machine);
    return traced;
  }
  const std::vector<StatementSum> sums = by_statement(machine.terms);
  for (const StatementSum& sum : sums) result.summed_statements.push_back(sum.statement);
  traced.outputs = values(sums, options_.query);
  add_earlier(traced);
  if (options_.query.batch > 0) take_batch(traced, asked.rows, result);
  take_kept_rows(traced, asked.kept_rows, result);
  const Expr varying = varying_constants(machine.terms, options_.query);
  if (!varying.empty()) {
    result.varying = traced.outputs.size();
    traced.outputs.push_back(varying);
  }
  if (seed >= 0) return without_random_checks(std::move(traced), seed, machine);
  if (!asked.gone.empty()) traced = without_checks(std::move(traced), machine.failures, asked.gone);
  return traced;
}

std::shared_ptr<const TracedDensity> Tracer::trace(std::span<const double> point,
                                                   Order order) const {
  static constexpr MemoryUse kUse{"the graph of the program",
                                  "every turn of a loop is a part of it: write loops over data as "
                                  "operations on vectors, or give the program less data"};
  const MemoryScope memory(kUse);
  if (order == Order::pointwise && options_.after != nullptr) {  // the rows are the same
    ModelOptions options = options_;
    options.after = nullptr;
    return Tracer(parts_, options, sites_, statuses_).trace(point, order);
  }
  if (order == Order::pointwise && !options_.query.without.empty())
    require({.can = false,
             .reason = "a density without some rows reports no rows",
             .hint = "ask the model that has all of them"});
  const graph::Passes passes(options_.passes);
  lang::Machine machine = new_machine(passes, keeps_apart(order));
  auto result = std::make_shared<TracedDensity>();
  if (order == Order::pointwise && options_.query.batch > 0) {
    compile(trace_row_batch(point, machine, *result), machine, *result, order);
    return result;
  }
  if (order == Order::pointwise && prefers_log_lik()) return trace_log_lik(point);
  graph::Traced traced = trace_values(point, machine, *result);
  if (order == Order::pointwise && takes_log_lik(machine)) return trace_log_lik(point);
  if (order == Order::pointwise)
    take_rows(traced, machine, *result);
  else if (sites_.are_sampled())
    keep_sites(traced);
  compile(std::move(traced), machine, *result, order);
  return result;
}

std::shared_ptr<const TracedDensity> Tracer::trace_log_lik(std::span<const double> point) const {
  lang::Machine machine = new_machine(graph::Passes(options_.passes), false);
  auto result = std::make_shared<TracedDensity>();
  graph::Traced traced = log_lik_rows(point, machine, *result);
  compile(std::move(traced), machine, *result, Order::pointwise);
  return result;
}

// Compiles the traced graph and its gradient to a program.
void Tracer::compile(graph::Traced traced, lang::Machine& machine, TracedDensity& result,
                     Order order) const {
  const graph::Passes passes(options_.passes);
  if (options_.observe) options_.observe("trace", traced);
  traced = passes.run(std::move(traced), options_.observe);
  result.has_gradient = order == Order::gradient;
  if (result.has_gradient) {
    add_gradient(traced, source_);
    if (result.varying > 0) ++result.varying;
    if (sites_.are_sampled()) keep_free_gradient(traced);
    if (options_.query.batch > 0)
      traced.outputs[TracedDensity::kGradient] =
          part_of(traced.outputs[TracedDensity::kGradient], 0, dimension_);
    if (options_.observe) options_.observe("gradient", traced);
    traced = passes.run(std::move(traced), options_.observe);
  }
  if (order == Order::value) traced = passes.run_last(std::move(traced), options_.observe);
  result.num_nodes = traced.graph->num_nodes();
  result.program =
      std::make_unique<graph::Program>(*traced.graph, traced.input, traced.outputs,
                                       graph::ProgramOptions{.fuse = passes.has("fuse")});
  if (options_.observe_program) options_.observe_program(*result.program);
  finish(result, machine);
}

// Adds the results that the machine has beside the graph.
void Tracer::finish(TracedDensity& result, lang::Machine& machine) const {
  for (const lang::Term& term : machine.terms) {
    result.terms.push_back(
        {term.statement, term.kind, term.dropped, term.value.is_constant(), term.is_tail});
    if (options_.query.constants)
      result.dropped += is_jacobian(term) ? term.dropped : options_.query.power * term.dropped;
  }
  result.key = machine.key;
  result.loops = std::move(machine.loops);
  result.failures = std::move(machine.failures);
  for (const lang::Failure& failure : result.failures)
    result.sources.push_back(statuses_.number_of(failure));
}

}  // namespace credo::model
