#include "graph/execute/row_batch.hpp"

#include "graph/core/ops.hpp"
#include "graph/ops/linear_algebra.hpp"

namespace credo::graph {
namespace {
Expr index_list(const Attributes& attributes) {
  const std::vector<double> places(attributes.ints.begin(), attributes.ints.end());
  return constant(vector_shape(ssize(places)), places);
}
}  // namespace

RowBatch::RowBatch(const Traced& from, Index num_rows, Index size, Index extra)
    : from_(from), rebuild_(*from.graph), num_rows_(num_rows) {
  const Index old_size = from.graph->node(from.input).shape.size();
  Graph& to = rebuild_.to();
  input_ = Expr(to, {to.add_input(vector_shape(old_size + size + extra)), -1});
  const auto part = [&](Index first, Index count) {
    return slice(vector_shape(count), input_, first);
  };
  numbers_ = part(old_size, size);
  rebuild_.set_value(from.input, part(0, old_size));
  for (NodeId id = 0; id < from.graph->num_nodes(); ++id) {
    if (id == from.input || from.graph->is_constant(id)) continue;
    if (from.graph->node(id).op->kind == OpKind::check)
      add_check(id);
    else
      rebuild_.copy(id);
  }
}

void RowBatch::add_check(NodeId id) {
  const Graph& graph = *from_.graph;
  const auto refs = graph.operands(graph.node(id));
  const auto is_by_row = [&](const Ref& ref) { return graph.shape_of(ref).size() == num_rows_; };
  if (num_rows_ < 2 || std::none_of(refs.begin(), refs.end(), is_by_row)) return rebuild_.copy(id);
  std::vector<Ref> in;
  for (const Ref& ref : refs) {
    const Expr x = is_by_row(ref) ? at(ref, numbers_) : rebuild_.mapped_expr(ref);
    in.push_back(x.ref_in(rebuild_.to()));
  }
  const std::int32_t attributes = rebuild_.to().add_attributes(graph.attributes(graph.node(id)));
  rebuild_.to().add(*graph.node(id).op, graph.node(id).shape, in, attributes);
}

Expr RowBatch::whole(const Expr& value) const {
  return value.is_constant() ? value : rebuild_.mapped_expr(value.ref()).reshaped(value.shape());
}

Expr RowBatch::rows(const Expr& value) {
  if (value.is_constant()) return value.is_scalar() ? value : take(value, numbers_);
  return at(value.ref(), numbers_);
}

// The elements of a value at the places, a vector; one number is the same everywhere.
Expr RowBatch::at(const Ref& ref, const Expr& places) {
  const Graph& graph = *from_.graph;
  if (graph.shape_of(ref).size() == 1 || !ref.whole()) return rebuild_.mapped_expr(ref);
  if (graph.is_constant(ref.node))
    return take(Expr(graph.node(ref.node).shape, graph.constant(ref.node)), places);
  const Key key(ref.node, places.ref().node, places.ref().element);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const Expr value = computed_at(ref.node, places);
  return known_.emplace(key, value).first->second;
}

Expr RowBatch::computed_at(NodeId id, const Expr& places) {
  const Graph& graph = *from_.graph;
  const Node& node = graph.node(id);
  const auto refs = graph.operands(node);
  rebuild_.to().statement = node.statement;
  if (node.op->kind == OpKind::elementwise) {
    std::vector<Expr> in;
    for (const Ref& ref : refs) in.push_back(at(ref, places));
    return apply(*node.op, in, graph.attributes(node));
  }
  if (node.op == &ops::broadcast) return rebuild_.mapped_expr(refs[0]);
  if (node.op == &ops::gather) return at(refs[0], take(index_list(graph.attributes(node)), places));
  if (node.op->name == "take") return take(rebuild_.mapped_expr(refs[0]), at(refs[1], places));
  if (node.op == &ops::matmul) return product_at(id, places);
  return take(rebuild_.mapped_expr({id, -1}), places);
}

// Rows of a matrix of numbers times a vector.
Expr RowBatch::product_at(NodeId id, const Expr& places) {
  const Graph& graph = *from_.graph;
  const auto& size =
      graph.attributes(graph.node(id)).ints;  // rows, inner, cols, transpose_a, ..._b
  const auto refs = graph.operands(graph.node(id));
  const Index rows = size[0], inner = size[1], count = places.size();
  const bool fits = size[2] == 1 && graph.is_constant(refs[0].node) && refs[0].whole();
  if (!fits) return take(rebuild_.mapped_expr({id, -1}), places);
  const bool transposed = size[3] != 0;
  std::vector<std::int32_t> which;  // source index of each element of the batch's matrix
  std::vector<double> offset;
  for (Index k = 0; k < inner; ++k) {
    for (Index i = 0; i < count; ++i) {
      which.push_back(static_cast<std::int32_t>(i));
      offset.push_back(static_cast<double>(transposed ? k : k * rows));
    }
  }
  const Shape shape = vector_shape(count * inner);
  const Expr repeated =
      count == 1 ? broadcast(shape, places.element(0)) : gather(shape, places, std::move(which));
  const Expr elements =
      repeated * (transposed ? static_cast<double>(inner) : 1.0) + constant(shape, offset);
  const Expr matrix(graph.node(refs[0].node).shape, graph.constant(refs[0].node));
  const Expr batch = take(matrix, elements).reshaped(matrix_shape(count, inner));
  const Expr vector = rebuild_.mapped_expr(refs[1]).reshaped(vector_shape(inner));
  const Expr product = matmul(batch, vector);
  return count == 1 ? product.element(0) : product.reshaped(vector_shape(count));
}

Traced RowBatch::finish(std::vector<Expr> outputs) {
  const NodeId input = input_.ref().node;
  return {.graph = rebuild_.release(), .input = input, .outputs = std::move(outputs)};
}

}  // namespace credo::graph
