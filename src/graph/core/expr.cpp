#include "graph/core/expr.hpp"

#include "base/error.hpp"
#include "graph/core/gates.hpp"
#include "graph/core/op.hpp"
#include "graph/core/ops.hpp"

namespace credo::graph {
namespace {
Shape result_shape(const Op& op, std::span<const Expr> in, const Attributes& attributes);
Graph* common_graph(std::span<const Expr> in);
Expr compute(const Op& op, std::span<const Expr> in, Shape shape, const Attributes& attributes);
Expr add_node(Graph& graph, const Op& op, std::span<const Expr> in, Shape shape,
              Attributes attributes);
}  // namespace

Expr::Expr(Shape shape, Buffer data) : data_(std::move(data)), shape_(shape), kind_(Kind::buffer) {
  CREDO_ASSERT(data_->size() == shape_.size(), "a constant fills its shape");
}

Expr::Expr(Graph& graph, Ref ref)
    : graph_(&graph), ref_(ref), shape_(graph.shape_of(ref)), kind_(Kind::node) {
  if (ref_.node == kScalarConstants) {
    *this = Expr(graph.scalar_constants()[static_cast<std::size_t>(ref.element)]);
  } else if (graph.is_constant(ref_.node)) {
    const Buffer data = graph.constant(ref_.node);
    *this = ref.whole() ? Expr(shape_, data) : Expr((*data)[ref.element]);
  }
}

double Expr::value(Index element) const {
  CREDO_ASSERT(is_constant(), "only constants have a value");
  return kind_ == Kind::scalar ? scalar_ : (*data_)[element];
}

std::span<const double> Expr::values() const {
  CREDO_ASSERT(is_constant(), "only constants have values");
  if (kind_ == Kind::scalar) return {&scalar_, 1};
  return data_->span();
}

Ref Expr::ref_in(Graph& graph) const {
  if (kind_ == Kind::scalar) return graph.scalar_constant(scalar_);
  if (kind_ == Kind::buffer) return {graph.add_constant(shape_, data_), -1};
  CREDO_ASSERT(graph_ == &graph, "an expression belongs to one graph");
  return ref_;
}

Expr Expr::element(Index i) const {
  CREDO_ASSERT(i >= 0 && i < size(), "an element of the container");
  if (kind_ == Kind::scalar || (kind_ == Kind::node && !ref_.whole())) return *this;
  Expr result = kind_ == Kind::buffer ? Expr((*data_)[i]) : *this;
  if (kind_ == Kind::node && graph_->node(ref_.node).shape.size() > 1) {
    result.ref_.element = static_cast<std::int32_t>(i);
  }
  result.shape_ = Shape{};
  result.arguments = arguments;
  return result;
}

Expr Expr::reshaped(Shape shape) const {
  CREDO_ASSERT(shape.size() == size(), "a view has as many elements");
  Expr result = *this;
  result.shape_ = shape;
  if (kind_ == Kind::buffer && shape.is_scalar()) result = Expr((*data_)[0]);
  result.arguments = arguments;
  return result;
}

Expr apply(const Op& op, std::span<const Expr> in, Attributes attributes) {
  const Shape shape = result_shape(op, in, attributes);
  Graph* graph = common_graph(in);
  Expr result = graph == nullptr ? compute(op, in, shape, attributes)
                                 : add_node(*graph, op, in, shape, std::move(attributes));
  for (const Expr& operand : in) result.arguments |= operand.arguments;
  return result;
}

Expr constant(Shape shape, std::span<const double> values) {
  if (shape.is_scalar()) return values[0];
  auto data = std::make_shared<AlignedArray>(shape.size());
  std::copy(values.begin(), values.end(), data->data());
  return {shape, std::move(data)};
}

Expr fill(Shape shape, double value) {
  if (shape.is_scalar()) return value;
  auto data = std::make_shared<AlignedArray>(shape.size());
  std::fill_n(data->data(), shape.size(), value);
  return {shape, std::move(data)};
}

namespace {
Shape elementwise_shape(std::span<const Expr> in) {
  Shape shape;
  for (const Expr& operand : in) {
    if (operand.is_scalar()) continue;
    CREDO_ASSERT(shape.is_scalar() || shape.size() == operand.size(),
                 "elementwise operands have one size");
    if (shape.is_scalar()) shape = operand.shape();
  }
  return shape;
}

Shape result_shape(const Op& op, std::span<const Expr> in, const Attributes& attributes) {
  if (op.kind == OpKind::elementwise) return elementwise_shape(in);
  if (op.kind == OpKind::check) return Shape{0, 1, 1};
  std::vector<Shape> shapes;
  shapes.reserve(in.size());
  for (const Expr& operand : in) shapes.push_back(operand.shape());
  return op.shape(shapes, attributes);
}

Graph* common_graph(std::span<const Expr> in) {
  Graph* graph = nullptr;
  for (const Expr& operand : in) {
    CREDO_ASSERT(!operand.empty(), "operands have values");
    if (operand.is_constant()) continue;
    CREDO_ASSERT(graph == nullptr || graph == operand.graph(), "expressions of one graph");
    graph = operand.graph();
  }
  return graph;
}

Index scratch_size(const Op& op, std::span<const Expr> in, const Attributes& attributes) {
  std::vector<Shape> shapes;
  for (const Expr& operand : in) shapes.push_back(operand.shape());
  return op.scratch(shapes, attributes);
}

// Runs the row's own kernel with one lane, so that folding and running give the same bits.
Expr compute(const Op& op, std::span<const Expr> in, Shape shape, const Attributes& attributes) {
  constexpr std::size_t kFew = 4;
  std::array<OperandSlot, kFew> few;
  std::vector<OperandSlot> many(in.size() > kFew ? in.size() : 0);
  OperandSlot* slots = in.size() > kFew ? many.data() : few.data();
  for (std::size_t k = 0; k < in.size(); ++k) slots[k] = {in[k].values().data(), 0, in[k].shape()};
  AlignedArray scratch;
  if (op.scratch != nullptr) scratch = AlignedArray(scratch_size(op, in, attributes));
  Call call{.operands = slots,
            .num_operands = ssize(in),
            .shape = shape,
            .scratch = scratch.data(),
            .attributes = &attributes};
  if (shape.is_scalar()) {
    double value = 0.0;
    call.out = &value;
    op.kernel()(call);
    return value;
  }
  auto data = std::make_shared<AlignedArray>(shape.size());
  call.out = data->data();
  op.kernel()(call);
  return {shape, std::move(data)};
}

Expr add_as_it_is(Graph& graph, const Op& op, std::span<const Expr> in, Shape shape,
                  Attributes attributes) {
  std::vector<Ref> operands;
  operands.reserve(in.size());
  for (const Expr& operand : in) operands.push_back(operand.ref_in(graph));
  const NodeId id = graph.add(op, shape, operands, graph.add_attributes(std::move(attributes)));
  return {graph, Ref{id, -1}};
}

// Checks aren't gated: they have no derivative, and they must see the operand itself.
Expr add_node(Graph& graph, const Op& op, std::span<const Expr> in, Shape shape,
              Attributes attributes) {
  if (graph.gates == nullptr || op.kind == OpKind::check)
    return add_as_it_is(graph, op, in, shape, std::move(attributes));
  if (!graph.gates->only_moves_outside(op, in))
    return add_as_it_is(graph, op, graph.gates->through(in), shape, std::move(attributes));
  const Expr moved = add_as_it_is(graph, op, in, shape, std::move(attributes));
  graph.gates->note_move(moved.ref().node, in);
  return moved;
}
}  // namespace

// ---- gates

Gates::Gates(Graph& graph, Expr mask)
    : graph_(graph),
      outer_(std::exchange(graph.gates, this)),
      begin_(static_cast<NodeId>(graph.num_nodes())),
      mask_(std::move(mask)) {
  CREDO_ASSERT(mask_.is_scalar(), "a side is taken or not");
}

Gates::~Gates() { graph_.gates = outer_; }

Gates::Open::Open(Graph* graph) : graph_(graph) {
  if (graph_ != nullptr) closed_ = std::exchange(graph_->gates, nullptr);
}
Gates::Open::~Open() {
  if (graph_ != nullptr) graph_->gates = closed_;
}

bool Gates::is_outside(const Expr& x) const {
  if (x.is_constant()) return false;
  const NodeId node = x.ref().node;
  return node < begin_ || moved_.contains(node);
}

bool Gates::all_outside(std::span<const Expr> operands) const {
  return std::all_of(operands.begin(), operands.end(),
                     [&](const Expr& x) { return x.is_constant() || is_outside(x); });
}

bool Gates::only_moves_outside(const Op& op, std::span<const Expr> operands) const {
  const bool moves =
      &op == &ops::pack || &op == &ops::gather || &op == &ops::concat || &op == &ops::broadcast;
  return moves && all_outside(operands);
}

// A node that only moves values from outside this side may lie inside the enclosing sides.
void Gates::note_move(NodeId id, std::span<const Expr> operands) {
  for (Gates* g = this; g != nullptr; g = g->outer_) {
    if (g->all_outside(operands)) g->moved_.insert(id);
  }
}

std::vector<Expr> Gates::through(std::span<const Expr> operands) {
  std::vector<Expr> result;
  result.reserve(operands.size());
  for (const Expr& x : operands) result.push_back(is_outside(x) ? gated(x) : x);
  return result;
}

Expr Gates::gated(const Expr& x) {
  const auto [place, is_new] = gates_.try_emplace({x.ref().node, x.ref().element});
  if (is_new) {
    const Expr from_around = outer_ != nullptr && outer_->is_outside(x) ? outer_->gated(x) : x;
    const Gates::Open open(&graph_);
    place->second = select(mask_, from_around, 1.0);
  }
  Expr result = place->second.reshaped(x.shape());
  result.arguments = x.arguments;
  return result;
}

void Gates::forget_from(NodeId id) {
  moved_.erase(moved_.lower_bound(id), moved_.end());
  std::erase_if(gates_, [&](const auto& entry) {
    return entry.second.ref().node >= id || entry.first.first >= id;
  });
  if (outer_ != nullptr) outer_->forget_from(id);
}

}  // namespace credo::graph
