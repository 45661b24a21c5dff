#include "graph/factors/degree.hpp"

#include "graph/core/op.hpp"

namespace credo::graph {
namespace {

class Degrees {
 public:
  Degrees(const Graph& graph, NodeId input, std::span<const char> is_of_block)
      : graph_(graph),
        input_(input),
        is_of_block_(is_of_block),
        known_(static_cast<std::size_t>(graph.num_nodes()), 0) {
    for (NodeId id = 0; id < graph.num_nodes(); ++id) known_[at(id)] = of_node(id);
  }

  int of(const Ref& ref) const {
    if (ref.node < 0) return 0;  // a number that is no node
    if (ref.node != input_) return known_[at(ref.node)];
    if (!ref.whole()) return is_of_block_[at(ref.element)] != 0 ? 1 : 0;
    return std::ranges::any_of(is_of_block_, [](char own) { return own != 0; }) ? 1 : 0;
  }

 private:
  template <class I>
  static std::size_t at(I id) {
    return static_cast<std::size_t>(id);
  }

  int of_node(NodeId id) const {
    const Node& node = graph_.node(id);
    if (graph_.is_constant(id) || node.op->kind == OpKind::source || node.op->kind == OpKind::check)
      return 0;
    const auto refs = graph_.operands(node);
    int sum = 0, largest = 0;
    for (const Ref& ref : refs) sum += of(ref), largest = std::max(largest, of(ref));
    return largest == 0 ? 0 : std::min(kAboveTwo, of_row(node, refs, sum, largest));
  }

  int of_row(const Node& node, std::span<const Ref> refs, int sum, int largest) const {
    const std::string_view row = node.op->name;
    for (const std::string_view linear : {"add", "sub", "neg", "sum", "pack", "concat", "broadcast",
                                          "scatter_add", "cumulative_sum"})
      if (row == linear) return largest;
    if (row == "gather") return of_gather(node, refs[0]);
    for (const std::string_view product : {"mul", "dot", "matmul", "row_dots"})
      if (row == product) return sum;
    if (row == "square") return 2 * largest;
    if (row == "div") return of(refs[1]) == 0 ? largest : kAboveTwo;
    if (row == "solve_lower" || row == "select") return of(refs[0]) == 0 ? largest : kAboveTwo;
    return kAboveTwo;
  }

  int of_gather(const Node& node, const Ref& from) const {
    if (from.node != input_ || !from.whole()) return of(from);
    return std::ranges::any_of(graph_.attributes(node).ints, [&](std::int32_t element) {
             return is_of_block_[at(element)] != 0;
           })
               ? 1
               : 0;
  }

  const Graph& graph_;
  NodeId input_;
  std::span<const char> is_of_block_;
  std::vector<int> known_;
};
}  // namespace

int degree_in_block(const Graph& graph, NodeId input, const Expr& target,
                    std::span<const char> is_of_block) {
  return target.is_constant() ? 0 : Degrees(graph, input, is_of_block).of(target.ref());
}

}  // namespace credo::graph
