// Sums of scalars, summand by summand: summands known early are added first, so that a recurrence
// waits for one addition a step and not for a chain of them.
#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/simplify.hpp"
#include "graph/passes/simplify_builder.hpp"

namespace credo::graph {
namespace {

struct Summand {
  Ref ref;
  bool negative = false;
  std::int32_t depth = 0;
};

class Balance {
 public:
  explicit Balance(const Graph& graph) : graph_(graph), builder_(graph, false) {
    const auto n = static_cast<std::size_t>(graph.num_nodes());
    depth_.resize(n), uses_.resize(n), inner_.resize(n);
  }

  Traced run(const Traced& traced) {
    measure(traced);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (inner_[at(id)]) continue;
      if (is_sum(id)) {
        place_sum(id);
      } else if (is_short_log_sum(id)) {
        place_log_sum(id);
      } else {
        builder_.place(id);
      }
    }
    return builder_.rebuild().finish(traced);
  }

 private:
  static std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }

  bool is_sum(NodeId id) const {
    const Node& node = graph_.node(id);
    if (!node.shape.is_scalar() || (node.op != rows().add && node.op != rows().sub)) return false;
    const auto refs = graph_.operands(node);
    return graph_.shape_of(refs[0]).is_scalar() && graph_.shape_of(refs[1]).is_scalar();
  }
  bool is_short_log_sum(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.op != rows().log_sum_exp_all) return false;
    const Ref x = graph_.operands(node)[0];
    return x.whole() && graph_.node(x.node).op == &ops::pack && graph_.shape_of(x).size() == 2;
  }

  // Depths, and which sums have no user but another sum of the same statement.
  void measure(const Traced& traced) {
    std::vector<NodeId> user(uses_.size(), kNoNode);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      for (const Ref& ref : graph_.operands(graph_.node(id))) {
        if (graph_.is_constant(ref.node)) continue;
        depth_[at(id)] = std::max(depth_[at(id)], depth_[at(ref.node)] + 1);
        ++uses_[at(ref.node)];
        user[at(ref.node)] = id;
      }
    }
    for (const Expr& output : traced.outputs) {
      if (!output.is_constant()) uses_[at(output.ref().node)] += 2;
    }
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      inner_[at(id)] = is_sum(id) && uses_[at(id)] == 1 && is_sum(user[at(id)]);
    }
  }

  void collect(NodeId id, bool negative, std::vector<Summand>& all) const {
    std::vector<std::pair<NodeId, bool>> open{{id, negative}};
    while (!open.empty()) {
      const auto [sum, minus] = open.back();
      open.pop_back();
      const Node& node = graph_.node(sum);
      const auto refs = graph_.operands(node);
      for (std::size_t k = 2; k-- > 0;) {
        const bool sign = minus != (k == 1 && node.op == rows().sub);
        if (!graph_.is_constant(refs[k].node) && inner_[at(refs[k].node)]) {
          open.emplace_back(refs[k].node, sign);
        } else {
          const bool known = graph_.is_constant(refs[k].node);
          all.push_back({refs[k], sign, known ? -1 : depth_[at(refs[k].node)]});
        }
      }
    }
    std::reverse(all.begin(), all.end());
  }

  void place_sum(NodeId id) {
    builder_.graph().statement = graph_.node(id).statement;
    std::vector<Summand> all;
    collect(id, false, all);
    constexpr std::size_t kMany = 64;  // shorter sums are alike in all steps of a loop
    if (all.size() >= kMany) return builder_.rebuild().set_value(id, packed(all));
    if (all.size() > 2) {
      std::stable_sort(all.begin(), all.end(),
                       [](const Summand& a, const Summand& b) { return a.depth < b.depth; });
    }
    builder_.rebuild().set_value(id, chain(all));
  }

  Expr packed(const std::vector<Summand>& all) {
    std::vector<Expr> elements;
    for (const Summand& s : all) {
      const Expr x = builder_.operand(s.ref);
      elements.push_back(s.negative ? builder_.neg(x) : x);
    }
    const Shape shape = vector_shape(ssize(elements));
    return builder_.sum(builder_.pack(shape, std::move(elements)));
  }

  // One after the other; leading subtractions are made from the first
  // summand that is added.
  Expr chain(const std::vector<Summand>& all) {
    Expr plus, minus;
    for (const Summand& s : all) {
      const Expr x = builder_.operand(s.ref);
      if (!plus.empty()) {
        plus = s.negative ? builder_.sub(plus, x) : builder_.add(plus, x);
      } else if (s.negative) {
        minus = minus.empty() ? x : builder_.add(minus, x);
      } else {
        plus = minus.empty() ? x : builder_.sub(x, minus);
      }
    }
    return plus.empty() ? builder_.neg(minus) : plus;
  }

  void place_log_sum(NodeId id) {
    const auto refs = graph_.operands(graph_.node(graph_.operands(graph_.node(id))[0].node));
    builder_.graph().statement = graph_.node(id).statement;
    const Expr a = builder_.operand(refs[0]), b = builder_.operand(refs[1]);
    builder_.rebuild().set_value(id, builder_.map(*rows().log_sum_exp, {a, b}));
  }

  const Graph& graph_;
  Builder builder_;
  std::vector<std::int32_t> depth_, uses_;
  std::vector<char> inner_;
};
}  // namespace

Traced balance_sums(const Traced& traced) { return Balance(*traced.graph).run(traced); }

}  // namespace credo::graph
