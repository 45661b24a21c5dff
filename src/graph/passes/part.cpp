#include "graph/passes/part.hpp"

#include "base/error.hpp"
#include "graph/core/op.hpp"

namespace credo::graph {
namespace {
using Elements = std::vector<std::int32_t>;

// Needed elements of each node, found from the users to the operands.
class Needed {
 public:
  explicit Needed(const Graph& graph)
      : graph_(graph), marks_(static_cast<std::size_t>(graph.num_nodes())) {}

  void mark(Ref ref);
  void mark(const Expr& value) {
    if (!value.is_constant()) mark(value.ref());
  }
  void pass_on();
  bool any(NodeId id) const { return !marks_[static_cast<std::size_t>(id)].empty(); }
  Elements elements(NodeId id) const;

 private:
  void mark(const Ref& ref, std::int32_t element) {  // in a whole node, or the scalar
    mark(ref.whole() ? Ref{ref.node, element} : ref);
  }
  void pass_on(NodeId id);
  void elementwise(std::span<const Ref> refs, std::span<const std::int32_t> needed);

  const Graph& graph_;
  std::vector<std::vector<char>> marks_;  // empty: none
};

void Needed::mark(Ref ref) {
  auto& marks = marks_[static_cast<std::size_t>(ref.node)];
  if (marks.empty()) marks.assign(static_cast<std::size_t>(graph_.node(ref.node).shape.size()), 0);
  if (marks.empty()) return;  // no elements
  if (ref.whole()) return std::fill(marks.begin(), marks.end(), 1), void();
  marks[static_cast<std::size_t>(ref.element)] = 1;
}

Elements Needed::elements(NodeId id) const {
  const auto& marks = marks_[static_cast<std::size_t>(id)];
  Elements list;
  for (std::size_t k = 0; k < marks.size(); ++k) {
    if (marks[k] != 0) list.push_back(static_cast<std::int32_t>(k));
  }
  return list;
}

void Needed::pass_on() {
  for (auto id = static_cast<NodeId>(graph_.num_nodes()) - 1; id > 0; --id) {
    if (any(id) && graph_.node(id).op->kind != OpKind::source) pass_on(id);
  }
}

void Needed::elementwise(std::span<const Ref> refs, std::span<const std::int32_t> needed) {
  for (const Ref& ref : refs) {
    if (graph_.shape_of(ref).size() == 1) {
      mark(ref);
    } else {
      for (const std::int32_t k : needed) mark(ref, k);
    }
  }
}

void Needed::pass_on(NodeId id) {
  const Node& node = graph_.node(id);
  const auto refs = graph_.operands(node);
  const auto& index = graph_.attributes(node).ints;
  const std::string_view row = node.op->name;
  const Elements needed = elements(id);
  if (node.op->kind == OpKind::elementwise) {
    elementwise(refs, needed);
  } else if (row == "pack") {
    for (const std::int32_t k : needed) mark(refs[static_cast<std::size_t>(k)]);
  } else if (row == "concat") {
    std::size_t next = 0;
    std::int32_t begin = 0;
    for (const Ref& ref : refs) {
      const auto end = begin + static_cast<std::int32_t>(graph_.shape_of(ref).size());
      for (; next < needed.size() && needed[next] < end; ++next) mark(ref, needed[next] - begin);
      begin = end;
    }
  } else if (row == "gather") {
    for (const std::int32_t k : needed) mark(refs[0], index[static_cast<std::size_t>(k)]);
  } else if (row == "scatter_add") {
    const auto& marks = marks_[static_cast<std::size_t>(id)];
    for (std::size_t k = 0; k < index.size(); ++k) {
      if (marks[static_cast<std::size_t>(index[k])] != 0)
        mark(refs[0], static_cast<std::int32_t>(k));
    }
  } else if (row == "take") {
    mark(refs[0]);
    for (const std::int32_t k : needed) mark(refs[1], k);
  } else {
    mark(Ref{id, -1});  // it is computed as a whole
    for (const Ref& ref : refs) mark(ref);
  }
}

// Builds the new graph: the needed elements of each node, as a vector if some are missing.
class Cutter {
 public:
  Cutter(const Graph& graph, NodeId input, const Needed& needed)
      : graph_(graph),
        to_(std::make_unique<Graph>()),
        values_(static_cast<std::size_t>(graph_.num_nodes())),
        kept_(values_.size()),
        places_(values_.size()) {
    input_ = to_->add_input(graph_.node(input).shape);
    values_[static_cast<std::size_t>(input)] = Expr(*to_, {input_, -1});
    for (NodeId id = 1; id < graph_.num_nodes(); ++id) {
      if (id != input && needed.any(id) && !graph_.is_constant(id)) add(id, needed.elements(id));
    }
  }

  Traced finish(std::span<const Expr> values) {
    std::vector<Expr> outputs;
    for (const Expr& value : values)
      outputs.push_back(value.is_constant() ? value : operand(value.ref()).reshaped(value.shape()));
    return {.graph = std::move(to_), .input = input_, .outputs = std::move(outputs)};
  }

 private:
  void add(NodeId id, Elements needed);
  Expr cut(const Node& node, const Elements& needed);
  Expr operand(Ref ref) const;  // the whole, or the element
  Expr elements(const Ref& ref, const Elements& wanted) const;
  Expr concatenated(const Node& node, const Elements& needed) const;
  Expr scattered(const Node& node, const Elements& needed) const;

  const Graph& graph_;
  std::unique_ptr<Graph> to_;
  NodeId input_ = kNoNode;
  std::vector<Expr> values_;      // by node
  std::vector<Elements> kept_;    // by node; none: all
  std::vector<Elements> places_;  // of the elements among those that are kept
};

void Cutter::add(NodeId id, Elements needed) {
  const Node& node = graph_.node(id);
  const auto k = static_cast<std::size_t>(id);
  to_->statement = node.statement;
  if (ssize(needed) == node.shape.size() && node.op->name == "gather") {
    // The whole gather, which may be a part of its source.
    values_[k] =
        elements(graph_.operands(node)[0], graph_.attributes(node).ints).reshaped(node.shape);
    return;
  }
  if (ssize(needed) < node.shape.size()) {
    values_[k] = cut(node, needed);
    places_[k].assign(static_cast<std::size_t>(node.shape.size()), -1);
    for (std::size_t i = 0; i < needed.size(); ++i)
      places_[k][static_cast<std::size_t>(needed[i])] = static_cast<std::int32_t>(i);
    kept_[k] = std::move(needed);
    return;
  }
  std::vector<Ref> refs;
  for (const Ref& ref : graph_.operands(node)) refs.push_back(operand(ref).ref_in(*to_));
  const std::int32_t attributes = to_->add_attributes(graph_.attributes(node));
  values_[k] = Expr(*to_, {to_->add(*node.op, node.shape, refs, attributes), -1});
}

Expr Cutter::cut(const Node& node, const Elements& needed) {
  const auto refs = graph_.operands(node);
  const Shape shape = vector_shape(ssize(needed));
  const std::string_view row = node.op->name;
  std::vector<Expr> in;
  if (node.op->kind == OpKind::elementwise) {
    for (const Ref& ref : refs)
      in.push_back(graph_.shape_of(ref).size() == 1 ? operand(ref) : elements(ref, needed));
    return apply(*node.op, in, graph_.attributes(node));
  }
  if (row == "pack") {
    for (const std::int32_t k : needed) in.push_back(operand(refs[static_cast<std::size_t>(k)]));
    return in.size() == 1 ? in[0] : pack(shape, in);
  }
  if (row == "gather") {
    Elements index;
    for (const std::int32_t k : needed)
      index.push_back(graph_.attributes(node).ints[static_cast<std::size_t>(k)]);
    return elements(refs[0], index);
  }
  if (row == "concat") return concatenated(node, needed);
  if (row == "scatter_add") return scattered(node, needed);
  return take(operand(refs[0]), elements(refs[1], needed));  // no other row is cut
}

Expr Cutter::concatenated(const Node& node, const Elements& needed) const {
  std::vector<Expr> parts;
  std::size_t next = 0;
  std::int32_t begin = 0;
  for (const Ref& ref : graph_.operands(node)) {
    const auto end = begin + static_cast<std::int32_t>(graph_.shape_of(ref).size());
    Elements wanted;
    for (; next < needed.size() && needed[next] < end; ++next)
      wanted.push_back(needed[next] - begin);
    if (!wanted.empty()) parts.push_back(ref.whole() ? elements(ref, wanted) : operand(ref));
    begin = end;
  }
  return needed.size() == 1 ? parts[0] : concat(vector_shape(ssize(needed)), parts);
}

Expr Cutter::scattered(const Node& node, const Elements& needed) const {
  const auto& index = graph_.attributes(node).ints;
  std::vector<std::int32_t> place(static_cast<std::size_t>(node.shape.size()), -1);
  for (std::size_t i = 0; i < needed.size(); ++i)
    place[static_cast<std::size_t>(needed[i])] = static_cast<std::int32_t>(i);
  Elements wanted, to;
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (place[static_cast<std::size_t>(index[k])] < 0) continue;
    wanted.push_back(static_cast<std::int32_t>(k));
    to.push_back(place[static_cast<std::size_t>(index[k])]);
  }
  if (wanted.empty()) return fill(vector_shape(ssize(needed)), 0.0);
  const Expr from = elements(graph_.operands(node)[0], wanted);
  return scatter_add(vector_shape(ssize(needed)), from, std::move(to));
}

Expr Cutter::operand(Ref ref) const {
  const auto k = static_cast<std::size_t>(ref.node);
  if (ref.node == kScalarConstants)
    return graph_.scalar_constants()[static_cast<std::size_t>(ref.element)];
  const Shape shape = graph_.node(ref.node).shape;
  if (shape.size() == 0) return constant(shape, {});
  const Expr value =
      graph_.is_constant(ref.node) ? Expr(shape, graph_.constant(ref.node)) : values_[k];
  if (ref.whole()) return value;
  const std::int32_t element =
      kept_[k].empty() ? ref.element : places_[k][static_cast<std::size_t>(ref.element)];
  return value.is_constant() ? Expr(value.value(element)) : value.element(element);
}

// These elements as a vector.
Expr Cutter::elements(const Ref& ref, const Elements& wanted) const {
  const auto k = static_cast<std::size_t>(ref.node);
  const Shape shape = vector_shape(ssize(wanted));
  const Expr value = operand({ref.node, -1});
  if (!ref.whole()) return fill(shape, 0.0) + operand(ref);  // a scalar, repeated as needed
  if (!kept_[k].empty() && kept_[k] == wanted) return value;
  Elements index;
  for (const std::int32_t i : wanted)
    index.push_back(kept_[k].empty() ? i : places_[k][static_cast<std::size_t>(i)]);
  return gather(shape, value, std::move(index));
}
}  // namespace

Traced part_of(const Graph& graph, NodeId input, std::span<const Expr> outputs) {
  Needed needed(graph);
  for (const Expr& output : outputs) needed.mark(output);
  needed.pass_on();
  return Cutter(graph, input, needed).finish(outputs);
}

std::vector<std::int32_t> inputs_of(const Graph& graph, NodeId input,
                                    std::span<const Expr> values) {
  Needed needed(graph);
  for (const Expr& value : values) needed.mark(value);
  needed.pass_on();
  return needed.elements(input);
}

}  // namespace credo::graph
