#include "graph/factors/curvature_pairs.hpp"

#include "graph/core/op.hpp"

namespace credo::graph {
namespace {
constexpr std::size_t kWidestSummand = 1024;  // a summand on more sites makes the matrix dense
constexpr std::size_t kPairsAtOnce = 8'000'000;

class PairFinder {
 public:
  PairFinder(const Graph& graph, NodeId input, std::vector<std::int32_t> site_of)
      : graph_(graph),
        depends_(graph, input, std::move(site_of), kWidestSummand),
        is_expanded_(static_cast<std::size_t>(graph.num_nodes()), 0) {}

  CurvaturePairs run(Ref target) {
    push(target);
    while (!waiting_.empty() && !found_.is_dense) {  // sums of recurrences are deep: no recursion
      const Ref ref = waiting_.back();
      waiting_.pop_back();
      take(ref);
    }
    if (found_.is_dense) return {.pairs = {}, .is_dense = true};
    settle();
    return std::move(found_);
  }

 private:
  bool is_free(Ref ref) const { return !depends_.on_any(ref); }
  void push(Ref ref) {
    if (!is_free(ref)) waiting_.push_back(ref);
  }

  void take(Ref ref) {
    const Node& node = graph_.node(ref.node);
    const bool is_whole = ref.whole() || node.shape.size() == 1;
    if (!is_whole) return take_element(node, ref);
    char& is_done = is_expanded_[static_cast<std::size_t>(ref.node)];
    if (is_done != 0) return;
    is_done = 1;
    if (expand(node)) return;
    for (Index k = 0; k < node.shape.size(); ++k)
      add(depends_.of({ref.node, static_cast<std::int32_t>(k)}));
  }
  void take_element(const Node& node, Ref ref) {
    if (node.op->name == "pack")
      return push(graph_.operands(node)[static_cast<std::size_t>(ref.element)]);
    add(depends_.of(ref));
  }

  // True where the node is linear in the operands that depend on sites: these are taken in its place.
  bool expand(const Node& node) {
    const auto refs = graph_.operands(node);
    const std::string_view row = node.op->name;
    const auto all = [&](std::span<const Ref> linear) {
      for (const Ref& ref : linear) push(ref);
      return true;
    };
    for (const std::string_view linear :
         {"add", "sub", "neg", "sum", "pack", "concat", "broadcast", "scatter_add"})
      if (row == linear) return all(refs);
    if (row == "mul" || row == "matmul" || row == "row_dots")
      return (is_free(refs[0]) || is_free(refs[1])) && all(refs);
    if (row == "div") return is_free(refs[1]) && all(refs);
    if (row == "select") return is_free(refs[0]) && all(refs.subspan(1));
    if (row == "dot") return take_dot(refs);
    return false;
  }

  bool take_dot(std::span<const Ref> refs) {
    if (is_free(refs[0]) || is_free(refs[1])) {
      for (const Ref& ref : refs) push(ref);
      return true;
    }
    const Index size = std::max(graph_.shape_of(refs[0]).size(), graph_.shape_of(refs[1]).size());
    for (Index k = 0; k < size; ++k) add(depends_.joined(element(refs[0], k), element(refs[1], k)));
    return true;
  }
  std::int32_t element(Ref ref, Index k) {
    const bool is_one = !ref.whole() || graph_.shape_of(ref).size() == 1;
    return depends_.of(is_one ? ref : Ref{ref.node, static_cast<std::int32_t>(k)});
  }

  void add(std::int32_t set) {
    if (set == 0 || !seen_.insert(set).second) return;
    const Sites& sites = depends_.sites(set);
    if (sites.size() > kWidestSummand) found_.is_dense = true;
    if (found_.is_dense) return;
    for (std::size_t i = 1; i < sites.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) found_.pairs.emplace_back(sites[i], sites[j]);
    if (found_.pairs.size() > kPairsAtOnce + 2 * num_settled_) settle();
  }
  void settle() {
    std::ranges::sort(found_.pairs);
    const auto rest = std::ranges::unique(found_.pairs);
    found_.pairs.erase(rest.begin(), rest.end());
    num_settled_ = found_.pairs.size();
  }

  const Graph& graph_;
  Dependence depends_;
  std::vector<char> is_expanded_;
  std::vector<Ref> waiting_;
  std::set<std::int32_t> seen_;
  CurvaturePairs found_;
  std::size_t num_settled_ = 0;
};
}  // namespace

CurvaturePairs curvature_pairs(const Graph& graph, NodeId input, const Expr& target,
                               std::vector<std::int32_t> site_of) {
  if (target.is_constant()) return {};
  return PairFinder(graph, input, std::move(site_of)).run(target.ref());
}

}  // namespace credo::graph
