#include "graph/passes/simplify_rules.hpp"

#include "base/error.hpp"
#include "graph/passes/simplify.hpp"

namespace credo::graph {
namespace {
using RuleIndex = std::unordered_map<const Op*, std::vector<const SimplifyRule*>>;

RuleIndex index_rules() {
  RuleIndex index;
  const auto all = all_simplify_rules();
  for (const Op* op : op_table()) {
    for (const SimplifyRule* rule : all) {
      const bool any = rule->row.empty() && op->kind == OpKind::elementwise;
      if (any || rule->row == op->name) index[op].push_back(rule);
    }
  }
  return index;
}
}  // namespace

std::vector<const SimplifyRule*> all_simplify_rules() {
  std::vector<const SimplifyRule*> all;
  for (const auto part : {structure_rules(), arithmetic_rules(), function_rules(), linear_rules(),
                          reduction_rules()}) {
    for (const SimplifyRule& rule : part) all.push_back(&rule);
  }
  return all;
}

std::span<const SimplifyRule* const> rules_of(const Op& op) {
  static const RuleIndex index = index_rules();
  const auto place = index.find(&op);
  if (place == index.end()) return {};
  return place->second;
}

Traced simplify(const Traced& traced) { return simplify_observed(traced, {}); }

Traced simplify_observed(const Traced& traced,
                         const std::function<void(const SimplifyRule&)>& observer) {
  const Graph& graph = *traced.graph;
  Builder builder(graph, true);
  builder.observer = observer;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) builder.place(id);
  return builder.rebuild().finish(traced);
}

}  // namespace credo::graph
