#include "graph/passes/simplify_builder.hpp"

#include <bit>

#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/simplify_rules.hpp"

namespace credo::graph {
namespace {

// Rules build with rules; an expression that keeps changing for this many levels is left alone.
constexpr int kMaxDepth = 48;

const Op* row(std::string_view name) {
  const Op* op = find_op(name);
  CREDO_ASSERT(op != nullptr, "rules name rows of the table");
  return op;
}

Attributes with_shape(Shape shape, std::vector<std::int32_t> index = {}) {
  return {std::move(index), {double(shape.batch), double(shape.rows), double(shape.cols)}};
}

Shape common_shape(std::initializer_list<Expr> in) {
  for (const Expr& x : in) {
    if (!x.is_scalar()) return x.shape();
  }
  return {};
}

// Hash of all elements: many lists, rows of zeros and ones, differ in few places.
std::size_t content_hash(std::span<const double> values) {
  std::size_t hash = values.size();
  for (const double value : values) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

bool same_bits(const AlignedArray& a, std::span<const double> b) {
  if (a.size() != ssize(b)) return false;
  for (Index i = 0; i < a.size(); ++i) {
    const auto left = std::bit_cast<std::uint64_t>(a[i]),
               right = std::bit_cast<std::uint64_t>(b[static_cast<std::size_t>(i)]);
    if (left != right) return false;
  }
  return true;
}
}  // namespace

const Rows& rows() {
  static const Rows all{.abs = row("abs"),
                        .add = row("add"),
                        .concat = &ops::concat,
                        .div = row("div"),
                        .dot = &ops::dot,
                        .exp = row("exp"),
                        .gather = &ops::gather,
                        .inv_logit = row("inv_logit"),
                        .less = row("less"),
                        .log = row("log"),
                        .log1m_exp = row("log1m_exp"),
                        .log1p = row("log1p"),
                        .log1p_exp = row("log1p_exp"),
                        .log_inv_logit = row("log_inv_logit"),
                        .log_sum_exp = row("log_sum_exp"),
                        .log_sum_exp_all = row("log_sum_exp_all"),
                        .matmul = row("matmul"),
                        .mul = row("mul"),
                        .multiply_log = row("multiply_log"),
                        .neg = row("neg"),
                        .pack = &ops::pack,
                        .pow = row("pow"),
                        .scatter_add = &ops::scatter_add,
                        .select = row("select"),
                        .sqrt = row("sqrt"),
                        .square = row("square"),
                        .sub = row("sub"),
                        .sum = &ops::sum,
                        .broadcast = &ops::broadcast};
  return all;
}

bool is_row(const Expr& x, const Op* row) {
  if (x.empty() || x.is_constant()) return false;
  const Node& node = x.graph()->node(x.ref().node);
  return node.op == row && (x.ref().whole() || node.shape.is_scalar());
}

Expr part_of(const Expr& x, std::size_t k) {
  const Graph& graph = *x.graph();
  return {*x.graph(), graph.operands(graph.node(x.ref().node))[k]};
}

const Attributes& attributes_of(const Expr& x) {
  return x.graph()->attributes(x.graph()->node(x.ref().node));
}

bool is_value(const Expr& x, double value) {
  if (!x.is_constant()) return false;
  const auto values = x.values();
  return !values.empty() &&
         std::all_of(values.begin(), values.end(), [&](double v) { return v == value; });
}

bool all_finite(const Expr& constant) {
  const auto values = constant.values();
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

bool same(const Expr& a, const Expr& b) {
  if (a.is_constant() != b.is_constant()) return false;
  if (!a.is_constant()) return a.ref() == b.ref();
  if (a.is_scalar() && b.is_scalar())
    return std::bit_cast<std::uint64_t>(a.value()) == std::bit_cast<std::uint64_t>(b.value());
  return a.buffer() == b.buffer();
}

Expr Builder::resolved(const Expr& x) const {
  if (x.empty() || x.is_constant() || x.ref().whole()) return x;
  Expr at = x;
  for (;;) {  // an element of a container that moves values is where it came from
    if (at.is_constant() || at.ref().whole()) return at;
    const Graph& graph = *at.graph();
    const Node& node = graph.node(at.ref().node);
    const auto refs = graph.operands(node);
    std::int32_t element = at.ref().element;
    std::size_t k = 0;
    if (node.op == &ops::pack) {
      k = static_cast<std::size_t>(element), element = 0;
    } else if (node.op == &ops::gather) {
      element = graph.attributes(node).ints[static_cast<std::size_t>(element)];
    } else if (node.op == &ops::broadcast) {
      element = 0;
    } else if (node.op == &ops::concat) {
      while (element >= graph.shape_of(refs[k]).size())
        element -= static_cast<std::int32_t>(graph.shape_of(refs[k++]).size());
    } else {
      return at;
    }
    at = Expr(*at.graph(), refs[k]).element(element);
  }
}

Expr Builder::operand(Ref old) {
  const Expr x = rebuild_.mapped_expr(old);
  if (x.is_constant()) return interned(x);
  return with_rules_ ? resolved(x) : x;
}

Expr Builder::interned(const Expr& constant) {
  if (!constant.is_constant() || constant.buffer() == nullptr) return constant;
  const auto [place, is_new] = known_.try_emplace(constant.buffer().get());
  Interned& entry = place->second;
  if (is_new) {
    entry = {constant.buffer(), constant.buffer()};
    const std::size_t hash = content_hash(constant.values());
    const auto [begin, end] = contents_.equal_range(hash);
    const auto equal = std::find_if(
        begin, end, [&](const auto& other) { return same_bits(*other.second, constant.values()); });
    if (equal == end) contents_.emplace(hash, entry.own);
    if (equal != end) entry.shared = equal->second;
  }
  return {constant.shape(), entry.shared};
}

void Builder::place(NodeId id) {
  const Graph& old = rebuild_.from();
  if (old.is_constant(id)) return;
  const Node& node = old.node(id);
  if (node.op->kind == OpKind::source) return rebuild_.copy(id);
  graph().statement = node.statement;
  if (node.op->kind == OpKind::check) return place_check(id);
  std::vector<Expr> in;
  for (const Ref& ref : old.operands(node)) in.push_back(operand(ref));
  rebuild_.set_value(id, apply(*node.op, std::move(in), old.attributes(node), node.shape));
}

namespace {
// The checked elements in ascending order, each with the place of its first check. Its length
// is that of the list, not its source: every small part of a large variable may have a check.
std::vector<std::pair<std::int32_t, std::int32_t>> first_places(
    std::span<const std::int32_t> index, std::span<const std::int32_t> check) {
  const bool one_place = check.size() <= 2;
  std::vector<std::pair<std::int32_t, std::int32_t>> places;
  places.reserve(index.size());
  for (std::size_t e = 0; e < index.size(); ++e)
    places.emplace_back(index[e], check[one_place ? 1 : e + 1]);
  if (!std::ranges::is_sorted(places)) std::ranges::sort(places);
  const auto rest = std::ranges::unique(places, {}, [](const auto& p) { return p.first; });
  places.erase(rest.begin(), rest.end());
  return places;
}
}  // namespace

// Checks each distinct element of a vector once, at its first place.
void Builder::place_check(NodeId id) {
  const Graph& old = rebuild_.from();
  const Node& node = old.node(id);
  std::vector<Expr> in;
  for (const Ref& ref : old.operands(node)) in.push_back(operand(ref));
  Attributes attributes = old.attributes(node);
  const bool one_vector = !in.empty() && (in.size() == 1 || in[1].is_scalar());
  if (with_rules_ && one_vector && is_row(in[0], rows().gather)) {
    const bool one_place = attributes.ints.size() <= 2;
    const auto places = first_places(attributes_of(in[0]).ints, attributes.ints);
    std::vector<std::int32_t> chosen;
    if (!one_place) attributes.ints.resize(1);
    for (const auto& [element, place] : places) {
      chosen.push_back(element);
      if (!one_place) attributes.ints.push_back(place);
    }
    const Shape shape = vector_shape(ssize(chosen));
    in[0] = gather(shape, part_of(in[0], 0), std::move(chosen));
  }
  std::vector<Ref> refs;
  for (const Expr& x : in) refs.push_back(x.ref_in(graph()));
  const std::int32_t list = graph().add_attributes(std::move(attributes));
  rebuild_.set_place(id, {graph().add(*node.op, node.shape, refs, list), -1});
}

Expr Builder::apply(const Op& op, std::vector<Expr> in, Attributes attributes, Shape shape) {
  for (Expr& x : in) x = with_rules_ ? resolved(x) : x;
  const bool known =
      std::all_of(in.begin(), in.end(), [](const Expr& x) { return x.is_constant(); });
  if (known) {
    const Expr value = credo::graph::apply(op, in, std::move(attributes));
    return interned(value.size() == shape.size() ? value.reshaped(shape) : value);
  }
  if (with_rules_ && depth_ < kMaxDepth) {
    ++depth_;
    const Candidate candidate{*this, op, in, attributes, shape};
    for (const SimplifyRule* rule : rules_of(op)) {
      const Expr better = rule->rewrite(candidate);
      if (better.empty()) continue;
      CREDO_ASSERT(better.size() == shape.size(), "a rule keeps the number of elements");
      if (observer) observer(*rule);
      --depth_;
      return better;
    }
    --depth_;
  }
  return new_node(op, in, attributes, shape);
}

Expr Builder::new_node(const Op& op, std::span<const Expr> in, const Attributes& attributes,
                       Shape shape) {
  std::vector<Ref> refs;
  refs.reserve(in.size());
  for (const Expr& x : in) refs.push_back(interned(x).ref_in(graph()));
  return {graph(), {rebuild_.add_once(op, shape, refs, attributes), -1}};
}

Expr Builder::map(const Op& op, std::initializer_list<Expr> in) {
  return apply(op, std::vector<Expr>(in), {}, common_shape(in));
}
Expr Builder::add(const Expr& a, const Expr& b) { return map(*rows().add, {a, b}); }
Expr Builder::sub(const Expr& a, const Expr& b) { return map(*rows().sub, {a, b}); }
Expr Builder::mul(const Expr& a, const Expr& b) { return map(*rows().mul, {a, b}); }
Expr Builder::div(const Expr& a, const Expr& b) { return map(*rows().div, {a, b}); }
Expr Builder::neg(const Expr& a) { return map(*rows().neg, {a}); }
Expr Builder::square(const Expr& a) { return map(*rows().square, {a}); }
Expr Builder::log(const Expr& a) { return map(*rows().log, {a}); }
Expr Builder::sum(const Expr& a) { return a.is_scalar() ? a : apply(ops::sum, {a}, {}, Shape{}); }
Expr Builder::dot(const Expr& a, const Expr& b) {
  if (a.is_scalar() && b.is_scalar()) return mul(a, b);
  return apply(ops::dot, {a, b}, {}, Shape{});
}
Expr Builder::gather(Shape shape, const Expr& x, std::vector<std::int32_t> index) {
  if (shape.is_scalar()) return resolved(x.element(index[0]));
  if (x.is_scalar()) return broadcast(shape, x);
  return apply(ops::gather, {x}, with_shape(shape, std::move(index)), shape);
}
Expr Builder::broadcast(Shape shape, const Expr& scalar) {
  if (shape.is_scalar()) return scalar;
  return apply(ops::broadcast, {scalar}, with_shape(shape), shape);
}
Expr Builder::pack(Shape shape, std::vector<Expr> elements) {
  if (shape.is_scalar()) return resolved(elements[0]);
  return apply(ops::pack, std::move(elements), with_shape(shape), shape);
}
Expr Builder::concat(Shape shape, std::vector<Expr> parts) {
  if (parts.size() == 1) return parts[0];
  return apply(ops::concat, std::move(parts), with_shape(shape), shape);
}
Expr Builder::matmul(const Expr& a, const Expr& b, std::array<std::int32_t, 5> sizes) {
  return apply(*rows().matmul, {a, b}, {{sizes.begin(), sizes.end()}, {}},
               matrix_shape(sizes[0], sizes[2]));
}

}  // namespace credo::graph
