// Sums of few scalars, as the states of a hidden Markov model leave them in each step, become
// additions, and checks of few scalars, as an array of simplexes has them, become checks of one
// each: scalars of a row, which reroll joins with those of the other steps.
#include "graph/core/ops.hpp"
#include "graph/passes/rebuild.hpp"
#include "graph/passes/reroll_bundles.hpp"

namespace credo::graph {
namespace {

constexpr Index kShort = 8;
// Fewer rows of a statement stay: levels of a recurrence would be joined that are too narrow for it
// (three states, 900 sums: 13 µs for a gradient as they are, 27 µs joined).
constexpr std::size_t kManyAlike = 1000;

// Element k of a container is made there; packs and gathers only move it.
Ref element_of(const Graph& graph, Ref container, Index k) {
  Ref at{container.node, static_cast<std::int32_t>(k)};
  for (;;) {
    if (graph.is_constant(at.node) || at.whole()) return at;
    const Node& node = graph.node(at.node);
    const auto element = static_cast<std::size_t>(at.element);
    if (node.op == &ops::pack) {
      at = graph.operands(node)[element];
    } else if (node.op == &ops::gather) {
      const Ref source = graph.operands(node)[0];
      if (!source.whole()) return at;
      at = {source.node, graph.attributes(node).ints[element]};
    } else {
      return at;
    }
  }
}

class SpreadShort {
 public:
  explicit SpreadShort(const Graph& graph) : graph_(graph), rebuild_(graph) {
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (is_short(id)) ++counts_[kind_of(id)];
    }
  }
  bool is_needed() const {
    return std::ranges::any_of(counts_, [](const auto& c) { return c.second >= kManyAlike; });
  }
  Traced run(const Traced& traced) {
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (graph_.is_constant(id)) continue;
      rebuild_.to().statement = graph_.node(id).statement;
      const bool one_of_many = is_short(id) && counts_[kind_of(id)] >= kManyAlike;
      if (!one_of_many) {
        rebuild_.copy(id);
      } else if (graph_.node(id).op == &ops::sum) {
        spread_sum(id);
      } else {
        spread_check(id);
      }
    }
    return rebuild_.finish(traced);
  }

 private:
  using Kind = std::array<Index, 3>;  // statement, number of scalars, and of checks which

  Ref operand(NodeId id, std::size_t k = 0) const { return graph_.operands(graph_.node(id))[k]; }
  Index size_of(NodeId id) const { return graph_.shape_of(operand(id)).size(); }
  const std::vector<std::int32_t>& ints(NodeId id) const {
    return graph_.attributes(graph_.node(id)).ints;
  }
  Kind kind_of(NodeId id) const {
    const bool is_sum = graph_.node(id).op == &ops::sum;
    return {graph_.node(id).statement, size_of(id), is_sum ? 0 : ints(id)[0]};
  }
  bool is_short(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.op != &ops::sum && !is_check_of_vector(id)) return false;
    return operand(id).whole() && size_of(id) >= 2 && size_of(id) <= kShort;
  }
  // All at one place of the program, against one bound.
  bool is_check_of_vector(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.op->kind != OpKind::check || node.num_operands == 0 || ints(id).size() != 2)
      return false;
    return node.num_operands == 1 || graph_.shape_of(operand(id, 1)).is_scalar();
  }
  Ref term(NodeId id, Index k) { return rebuild_.mapped(element_of(graph_, operand(id), k)); }

  void spread_sum(NodeId id) {
    Expr total(rebuild_.to(), term(id, 0));
    for (Index k = 1; k < size_of(id); ++k) total = total + Expr(rebuild_.to(), term(id, k));
    rebuild_.set_value(id, total);
  }
  void spread_check(NodeId id) {
    const Node& node = graph_.node(id);
    std::vector<Ref> refs = rebuild_.mapped_operands(id);
    for (Index k = 0; k < size_of(id); ++k) {
      refs[0] = term(id, k);
      const std::int32_t list = rebuild_.to().add_attributes(graph_.attributes(node));
      rebuild_.set_place(id, {rebuild_.to().add(*node.op, node.shape, refs, list), -1});
    }
  }

  const Graph& graph_;
  Rebuild rebuild_;
  std::map<Kind, std::size_t> counts_;
};
}  // namespace

std::optional<Traced> spread_short_rows(const Traced& traced) {
  SpreadShort spread(*traced.graph);
  if (!spread.is_needed()) return std::nullopt;
  return spread.run(traced);
}

}  // namespace credo::graph
