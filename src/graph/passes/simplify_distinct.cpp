// Elementwise functions of data and scalars are computed on the distinct values of the data.
//
//   sum f(x)  = counts' f(distinct x)        w' f(x) = (w summed by value)' f(distinct x)
//
// and if all elements are needed, an expensive function is gathered from its distinct
// values. Checks read one of each.
#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/simplify.hpp"
#include "graph/passes/simplify_classes.hpp"

namespace credo::graph {
namespace {

class Distinct {
 public:
  explicit Distinct(const Graph& graph) : graph_(graph), builder_(graph, true), finder_(graph) {
    const auto n = static_cast<std::size_t>(graph.num_nodes());
    costly_.resize(n), wanted_.resize(n);
  }

  Traced run(const Traced& traced, std::vector<PathNote>* notes) {
    notes_ = notes;
    measure(traced);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) place(id);
    return builder_.rebuild().finish(traced);
  }

 private:
  static std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }
  bool is_container(const Ref& ref) const {
    return ref.whole() && !graph_.shape_of(ref).is_scalar();
  }
  bool is_constant(const Ref& ref) const { return graph_.is_constant(ref.node); }

  static bool is_cheap(const Op& op) {
    static constexpr std::array kCheap{"add",  "sub",        "mul",   "neg",    "square", "abs",
                                       "less", "less_equal", "equal", "select", "fmax",   "fmin"};
    return std::any_of(kCheap.begin(), kCheap.end(), [&](auto name) { return op.name == name; });
  }

  // Finds containers whose elements are all needed: by an output, or by a user that isn't itself a function of
  // the same classes, a sum or a check.
  void measure(const Traced& traced) {
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      const Node& node = graph_.node(id);
      const bool elementwise = node.op->kind == OpKind::elementwise;
      costly_[at(id)] = elementwise && !is_cheap(*node.op);
      const bool reduced = elementwise && !graph_.is_constant(id) && has_classes(id);
      for (const Ref& ref : graph_.operands(node)) {
        if (elementwise && is_container(ref) && costly_[at(ref.node)]) costly_[at(id)] = 1;
        if (!reduced && !is_sink(node)) wanted_[at(ref.node)] = 1;
      }
    }
    for (const Expr& output : traced.outputs) {
      if (!output.is_constant()) wanted_[at(output.ref().node)] = 1;
    }
  }
  bool has_classes(NodeId id) { return finder_.classes(id) != nullptr; }

  bool is_sink(const Node& node) {
    if (node.op->kind == OpKind::check) return check_operand(node) != kNoNode;
    if (node.op == &ops::sum || is_extreme(node)) return summand_classes(node) != nullptr;
    return node.op == &ops::dot && dot_classes(node) != nullptr;
  }

  ClassesPtr summand_classes(const Node& node) {
    const Ref x = graph_.operands(node)[0];
    return is_container(x) && !is_constant(x) ? finder_.classes(x.node) : nullptr;
  }
  static bool is_extreme(const Node& node) {
    return node.op->name == "max_element" || node.op->name == "min_element";
  }

  // The container that a check reads, if one number bounds it.
  NodeId check_operand(const Node& node) {
    const auto refs = graph_.operands(node);
    if (refs.empty() || !is_container(refs[0]) || is_constant(refs[0])) return kNoNode;
    if (refs.size() > 1 && is_container(refs[1])) return kNoNode;
    return has_classes(refs[0].node) ? refs[0].node : kNoNode;
  }

  // One constant container is weights; two others need classes in common.
  ClassesPtr dot_classes(const Node& node) {
    const auto refs = graph_.operands(node);
    if (!is_container(refs[0]) || !is_container(refs[1])) return nullptr;
    if (is_constant(refs[0])) return finder_.classes(refs[1].node);
    if (is_constant(refs[1])) return finder_.classes(refs[0].node);
    const ClassesPtr a = finder_.classes(refs[0].node), b = finder_.classes(refs[1].node);
    return a == nullptr || b == nullptr ? nullptr : finder_.joined(a, b);
  }

  void place(NodeId id) {
    if (graph_.is_constant(id)) return;
    const Node& node = graph_.node(id);
    builder_.graph().statement = node.statement;
    if (node.op->kind == OpKind::check && check_operand(node) != kNoNode) return place_check(id);
    Expr value;
    if (node.op == &ops::sum) value = reduced_sum(node);
    if (node.op == &ops::dot) value = reduced_dot(node);
    if (is_extreme(node)) value = reduced_extreme(node);
    if (node.op->kind == OpKind::elementwise && wanted_[at(id)]) value = gathered(id);
    if (notes_ != nullptr) note(node, !value.empty());
    if (value.empty()) return builder_.place(id);
    builder_.rebuild().set_value(id, value);
  }

  // Notes the path of a sum of costly elements.
  void note(const Node& node, bool is_taken) {
    if (node.op != &ops::sum && node.op != &ops::dot) return;
    for (const Ref& ref : graph_.operands(node)) {
      if (!is_container(ref) || !costly_[at(ref.node)]) continue;
      PathNote own{.statement = node.statement, .rows = graph_.shape_of(ref).size()};
      if (is_taken) {
        const ClassesPtr classes = node.op == &ops::sum ? summand_classes(node) : dot_classes(node);
        own.path = "distinct", own.groups = classes->count();
      } else {
        own.because = graph_.node(first_different(ref.node)).statement;
        own.reason = "has more distinct rows than half of them";
      }
      return notes_->push_back(own);
    }
  }

  // The first node of those that compute `id` whose elements have no classes.
  NodeId first_different(NodeId id) {
    for (const Ref& ref : graph_.operands(graph_.node(id))) {
      if (!is_container(ref) || is_constant(ref) || has_classes(ref.node)) continue;
      return first_different(ref.node);
    }
    return id;
  }

  Expr counts(const Classes& classes) {
    std::vector<double> result(static_cast<std::size_t>(classes.count()), 0.0);
    for (const std::int32_t own : classes.of) result[static_cast<std::size_t>(own)] += 1.0;
    return builder_.interned(constant(vector_shape(classes.count()), result));
  }

  Expr reduced_sum(const Node& node) {
    const NodeId x = graph_.operands(node)[0].node;
    const ClassesPtr classes = summand_classes(node);
    if (classes == nullptr || wanted_[at(x)]) return {};
    return builder_.dot(counts(*classes), finder_.representatives(builder_, x, classes));
  }

  Expr reduced_extreme(const Node& node) {
    const NodeId x = graph_.operands(node)[0].node;
    const ClassesPtr classes = summand_classes(node);
    if (classes == nullptr) return {};
    return builder_.apply(*node.op, {finder_.representatives(builder_, x, classes)}, {}, Shape{});
  }

  Expr reduced_dot(const Node& node) {
    const auto refs = graph_.operands(node);
    const ClassesPtr classes = dot_classes(node);
    if (classes == nullptr) return {};
    for (std::size_t k = 0; k < 2; ++k) {
      if (!is_constant(refs[k])) continue;
      if (wanted_[at(refs[1 - k].node)]) return {};
      const Expr weights(graph_.node(refs[k].node).shape, graph_.constant(refs[k].node));
      const Expr joined = scatter_add(vector_shape(classes->count()), weights, classes->of);
      return builder_.dot(builder_.interned(joined),
                          finder_.representatives(builder_, refs[1 - k].node, classes));
    }
    if (wanted_[at(refs[0].node)] || wanted_[at(refs[1].node)]) return {};
    const Expr a = finder_.representatives(builder_, refs[0].node, classes),
               b = finder_.representatives(builder_, refs[1].node, classes);
    return builder_.dot(builder_.mul(counts(*classes), a), b);
  }

  // All elements of something costly that has at most a quarter as many values.
  Expr gathered(NodeId id) {
    const Shape shape = graph_.node(id).shape;
    if (!costly_[at(id)] || shape.is_scalar()) return {};
    const ClassesPtr classes = finder_.classes(id);
    if (classes == nullptr || 4 * classes->count() > shape.size()) return {};
    return builder_.gather(shape, finder_.representatives(builder_, id, classes), classes->of);
  }

  void place_check(NodeId id) {
    const Node& node = graph_.node(id);
    const auto refs = graph_.operands(node);
    const ClassesPtr classes = finder_.classes(refs[0].node);
    std::vector<Ref> in{
        finder_.representatives(builder_, refs[0].node, classes).ref_in(builder_.graph())};
    if (refs.size() > 1) in.push_back(builder_.operand(refs[1]).ref_in(builder_.graph()));
    Attributes attributes = graph_.attributes(node);
    if (attributes.ints.size() > 2) {
      std::vector<std::int32_t> first(static_cast<std::size_t>(classes->count()),
                                      std::numeric_limits<std::int32_t>::max());
      for (std::size_t i = 0; i < classes->of.size(); ++i) {
        std::int32_t& place = first[static_cast<std::size_t>(classes->of[i])];
        place = std::min(place, attributes.ints[i + 1]);
      }
      attributes.ints.resize(1);
      attributes.ints.insert(attributes.ints.end(), first.begin(), first.end());
    }
    const std::int32_t list = builder_.graph().add_attributes(std::move(attributes));
    builder_.rebuild().set_place(id, {builder_.graph().add(*node.op, node.shape, in, list), -1});
  }

  const Graph& graph_;
  Builder builder_;
  ClassFinder finder_;
  std::vector<PathNote>* notes_ = nullptr;
  std::vector<char> costly_;  // an elementwise function that is more than a few additions
  std::vector<char> wanted_;  // all elements are needed by someone
};
}  // namespace

Traced reduce_to_distinct(const Traced& traced, std::vector<PathNote>* notes) {
  return Distinct(*traced.graph).run(traced, notes);
}

}  // namespace credo::graph
