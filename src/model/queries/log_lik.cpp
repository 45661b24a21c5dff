// Rows of the likelihood that the program computes itself: the elements of a generated quantity or transformed
// parameter called log_lik. They are used if a query prefers them, or if the statements of the model block give no
// rows (docs/design/queries.md).
#include "base/error.hpp"
#include "graph/core/op.hpp"
#include "graph/passes/rebuild.hpp"
#include "model/tracer.hpp"

namespace credo::model {
using lang::Expr;
namespace typed = lang::typed;
namespace {
constexpr const char* kName = "log_lik";

// The statement that declares it.
std::int32_t declaration_of(const typed::Program& program) {
  for (const typed::Block* block : {&program.transformed_parameters, &program.generated_quantities})
    for (const typed::Statement& s : block->statements) {
      const auto* d = std::get_if<typed::Declaration>(&s.node);
      if (d != nullptr && d->name == kName) return s.id;
    }
  return 0;
}

// The nodes that depend on this one.
std::vector<char> reached_from(const graph::Graph& graph, graph::NodeId source) {
  std::vector<char> reached(static_cast<std::size_t>(graph.num_nodes()), 0);
  reached[static_cast<std::size_t>(source)] = 1;
  for (graph::NodeId id = source + 1; id < graph.num_nodes(); ++id)
    for (const graph::Ref ref : graph.operands(graph.node(id)))
      if (reached[static_cast<std::size_t>(ref.node)] != 0)
        reached[static_cast<std::size_t>(id)] = 1;
  return reached;
}
}  // namespace

std::vector<Index> Tracer::log_lik_columns() const {
  const std::optional<Index> variable = parts_.outputs.layout.find_variable(kName);
  if (!variable || declaration_of(source_.program) == 0) return {};
  std::vector<Index> columns(static_cast<std::size_t>(
      parts_.outputs.layout.variables()[static_cast<std::size_t>(*variable)].size()));
  std::iota(columns.begin(), columns.end(), parts_.outputs.layout.first(*variable));
  return columns;
}

bool Tracer::can_take_log_lik() const {
  const bool is_whole = options_.query.terms == density::Terms::all && options_.query.batch == 0;
  return is_whole && discrete_.size() == 0 && dimension_ > 0 && !log_lik_columns().empty();
}

// True for queries that prefer log_lik. A scalar log_lik is the sum of the rows and gives no rows.
bool Tracer::prefers_log_lik() const {
  if (options_.query.rows_by != density::RowsBy::own_first || !can_take_log_lik()) return false;
  const Index variable = *parts_.outputs.layout.find_variable(kName);
  return !parts_.outputs.layout.variables()[static_cast<std::size_t>(variable)].dims.empty();
}

// The seed of generated quantities is a node, so that it is seen what random numbers enter: rows that
// they enter, or decide upon, are refused; their checks don't matter to the rows.
graph::Traced Tracer::log_lik_rows(std::span<const double> point, lang::Machine& machine,
                                   TracedDensity& result) const {
  const std::vector<Index> columns = log_lik_columns();
  graph::Traced traced{.graph = std::make_unique<graph::Graph>(), .input = 0, .outputs = {}};
  graph::Graph& graph = *traced.graph;
  traced.input = graph.add_input(graph::vector_shape(dimension_));
  const Expr all(graph, {traced.input, -1});
  const Expr seed = 0.0 * all.element(0);
  machine.set_seed({seed, seed});
  machine.trace_into(graph, traced.input, point);
  try {
    parts_.parameters.set(machine, all);
    machine.run(typed::BlockKind::transformed_parameters);
    machine.run(typed::BlockKind::generated_quantities);
    traced.outputs = {parts_.outputs.row(machine, graph, {.columns = columns})};
  } catch (const lang::Rejection& r) {  // on this path of decisions every point is refused
    graph::always_fails(graph, machine.add_failure(r.failure), r.value);
    traced.outputs = {graph::fill(graph::vector_shape(ssize(columns)), 0.0)};
  }
  result.rows = {{declaration_of(source_.program), ssize(columns)}};
  result.num_rows = ssize(columns);
  result.has_own_rows = true;
  return without_random_checks(std::move(traced), seed.ref_in(graph).node, machine);
}

// A term that takes rows of log_lik away from the target; returns the node of the seed.
graph::NodeId Tracer::take_off_log_lik(graph::Graph& graph, graph::NodeId input,
                                       lang::Machine& machine) const {
  const std::vector<Index> columns = log_lik_columns();
  const std::vector<Index>& without = options_.query.without;
  require_row(without.back(), ssize(columns));
  const Expr seed = 0.0 * Expr(graph, {input, -1}).element(0);
  machine.set_seed({seed, seed});
  try {
    machine.run(typed::BlockKind::generated_quantities);
    std::vector<Index> left_out;
    for (const Index row : without) left_out.push_back(columns[static_cast<std::size_t>(row)]);
    const Expr rows = parts_.outputs.row(machine, graph, {.columns = left_out});
    machine.terms.push_back({.value = -graph::sum(rows),
                             .statement = declaration_of(source_.program),
                             .kind = lang::TermKind::likelihood});
  } catch (const lang::Rejection& r) {  // on this path of decisions every point is refused
    graph::always_fails(graph, machine.add_failure(r.failure), r.value);
  }
  return seed.ref_in(graph).node;
}

graph::Traced Tracer::without_random_checks(graph::Traced traced, graph::NodeId seed,
                                            const lang::Machine& machine) const {
  const graph::Graph& graph = *traced.graph;
  const std::vector<char> random = reached_from(graph, seed);
  const auto refuse = [&](const char* reason) {
    require({.can = false,
             .reason = reason,
             .where = source_.where(declaration_of(source_.program)),
             .hint =
                 "compute log_lik from parameters and data alone; or --rows statements takes the "
                 "rows of the density statements"});
  };
  const Expr& rows = traced.outputs[0];
  if (!rows.is_constant() && random[static_cast<std::size_t>(rows.ref_in(*traced.graph).node)] != 0)
    refuse("random numbers enter log_lik");
  graph::Rebuild rebuild(graph);
  for (graph::NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (graph.is_constant(id)) continue;
    const bool is_random_check = graph.node(id).op->kind == graph::OpKind::check &&
                                 random[static_cast<std::size_t>(id)] != 0;
    if (!is_random_check) {
      rebuild.copy(id);
      continue;
    }
    const auto number = static_cast<std::size_t>(graph.attributes(graph.node(id)).ints[0]);
    if (machine.failures[number - 1].kind == lang::FailureKind::guard)
      refuse("random numbers decide what generated quantities compute, log_lik among them");
  }
  return rebuild.finish(traced);
}

}  // namespace credo::model
