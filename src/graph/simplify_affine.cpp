#include "graph/simplify_affine.hpp"

#include "base/error.hpp"
#include "graph/ops.hpp"

namespace credo::graph {
namespace {

constexpr std::size_t kMaxColumns = 64;
constexpr std::size_t kMaxElements = 20'000'000;  // of all columns: 160 MB

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// a += factor b, column by column.
bool add_to(Affine& a, const Affine& b, double factor) {
  for (std::size_t i = 0; i < a.constant.size(); ++i) a.constant[i] += factor * b.constant[i];
  for (const auto& [ref, values] : b.columns) {
    auto place = std::find_if(a.columns.begin(), a.columns.end(),
                              [&, r = ref](const auto& column) { return column.first == r; });
    if (place == a.columns.end()) {
      if (a.columns.size() == kMaxColumns) return false;
      if ((a.columns.size() + 1) * a.constant.size() > kMaxElements) return false;
      a.columns.emplace_back(ref, std::vector<double>(a.constant.size(), 0.0));
      place = a.columns.end() - 1;
    }
    for (std::size_t i = 0; i < values.size(); ++i) place->second[i] += factor * values[i];
  }
  a.work += b.work;
  a.nodes.insert(a.nodes.end(), b.nodes.begin(), b.nodes.end());
  return true;
}

bool is_linear(const Node& node) {
  return node.op == rows().add || node.op == rows().sub || node.op == rows().neg;
}

std::shared_ptr<Affine> zero(Index size) {
  auto result = std::make_shared<Affine>();
  result->constant.assign(at(size), 0.0);
  return result;
}
}  // namespace

std::shared_ptr<const Affine> AffineFinder::affine(NodeId id) {
  if (const auto place = known_.find(id); place != known_.end()) return place->second;
  AffinePtr found = find(id);
  known_.emplace(id, found);
  return found;
}

std::shared_ptr<const Affine> AffineFinder::find(NodeId id) {
  const Node& node = graph_.node(id);
  const Index size = node.shape.size();
  const auto refs = graph_.operands(node);
  AffinePtr found;
  if (graph_.is_constant(id)) {
    auto known = zero(size);
    for (Index i = 0; i < size; ++i) known->constant[at(i)] = (*graph_.constant(id))[i];
    return known;
  }
  if (is_linear(node)) {
    auto sum = zero(size);
    if (!accumulate({id, -1}, 1.0, *sum)) return nullptr;
    return sum;
  }
  if (node.op == rows().mul) found = of_product(node);
  if (node.op == &ops::gather) found = of_gather(node);
  if (node.op == rows().matmul) found = of_design(node);
  if (node.op == &ops::broadcast) found = operand(refs[0], size);
  if (found == nullptr) return nullptr;
  auto result = std::make_shared<Affine>(*found);
  const bool product = node.op == rows().matmul;
  result->work += static_cast<double>(size * (product ? graph_.attributes(node).ints[1] : 1));
  result->nodes.insert(result->nodes.begin(), id);
  return result;
}

// A scalar is the same for all elements.
std::shared_ptr<const Affine> AffineFinder::operand(const Ref& ref, Index size) {
  if (!graph_.shape_of(ref).is_scalar()) return affine(ref.node);
  auto result = zero(size);
  const Expr x(const_cast<Graph&>(graph_), ref);
  if (x.is_constant()) {
    std::fill(result->constant.begin(), result->constant.end(), x.value());
  } else {
    result->columns.emplace_back(ref, std::vector<double>(at(size), 1.0));
  }
  return result;
}

// Sums of sums are walked, so that no part of them is held twice.
bool AffineFinder::accumulate(const Ref& ref, double sign, Affine& into) {
  const Node& node = graph_.node(ref.node);
  const Index size = ssize(into.constant);
  const bool walk = ref.whole() && node.shape.size() == size && is_linear(node);
  if (!walk) {
    const AffinePtr x = operand(ref, size);
    return x != nullptr && add_to(into, *x, sign);
  }
  into.work += static_cast<double>(size);
  into.nodes.push_back(ref.node);
  const auto refs = graph_.operands(node);
  if (node.op == rows().neg) return accumulate(refs[0], -sign, into);
  return accumulate(refs[0], sign, into) &&
         accumulate(refs[1], node.op == rows().sub ? -sign : sign, into);
}

// One side is known.
std::shared_ptr<const Affine> AffineFinder::of_product(const Node& node) {
  const auto refs = graph_.operands(node);
  const Index size = node.shape.size();
  for (std::size_t k = 0; k < 2; ++k) {
    if (!graph_.is_constant(refs[k].node)) continue;
    const AffinePtr factor = operand(refs[k], size), x = operand(refs[1 - k], size);
    if (x == nullptr) return nullptr;
    auto result = std::make_shared<Affine>(*x);
    const auto scale = [&](std::vector<double>& values) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factor->constant[i];
    };
    scale(result->constant);
    for (auto& [ref, values] : result->columns) scale(values);
    return result;
  }
  return nullptr;
}

// Elements of what is affine itself, or of a short container of unknowns.
std::shared_ptr<const Affine> AffineFinder::of_gather(const Node& node) {
  const Ref source = graph_.operands(node)[0];
  const auto& index = graph_.attributes(node).ints;
  if (!source.whole()) return operand(source, node.shape.size());
  const AffinePtr x = affine(source.node);
  if (x == nullptr) return of_elements(source, index);
  auto result = zero(ssize(index));
  result->work = x->work, result->nodes = x->nodes;
  const auto pick = [&](const std::vector<double>& values) {
    std::vector<double> picked;
    for (const std::int32_t i : index) picked.push_back(values[at(i)]);
    return picked;
  };
  result->constant = pick(x->constant);
  for (const auto& [ref, values] : x->columns) {
    std::vector<double> picked = pick(values);
    const bool zeros = std::all_of(picked.begin(), picked.end(), [](double v) { return v == 0.0; });
    if (!zeros) result->columns.emplace_back(ref, std::move(picked));  // else: isn't taken
  }
  return result;
}

std::shared_ptr<const Affine> AffineFinder::of_elements(const Ref& source,
                                                        const std::vector<std::int32_t>& index) {
  std::map<std::int32_t, std::size_t> column_of;
  auto result = zero(ssize(index));
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto [place, is_new] = column_of.try_emplace(index[i], column_of.size());
    if (column_of.size() > kMaxColumns) return nullptr;
    if (is_new)
      result->columns.emplace_back(Ref{source.node, index[i]},
                                   std::vector<double>(index.size(), 0.0));
    result->columns[place->second].second[i] = 1.0;
  }
  return result;
}

std::shared_ptr<const Affine> AffineFinder::of_design(const Node& node) {
  const auto refs = graph_.operands(node);
  const auto& sizes = graph_.attributes(node).ints;
  const Index size = sizes[0], inner = sizes[1];
  const bool fits = inner <= static_cast<Index>(kMaxColumns) && sizes[2] == 1;
  if (!fits || !refs[0].whole() || !graph_.is_constant(refs[0].node)) return nullptr;
  const Buffer& data = graph_.constant(refs[0].node);
  auto result = zero(size);
  for (Index j = 0; j < inner; ++j) {
    const Ref scalar = graph_.shape_of(refs[1]).is_scalar()
                           ? refs[1]
                           : Ref{refs[1].node, static_cast<std::int32_t>(j)};
    const Expr x(const_cast<Graph&>(graph_), scalar);
    std::vector<double> column;
    for (Index i = 0; i < size; ++i)
      column.push_back((*data)[sizes[3] != 0 ? j + i * inner : i + j * size]);
    if (x.is_constant()) {
      for (std::size_t i = 0; i < column.size(); ++i) result->constant[i] += column[i] * x.value();
    } else {
      result->columns.emplace_back(scalar, std::move(column));
    }
  }
  return result;
}

}  // namespace credo::graph
