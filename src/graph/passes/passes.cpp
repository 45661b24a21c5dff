#include "graph/passes/passes.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "graph/passes/rebuild.hpp"
#include "graph/passes/reroll.hpp"
#include "graph/passes/simplify.hpp"

namespace credo::graph {
namespace {

// Removes nodes that no output, no check and no input needs.
Traced remove_dead_code(const Traced& traced) {
  const Graph& graph = *traced.graph;
  std::vector<char> live(static_cast<std::size_t>(graph.num_nodes()), 0);
  live[static_cast<std::size_t>(traced.input)] = 1;
  for (const Expr& output : traced.outputs) {
    if (!output.is_constant()) live[static_cast<std::size_t>(output.ref().node)] = 1;
  }
  for (auto id = static_cast<NodeId>(graph.num_nodes()) - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::check) live[static_cast<std::size_t>(id)] = 1;
    if (!live[static_cast<std::size_t>(id)]) continue;
    for (const Ref& ref : graph.operands(node)) live[static_cast<std::size_t>(ref.node)] = 1;
  }
  Rebuild rebuild(graph);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (live[static_cast<std::size_t>(id)] && !graph.is_constant(id)) rebuild.copy(id);
  }
  return rebuild.finish(traced);
}

// Equal rows of equal operands are computed once.
Traced join_common_subexpressions(const Traced& traced) {
  const Graph& graph = *traced.graph;
  Rebuild rebuild(graph);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (graph.is_constant(id)) continue;
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::source || node.op->kind == OpKind::check) {
      rebuild.copy(id);
      continue;
    }
    const std::vector<Ref> refs = rebuild.mapped_operands(id);
    rebuild.to().statement = node.statement;
    rebuild.set_place(id,
                      {rebuild.add_once(*node.op, node.shape, refs, graph.attributes(node)), -1});
  }
  return rebuild.finish(traced);
}

const Pass columns_pass{"columns", "trace a loop body once for all its iterations", nullptr};
const Pass selects{"selects", "trace branches that only assign as choices of values", nullptr};
const Pass common{"cse", "compute equal expressions once", join_common_subexpressions};
const Pass reroll_pass{"reroll", "join instances of one operation to vectors", reroll};
const Pass dead_code{"dead-code", "remove nodes that no output and no check needs",
                     remove_dead_code};
const Pass fuse{"fuse", "run chains of operations block by block", nullptr};

const Pass balance{"balance", "add late what a recurrence waits for", balance_sums};
const Pass simplify_pass{"simplify", "apply the table of local rules", simplify};
const Pass grouped_pass{"grouped", "squared residuals by a triangular factor of each group",
                        [](const Traced& traced) { return reduce_to_groups(traced); }};
const Pass statistics{"statistics", "squared residuals by their triangular factor",
                      [](const Traced& traced) { return reduce_to_statistics(traced); }};
const Pass distinct_pass{"distinct", "compute functions of data on distinct values",
                         [](const Traced& traced) { return reduce_to_distinct(traced); }};
const Pass designs{"designs", "sums of known columns times scalars as products of a matrix", join_columns};

const Pass split_pass{"split", "compute nodes in parts if they are used in parts", split_parts};

const Pass logarithms{"logarithms", "sums that nothing differentiates take few logarithms",
                      join_logarithms};

constexpr std::array<const Pass*, 14> kTable{
    &columns_pass,  &selects,    &common,       &balance,    &reroll_pass,
    &simplify_pass, &split_pass, &grouped_pass, &statistics, &distinct_pass,
    &designs,       &logarithms, &dead_code,    &fuse};
constexpr std::array<const Pass*, 16> kOrder{
    &common,        &balance,       &reroll_pass,   &common,    &dead_code,
    &simplify_pass, &dead_code,     &split_pass,    &dead_code, &grouped_pass,
    &statistics,    &distinct_pass, &designs,       &simplify_pass, &common,
    &dead_code};
constexpr std::array<const Pass*, 2> kLast{&logarithms, &dead_code};

const Pass* find_pass(std::string_view name) {
  const auto row = std::find_if(kTable.begin(), kTable.end(),
                                [&](const Pass* pass) { return pass->name == name; });
  if (row != kTable.end()) return *row;
  std::string names;
  for (const Pass* pass : kTable) names += fmt::format(", {}", pass->name);
  throw Error(ErrorCode::usage, fmt::format("there is no pass '{}'", name), "--passes",
              "use all, none, a list of names, or all,-name; names: " + names.substr(2));
}

std::vector<std::string_view> names_in(std::string_view names) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    parts.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}
}  // namespace

std::span<const Pass* const> pass_table() { return kTable; }

Passes::Passes(std::string_view names) {
  if (names.starts_with('-')) chosen_.assign(kTable.begin(), kTable.end());
  for (const std::string_view name : names_in(names.empty() ? "all" : names)) {
    if (name == "none") continue;
    if (name == "all") {
      chosen_.assign(kTable.begin(), kTable.end());
    } else if (name.starts_with('-')) {
      std::erase(chosen_, find_pass(name.substr(1)));
    } else {
      chosen_.push_back(find_pass(name));
    }
  }
}

bool Passes::has(std::string_view name) const {
  return std::any_of(chosen_.begin(), chosen_.end(),
                     [&](const Pass* pass) { return pass->name == name; });
}

Traced Passes::run(Traced traced, const Observer& observer) const {
  return run_each(kOrder, std::move(traced), observer);
}

Traced Passes::run_last(Traced traced, const Observer& observer) const {
  return run_each(kLast, std::move(traced), observer);
}

Traced Passes::run_each(std::span<const Pass* const> order, Traced traced,
                        const Observer& observer) const {
  for (const Pass* pass : order) {
    if (!has(pass->name)) continue;
    stop_if_asked();
    traced = pass->run(traced);
    CREDO_ASSERT(verify(*traced.graph).empty(), "a pass leaves a graph in order");
    if (observer) observer(pass->name, traced);
  }
  return traced;
}

std::string verify(const Graph& graph) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    for (const Ref& ref : graph.operands(graph.node(id))) {
      if (ref.node < 0 || ref.node >= id)
        return fmt::format("%{}: operand %{} isn't before it", id, ref.node);
      if (ref.element >= graph.node(ref.node).shape.size()) {
        return fmt::format("%{}: element {} of %{} doesn't exist", id, ref.element, ref.node);
      }
    }
  }
  return {};
}

std::string dump(const Traced& traced) {
  std::string text = dump(*traced.graph);
  for (std::size_t k = 0; k < traced.outputs.size(); ++k) {
    const Expr& output = traced.outputs[k];
    if (output.is_constant()) {
      text += output.is_scalar() ? fmt::format("output {} = {}\n", k, output.value())
                                 : fmt::format("output {} = constant\n", k);
    } else if (output.ref().whole()) {
      text += fmt::format("output {} = %{}\n", k, output.ref().node);
    } else {
      text += fmt::format("output {} = %{}[{}]\n", k, output.ref().node, output.ref().element);
    }
  }
  return text;
}

}  // namespace credo::graph
