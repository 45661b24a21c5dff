#include "graph/passes/simplify_affine.hpp"

#include "base/error.hpp"
#include "graph/core/ops.hpp"

namespace credo::graph {
namespace {

constexpr std::size_t kMaxAffineColumns = 64;
constexpr std::size_t kMaxNodes = 1000;  // shared parts are walked again for each use

std::size_t place_of(Index i) { return static_cast<std::size_t>(i); }

bool is_linear(const Node& node) {
  return node.op == rows().add || node.op == rows().sub || node.op == rows().neg;
}

bool add_column(const Ref& ref, Affine& into) {
  if (std::find(into.columns.begin(), into.columns.end(), ref) != into.columns.end()) return true;
  into.columns.push_back(ref);
  return into.columns.size() <= kMaxAffineColumns;
}

std::uint64_t key(const Ref& ref) {
  return static_cast<std::uint64_t>(ref.node) << 32 | static_cast<std::uint32_t>(ref.element);
}

double scalar_value(const Graph& graph, const Ref& ref) {
  if (ref.node == kScalarConstants) return graph.scalar_constants()[place_of(ref.element)];
  return (*graph.constant(ref.node))[ref.whole() ? 0 : ref.element];
}

// Element j of a product's vector.
Ref design_scalar(const Graph& graph, const Ref& vector, Index j) {
  return graph.shape_of(vector).is_scalar() ? vector
                                            : Ref{vector.node, static_cast<std::int32_t>(j)};
}
}  // namespace

AffinePtr AffineFinder::affine(NodeId id) {
  if (const auto place = known_.find(id); place != known_.end()) return place->second;
  auto found = std::make_shared<Affine>();
  found->size = graph_.node(id).shape.size(), found->node = id;
  if (!visit(id, *found)) found = nullptr;
  known_.emplace(id, found);
  return found;
}

bool AffineFinder::operand(const Ref& ref, Affine& into) {
  if (graph_.is_constant(ref.node)) return true;
  if (graph_.shape_of(ref).is_scalar()) return add_column(ref, into);
  return visit(ref.node, into);
}

bool AffineFinder::visit(NodeId id, Affine& into) {
  if (graph_.is_constant(id)) return true;
  const Node& node = graph_.node(id);
  const auto refs = graph_.operands(node);
  into.nodes.push_back(id);
  if (into.nodes.size() > kMaxNodes) return false;
  if (node.op == rows().matmul) return visit_design(node, into);
  into.work += static_cast<double>(into.size);
  if (node.op == &ops::gather) return visit_gather(node, into);
  if (node.op == &ops::broadcast) return operand(refs[0], into);
  if (node.op == rows().mul) {
    if (graph_.is_constant(refs[0].node)) return operand(refs[1], into);
    return graph_.is_constant(refs[1].node) && operand(refs[0], into);
  }
  return is_linear(node) &&
         std::all_of(refs.begin(), refs.end(), [&](const Ref& ref) { return operand(ref, into); });
}

// Elements of an affine container, or of a short container of unknowns.
bool AffineFinder::visit_gather(const Node& node, Affine& into) {
  const Ref source = graph_.operands(node)[0];
  if (!source.whole()) return operand(source, into);
  const AffinePtr x = affine(source.node);
  if (x == nullptr) return visit_elements(node, into);
  into.work += x->work;
  into.nodes.insert(into.nodes.end(), x->nodes.begin(), x->nodes.end());
  return into.nodes.size() <= kMaxNodes &&
         std::all_of(x->columns.begin(), x->columns.end(),
                     [&](const Ref& ref) { return add_column(ref, into); });
}

bool AffineFinder::visit_elements(const Node& node, Affine& into) {
  const Ref source = graph_.operands(node)[0];
  std::vector<char> seen(place_of(graph_.shape_of(source).size()), 0);
  for (const std::int32_t i : graph_.attributes(node).ints) {
    if (seen[place_of(i)]) continue;
    seen[place_of(i)] = 1;
    if (!add_column({source.node, i}, into)) return false;
  }
  return true;
}

bool AffineFinder::visit_design(const Node& node, Affine& into) {
  const auto refs = graph_.operands(node);
  const auto& sizes = graph_.attributes(node).ints;
  const Index inner = sizes[1];
  const bool fits = inner <= static_cast<Index>(kMaxAffineColumns) && sizes[2] == 1;
  if (!fits || !refs[0].whole() || !graph_.is_constant(refs[0].node)) return false;
  into.work += static_cast<double>(into.size * inner);
  for (Index j = 0; j < inner; ++j) {
    if (!operand(design_scalar(graph_, refs[1], j), into)) return false;
  }
  return true;
}

AffineRows::AffineRows(const Graph& graph, AffineFinder& finder, const Affine& affine)
    : graph_(graph), finder_(finder), affine_(affine) {
  for (const Ref& ref : affine.columns) place_.emplace(key(ref), place_.size());
}

void AffineRows::fill(Index begin, Index count, std::span<double> out) {
  out_ = out, count_ = place_of(count);
  std::fill(out.begin(), out.end(), 0.0);
  Part part;
  part.element.resize(count_);
  std::iota(part.element.begin(), part.element.end(), static_cast<std::int32_t>(begin));
  part.factor.assign(count_, 1.0);
  add(affine_.node, std::move(part));
}

double* AffineRows::column(const Ref& ref) { return out_.data() + place_.at(key(ref)) * count_; }

void AffineRows::add_operand(const Ref& ref, Part part) {
  if (!graph_.shape_of(ref).is_scalar()) return add(ref.node, std::move(part));
  const bool known = graph_.is_constant(ref.node);
  const double value = known ? scalar_value(graph_, ref) : 1.0;
  double* to = known ? constant() : column(ref);
  for (std::size_t i = 0; i < count_; ++i) to[i] += part.factor[i] * value;
}

void AffineRows::add(NodeId id, Part part) {
  const Node& node = graph_.node(id);
  const auto refs = graph_.operands(node);
  if (graph_.is_constant(id)) {
    const AlignedArray& data = *graph_.constant(id);
    for (std::size_t i = 0; i < count_; ++i)
      constant()[i] += part.factor[i] * data[part.element[i]];
    return;
  }
  if (node.op == rows().matmul) return add_design(node, part);
  if (node.op == &ops::gather) return add_gather(node, std::move(part));
  if (node.op == &ops::broadcast) return add_operand(refs[0], std::move(part));
  if (node.op == rows().mul) return add_product(node, std::move(part));
  CREDO_ASSERT(is_linear(node), "rows of an affine expression");
  if (refs.size() == 2) add_operand(refs[0], part);
  if (node.op != rows().add) {
    for (double& factor : part.factor) factor = -factor;
  }
  add_operand(refs.back(), std::move(part));
}

void AffineRows::add_product(const Node& node, Part part) {
  const auto refs = graph_.operands(node);
  const std::size_t k = graph_.is_constant(refs[0].node) ? 0 : 1;
  if (graph_.shape_of(refs[k]).is_scalar()) {
    const double value = scalar_value(graph_, refs[k]);
    for (double& factor : part.factor) factor *= value;
  } else {
    const AlignedArray& data = *graph_.constant(refs[k].node);
    for (std::size_t i = 0; i < count_; ++i) part.factor[i] *= data[part.element[i]];
  }
  add_operand(refs[1 - k], std::move(part));
}

void AffineRows::add_gather(const Node& node, Part part) {
  const Ref source = graph_.operands(node)[0];
  if (!source.whole()) return add_operand(source, std::move(part));
  const auto& index = graph_.attributes(node).ints;
  for (std::int32_t& element : part.element) element = index[place_of(element)];
  if (finder_.affine(source.node) != nullptr) return add(source.node, std::move(part));
  for (std::size_t i = 0; i < count_; ++i)
    column({source.node, part.element[i]})[i] += part.factor[i];
}

void AffineRows::add_design(const Node& node, const Part& part) {
  const auto refs = graph_.operands(node);
  const auto& sizes = graph_.attributes(node).ints;
  const Index size = sizes[0], inner = sizes[1];
  const AlignedArray& data = *graph_.constant(refs[0].node);
  for (Index j = 0; j < inner; ++j) {
    Part terms = part;
    for (std::size_t i = 0; i < count_; ++i) {
      const Index row = part.element[i];
      terms.factor[i] *= data[sizes[3] != 0 ? j + row * inner : row + j * size];
    }
    add_operand(design_scalar(graph_, refs[1], j), std::move(terms));
  }
}

}  // namespace credo::graph
