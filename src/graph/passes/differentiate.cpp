// The reverse sweep. It knows three things by name: how to add adjoints, how to undo broadcasting,
// and what to do where a container is taken in many parts; everything else comes from the rows'
// rules.
#include "graph/passes/differentiate.hpp"

#include "base/error.hpp"
#include "graph/core/op.hpp"
#include "graph/core/ops.hpp"

namespace credo::graph {
namespace {

// The adjoint of one node while the sweep collects it: contributions to the whole, and to single
// elements.
struct Adjoint {
  std::vector<Expr> whole;
  std::map<std::int32_t, std::vector<Expr>> elements;
  bool empty() const { return whole.empty() && elements.empty(); }
};

// The gathers that take elements of one node.
struct Parts {
  Index count = 0, elements = 0;
  // True if the adjoints of all gathers, each as long as the node, are much longer than node and elements.
  bool are_many(Index size) const { return count * size > 8 * (size + elements); }
};

class Sweep {
 public:
  Sweep(Graph& graph, NodeId end) : graph_(graph), adjoints_(static_cast<std::size_t>(end)) {}
  void mark_dependants(std::span<const NodeId> inputs);
  void seed(const Expr& output) { contribute(output.ref(), 1.0); }
  void run();
  Expr collected(NodeId id);
  Expr collected_scalar_or_whole(NodeId id);  // one number where all elements have that adjoint

 private:
  void visit(NodeId id);
  void gather_of_many(NodeId id, Ref source);
  void elementwise(const Node& node, std::span<const Expr> in, const Expr& out, const Expr& grad);
  void chosen(const Node& node, std::span<const Expr> in, const Expr& out, const Expr& grad);
  void contribute(Ref target, Expr adjoint);
  bool wanted(Ref ref) const { return depends_[static_cast<std::size_t>(ref.node)]; }

  Graph& graph_;
  std::vector<Adjoint> adjoints_;
  std::vector<char> depends_;
  std::unordered_map<NodeId, Parts> parts_;
};

// Adds few terms in their order, and many by the sum row.
Expr add_up(std::vector<Expr>& terms, bool scalars = true) {
  constexpr std::size_t kMany = 8;
  if (terms.size() >= kMany && scalars) return sum(pack(vector_shape(ssize(terms)), terms));
  Expr total = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) total = total + terms[i];
  return total;
}

bool is_scalar_value(const Expr& x, double value) {
  return x.is_constant() && x.is_scalar() && x.value() == value;
}

Expr scaled(const Expr& grad, const Expr& partial) {
  if (is_scalar_value(partial, 1.0)) return grad;
  if (is_scalar_value(partial, -1.0)) return -grad;
  if (is_scalar_value(grad, 1.0)) return partial;
  return grad * partial;
}

// d out / d scalar, summed over the elements the scalar was repeated to.
Expr scaled_sum(const Expr& grad, const Expr& partial, Index repeats) {
  if (!grad.is_scalar() && !partial.is_scalar()) return dot(grad, partial);
  if (grad.is_scalar() && partial.is_scalar())
    return scaled(static_cast<double>(repeats) * grad, partial);
  return scaled(sum(grad), sum(partial));
}

void Sweep::mark_dependants(std::span<const NodeId> inputs) {
  depends_.assign(adjoints_.size(), 0);
  for (const NodeId id : inputs) depends_[static_cast<std::size_t>(id)] = 1;
  for (std::size_t id = 0; id < adjoints_.size(); ++id) {
    const Node& node = graph_.node(static_cast<NodeId>(id));
    for (const Ref& ref : graph_.operands(node)) {
      if (!wanted(ref)) continue;
      depends_[id] = 1;
      if (node.op != &ops::gather || !ref.whole()) continue;
      Parts& parts = parts_[ref.node];
      ++parts.count, parts.elements += node.shape.size();
    }
  }
}

void Sweep::contribute(Ref target, Expr adjoint) {
  if (adjoint.empty() || is_scalar_value(adjoint, 0.0)) return;
  Adjoint& sink = adjoints_[static_cast<std::size_t>(target.node)];
  if (target.whole()) {
    sink.whole.push_back(std::move(adjoint));
  } else {
    sink.elements[target.element].push_back(std::move(adjoint));
  }
}

Expr Sweep::collected(NodeId id) {
  const Shape shape = graph_.node(id).shape;
  const Expr total = collected_scalar_or_whole(id);
  return total.is_scalar() && !shape.is_scalar() ? broadcast(shape, total) : total;
}

Expr Sweep::collected_scalar_or_whole(NodeId id) {
  Adjoint& adjoint = adjoints_[static_cast<std::size_t>(id)];
  const Shape shape = graph_.node(id).shape;
  if (adjoint.empty()) return 0.0;
  std::vector<Expr> terms = std::move(adjoint.whole);
  if (!adjoint.elements.empty()) {
    std::vector<Expr> parts(static_cast<std::size_t>(shape.size()), Expr(0.0));
    for (auto& [element, list] : adjoint.elements)
      parts[static_cast<std::size_t>(element)] = add_up(list);
    terms.push_back(pack(shape, parts));
  }
  Expr total = add_up(terms, shape.is_scalar());
  adjoint = {};
  adjoint.whole.push_back(total);
  return total;
}

void Sweep::run() {
  for (auto id = static_cast<NodeId>(adjoints_.size()) - 1; id >= 0; --id) {
    if (depends_[static_cast<std::size_t>(id)] && !adjoints_[static_cast<std::size_t>(id)].empty())
      visit(id);
  }
}

void Sweep::visit(NodeId id) {
  const Node node = graph_.node(id);
  const Op& op = *node.op;
  if (op.kind == OpKind::source || op.kind == OpKind::check) return;
  if (op.order == 0 || op.rule == nullptr) throw NotDifferentiable{op.name, node.statement};
  graph_.statement = node.statement;
  const auto refs = graph_.operands(node);
  const std::vector<Ref> operands(refs.begin(), refs.end());  // the graph grows below
  const auto parts = &op == &ops::gather ? parts_.find(operands[0].node) : parts_.end();
  if (parts != parts_.end() && parts->second.are_many(graph_.shape_of(operands[0]).size()))
    return gather_of_many(id, operands[0]);
  std::vector<Expr> in;
  in.reserve(operands.size());
  for (const Ref& ref : operands) in.emplace_back(graph_, ref);
  const Expr out(graph_, Ref{id, -1});
  if (op.kind == OpKind::elementwise)
    return elementwise(node, in, out, collected_scalar_or_whole(id));
  const Expr grad = collected(id);
  const Attributes attributes = graph_.attributes(node);
  const std::vector<Expr> adjoints =
      op.rule({.in = in, .out = out, .grad = grad, .attributes = &attributes});
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (wanted(operands[k])) contribute(operands[k], adjoints[k]);
  }
}

// A row of the adjoint's length for each gather would make the cost quadratic; elements don't.
void Sweep::gather_of_many(NodeId id, Ref source) {
  const Expr grad = collected_scalar_or_whole(id);
  const std::vector<std::int32_t> index = graph_.attributes(graph_.node(id)).ints;
  for (std::size_t k = 0; k < index.size(); ++k) {
    contribute({source.node, index[k]},
               grad.is_scalar() ? grad : grad.element(static_cast<Index>(k)));
  }
}

void Sweep::elementwise(const Node& node, std::span<const Expr> in, const Expr& out,
                        const Expr& grad) {
  if (node.op->adjoint != nullptr) return chosen(node, in, out, grad);
  const auto refs = graph_.operands(node);
  const std::vector<Ref> operands(refs.begin(), refs.end());
  const std::vector<Expr> partials =
      node.op->rule({.in = in, .out = out, .grad = {}, .attributes = nullptr});
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!wanted(operands[k]) || partials[k].empty()) continue;
    const bool repeated = in[k].is_scalar() && !node.shape.is_scalar();
    contribute(operands[k], repeated ? scaled_sum(grad, partials[k], node.shape.size())
                                     : scaled(grad, partials[k]));
  }
}

// For operations that define the adjoints of their operands themselves (Op::adjoint).
void Sweep::chosen(const Node& node, std::span<const Expr> in, const Expr& out, const Expr& grad) {
  const auto refs = graph_.operands(node);
  const std::vector<Ref> operands(refs.begin(), refs.end());
  const Shape shape = node.shape;
  const std::vector<Expr> adjoints =
      node.op->adjoint({.in = in, .out = out, .grad = grad, .attributes = nullptr});
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!wanted(operands[k]) || adjoints[k].empty()) continue;
    const bool repeated = in[k].is_scalar() && !shape.is_scalar();
    if (!repeated)
      contribute(operands[k], adjoints[k]);
    else if (adjoints[k].is_scalar())
      contribute(operands[k], static_cast<double>(shape.size()) * adjoints[k]);
    else
      contribute(operands[k], sum(adjoints[k]));
  }
}
}  // namespace

std::vector<Expr> gradient(Graph& graph, const Expr& output, std::span<const NodeId> inputs) {
  CREDO_ASSERT(output.is_scalar(), "the gradient of a scalar");
  std::vector<Expr> result;
  if (output.is_constant()) {
    for (const NodeId id : inputs) result.push_back(fill(graph.node(id).shape, 0.0));
    return result;
  }
  const std::int32_t statement = graph.statement;
  Sweep sweep(graph, static_cast<NodeId>(graph.num_nodes()));
  sweep.mark_dependants(inputs);
  sweep.seed(output);
  sweep.run();
  for (const NodeId id : inputs) result.push_back(sweep.collected(id));
  graph.statement = statement;
  return result;
}

Expr hessian_vector(Graph& graph, const Expr& output, NodeId input, const Expr& direction) {
  const std::array inputs{input};
  const Expr first = gradient(graph, output, inputs)[0];
  return gradient(graph, dot(first, direction), inputs)[0];
}

}  // namespace credo::graph
