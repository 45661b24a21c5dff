#include "graph/passes/simplify_products.hpp"

#include "graph/core/ops.hpp"

namespace credo::graph {
namespace {

constexpr std::size_t kMaxProductNodes = 1000;  // shared parts are walked again for each use
constexpr std::size_t kMaxProducts = 128;
constexpr Index kMaxDesignColumns = 64;

constexpr std::string_view kManyTerms = "has too many terms";
constexpr std::string_view kDiffers = "has another value in each row";

double known_scalar(const Graph& graph, const Ref& ref) {
  if (ref.node == kScalarConstants)
    return graph.scalar_constants()[static_cast<std::size_t>(ref.element)];
  return (*graph.constant(ref.node))[ref.whole() ? 0 : ref.element];
}
}  // namespace

std::optional<ProductSum> ProductFinder::find(NodeId id, const Product& start) {
  sum_ = {}, obstacle_ = {};
  sum_.size = graph_.node(id).shape.size();
  if (!visit_container(id, start, nullptr)) return std::nullopt;
  return std::move(sum_);
}

bool ProductFinder::obstruct(NodeId id, std::string_view reason) {
  if (obstacle_.node == kNoNode) obstacle_ = {id, reason};
  return false;
}

Product ProductFinder::times(Product product, const Ref& ref, const ElementsPtr& elements) const {
  const bool scalar = graph_.shape_of(ref).is_scalar();
  if (!graph_.is_constant(ref.node)) {
    product.unknown.push_back({ref, scalar ? nullptr : elements, false});
  } else if (scalar) {
    product.scale *= known_scalar(graph_, ref);
  } else {
    product.known.push_back({graph_.constant(ref.node), 0, 1, elements});
  }
  return product;
}

bool ProductFinder::visit(const Ref& ref, Product so_far, const ElementsPtr& elements) {
  if (!graph_.is_constant(ref.node) && !graph_.shape_of(ref).is_scalar())
    return visit_container(ref.node, so_far, elements);
  sum_.products.push_back(times(std::move(so_far), ref, elements));
  return sum_.products.size() <= kMaxProducts || obstruct(ref.node, kManyTerms);
}

bool ProductFinder::visit_container(NodeId id, const Product& so_far, const ElementsPtr& elements) {
  const std::size_t products = sum_.products.size(), nodes = sum_.nodes.size();
  sum_.nodes.push_back(id);
  if (nodes > kMaxProductNodes || products > kMaxProducts) return obstruct(id, kManyTerms);
  sum_.work += static_cast<double>(sum_.size);
  if (expand(id, so_far, elements)) return true;
  if (sum_.nodes.size() > kMaxProductNodes || classes_.classes(id) == nullptr)
    return obstruct(id, kDiffers);
  obstacle_ = {};
  sum_.products.resize(products), sum_.nodes.resize(nodes + 1);
  sum_.products.push_back(times(so_far, {id, -1}, elements));
  return true;
}

bool ProductFinder::expand(NodeId id, const Product& so_far, const ElementsPtr& elements) {
  const Node& node = graph_.node(id);
  const auto refs = graph_.operands(node);
  if (node.op == rows().matmul) return expand_design(node, so_far, elements);
  if (node.op == &ops::gather) return expand_gather(id, so_far, elements);
  if (node.op == &ops::broadcast) return visit(refs[0], so_far, elements);
  if (node.op == rows().mul) return expand_product(id, so_far, elements);
  if (node.op == rows().div) return expand_quotient(node, so_far, elements);
  const bool negates = node.op == rows().sub || node.op == rows().neg;
  if (!negates && node.op != rows().add) return false;
  if (refs.size() == 2 && !visit(refs[0], so_far, elements)) return false;
  Product last = so_far;
  if (negates) last.scale = -last.scale;
  return visit(refs.back(), std::move(last), elements);
}

// One number for all rows, or one for each class of rows.
bool ProductFinder::is_factor(const Ref& ref) {
  return graph_.shape_of(ref).is_scalar() || graph_.is_constant(ref.node) ||
         classes_.classes(ref.node) != nullptr;
}

// One operand is a factor of all terms of the other. Data and scalars come first, then containers that are
// no sums or products themselves: v[g] .* (x - c) has the factor v[g].
bool ProductFinder::expand_product(NodeId id, const Product& so_far, const ElementsPtr& elements) {
  const auto refs = graph_.operands(graph_.node(id));
  const auto rank = [&](const Ref& ref) {
    if (graph_.is_constant(ref.node)) return 0;
    if (graph_.shape_of(ref).is_scalar()) return 1;
    return graph_.node(ref.node).op == &ops::gather ? 2 : 3;
  };
  const std::size_t k = rank(refs[1]) < rank(refs[0]) ? 1 : 0;
  for (const std::size_t factor : {k, 1 - k}) {
    if (!is_factor(refs[factor])) continue;
    return visit(refs[1 - factor], times(so_far, refs[factor], elements), elements);
  }
  return obstruct(id, "is a product of two numbers that differ in each row");
}

// The denominator is a product of data and factors, too.
bool ProductFinder::expand_quotient(const Node& node, const Product& so_far,
                                    const ElementsPtr& elements) {
  const auto refs = graph_.operands(node);
  Product quotient = so_far;
  return divide(quotient, refs[1], elements) && visit(refs[0], std::move(quotient), elements);
}

bool ProductFinder::divide(Product& product, const Ref& by, const ElementsPtr& elements) {
  const bool scalar = graph_.shape_of(by).is_scalar();
  if (graph_.is_constant(by.node)) {
    if (scalar) {
      product.scale /= known_scalar(graph_, by);
    } else {
      const Expr inverse = 1.0 / Expr(graph_.node(by.node).shape, graph_.constant(by.node));
      product.known.push_back({inverse.buffer(), 0, 1, elements});
    }
    return true;
  }
  const Node& node = graph_.node(by.node);
  if (!scalar && node.op == rows().mul) {
    const auto refs = graph_.operands(node);
    return divide(product, refs[0], elements) && divide(product, refs[1], elements);
  }
  if (!is_factor(by)) return obstruct(by.node, kDiffers);
  product = times(std::move(product), by, elements);
  product.unknown.back().inverse = true;
  return true;
}

bool ProductFinder::expand_gather(NodeId id, const Product& so_far, const ElementsPtr& elements) {
  const Node& node = graph_.node(id);
  const Ref source = graph_.operands(node)[0];
  if (!source.whole()) return visit(source, so_far, elements);
  if (classes_.classes(id) != nullptr) return false;  // a number for each class
  auto places = graph_.attributes(node).ints;
  if (elements != nullptr) {
    std::vector<std::int32_t> composed;
    composed.reserve(elements->size());
    for (const std::int32_t i : *elements) composed.push_back(places[static_cast<std::size_t>(i)]);
    places = std::move(composed);
  }
  return visit(source, so_far,
               std::make_shared<const std::vector<std::int32_t>>(std::move(places)));
}

bool ProductFinder::expand_design(const Node& node, const Product& so_far,
                                  const ElementsPtr& elements) {
  const auto refs = graph_.operands(node);
  const auto& sizes = graph_.attributes(node).ints;
  const Index size = sizes[0], inner = sizes[1];
  const bool fits = inner <= kMaxDesignColumns && sizes[2] == 1;
  if (!fits || !refs[0].whole() || !graph_.is_constant(refs[0].node)) return false;
  sum_.work += static_cast<double>(sum_.size * (inner - 1));
  const Buffer& data = graph_.constant(refs[0].node);
  for (Index j = 0; j < inner; ++j) {
    Product term = so_far;
    term.known.push_back(
        {data, sizes[3] != 0 ? j : j * size, sizes[3] != 0 ? inner : Index{1}, elements});
    const bool scalar = graph_.shape_of(refs[1]).is_scalar();
    const Ref slope = scalar ? refs[1] : Ref{refs[1].node, static_cast<std::int32_t>(j)};
    if (!visit(slope, std::move(term), elements)) return false;
  }
  return true;
}

}  // namespace credo::graph
