#include "graph/passes/simplify_classes.hpp"

#include <bit>
#include <unordered_set>

#include "base/error.hpp"
#include "graph/core/ops.hpp"

namespace credo::graph {
namespace {

constexpr Index kMinSize = 8;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 31);
}

// Classes by a key of each element; null where there are too many. Keys are compared, not hashed
// away: `same` decides.
template <class KeyOf, class Same>
ClassesPtr group(Index size, KeyOf key_of, Same same) {
  const Index limit = size / 2;
  // A few elements show that most differ before all are compared.
  constexpr Index kSample = 512;
  if (size > 16 * kSample) {
    std::unordered_set<std::uint64_t> seen;
    const Index step = size / kSample;
    for (Index i = 0; i < kSample; ++i) seen.insert(key_of(i * step));
    if (ssize(seen) > kSample * 9 / 10) return nullptr;
  }
  auto result = std::make_shared<Classes>();
  std::unordered_multimap<std::uint64_t, std::int32_t> known;  // key -> class
  result->of.resize(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) {
    const auto [begin, end] = known.equal_range(key_of(i));
    auto match = begin;
    while (match != end &&
           !same(result->representative[static_cast<std::size_t>(match->second)], i))
      ++match;
    std::int32_t own = 0;
    if (match != end) {
      own = match->second;
    } else {
      own = static_cast<std::int32_t>(result->representative.size());
      if (own >= limit) return nullptr;
      result->representative.push_back(static_cast<std::int32_t>(i));
      known.emplace(key_of(i), own);
    }
    result->of[static_cast<std::size_t>(i)] = own;
  }
  return result;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

std::uint64_t at(const std::vector<std::int32_t>& list, Index i) {
  return static_cast<std::uint64_t>(list[static_cast<std::size_t>(i)]);
}
}  // namespace

ClassesPtr ClassFinder::classes(NodeId id) {
  if (const auto place = known_.find(id); place != known_.end()) return place->second;
  ClassesPtr found = graph_.node(id).shape.size() < kMinSize ? nullptr : find(id);
  known_.emplace(id, found);
  return found;
}

ClassesPtr ClassFinder::joined(const ClassesPtr& a, const ClassesPtr& b) {
  if (a == nullptr || b == nullptr || a == b) return a == nullptr ? a : b;
  const auto [place, is_new] = joins_.try_emplace({a.get(), b.get()}, nullptr);
  if (is_new) {
    place->second = group(
        ssize(a->of), [&](Index i) { return mixed(mixed(1, at(a->of, i)), at(b->of, i)); },
        [&](Index i, Index j) {
          return at(a->of, i) == at(a->of, j) && at(b->of, i) == at(b->of, j);
        });
  }
  return place->second;
}

ClassesPtr ClassFinder::find(NodeId id) {
  const Node& node = graph_.node(id);
  if (graph_.is_constant(id)) {
    const Buffer& data = graph_.constant(id);
    return group(
        node.shape.size(), [&](Index i) { return mixed(1, bits((*data)[i])); },
        [&](Index i, Index j) { return bits((*data)[i]) == bits((*data)[j]); });
  }
  if (node.op == &ops::gather) return of_gather(node);
  if (node.op == rows().matmul) return of_design(node);
  if (node.op->kind == OpKind::elementwise) return of_operands(node);
  return nullptr;
}

ClassesPtr ClassFinder::of_operands(const Node& node) {
  ClassesPtr all;
  bool first = true;
  for (const Ref& ref : graph_.operands(node)) {
    if (graph_.shape_of(ref).is_scalar()) continue;
    const ClassesPtr own = classes(ref.node);
    if (own == nullptr) return nullptr;
    all = first ? own : joined(all, own);
    first = false;
    if (all == nullptr) return nullptr;
  }
  return all;
}

ClassesPtr ClassFinder::of_gather(const Node& node) {
  const auto& index = graph_.attributes(node).ints;
  const Ref from = graph_.operands(node)[0];
  const ClassesPtr source = from.whole() ? classes(from.node) : nullptr;
  const auto key = [&](Index i) {
    const std::uint64_t place = at(index, i);
    return source == nullptr ? place : at(source->of, static_cast<Index>(place));
  };
  return group(
      node.shape.size(), [&](Index i) { return mixed(1, key(i)); },
      [&](Index i, Index j) { return key(i) == key(j); });
}

// X b: equal rows of X. Only with X as it lies.
ClassesPtr ClassFinder::of_design(const Node& node) {
  const Ref design = graph_.operands(node)[0];
  const auto& sizes = graph_.attributes(node).ints;
  if (!graph_.is_constant(design.node) || !design.whole() || sizes[2] != 1) return nullptr;
  const Index rows_of = sizes[0], inner = sizes[1];
  const Buffer& data = graph_.constant(design.node);
  const auto element = [&](Index i, Index j) {
    return bits((*data)[sizes[3] != 0 ? j + i * inner : i + j * rows_of]);
  };
  const auto key = [&](Index i) {
    std::uint64_t hash = 1;
    for (Index j = 0; j < inner; ++j) hash = mixed(hash, element(i, j));
    return hash;
  };
  const auto equal = [&](Index i, Index k) {
    for (Index j = 0; j < inner; ++j) {
      if (element(i, j) != element(k, j)) return false;
    }
    return true;
  };
  return group(rows_of, key, equal);
}

Expr ClassFinder::representatives(Builder& builder, NodeId id, const ClassesPtr& classes) {
  const auto place = built_.find({id, classes.get()});
  if (place != built_.end()) return place->second;
  const Expr built = rebuild(builder, id, classes);
  built_.emplace(std::pair{id, classes.get()}, built);
  return built;
}

Expr ClassFinder::rebuild(Builder& builder, NodeId id, const ClassesPtr& classes) {
  const Node& node = graph_.node(id);
  const Shape shape = vector_shape(classes->count());
  const auto refs = graph_.operands(node);
  if (graph_.is_constant(id))
    return builder.interned(credo::graph::gather(shape, Expr(node.shape, graph_.constant(id)),
                                                 classes->representative));
  if (node.op == &ops::gather) {
    std::vector<std::int32_t> index;
    for (const std::int32_t i : classes->representative)
      index.push_back(graph_.attributes(node).ints[static_cast<std::size_t>(i)]);
    return builder.gather(shape, builder.operand(refs[0]), std::move(index));
  }
  if (node.op == rows().matmul) return design_rows(builder, node, *classes);
  if (node.op->kind != OpKind::elementwise)
    return builder.gather(shape, builder.operand({id, -1}), classes->representative);
  std::vector<Expr> in;
  for (const Ref& ref : refs) {
    const bool scalar = graph_.shape_of(ref).is_scalar();
    in.push_back(scalar ? builder.operand(ref) : representatives(builder, ref.node, classes));
  }
  return builder.apply(*node.op, std::move(in), graph_.attributes(node), shape);
}

Expr ClassFinder::design_rows(Builder& builder, const Node& node, const Classes& classes) {
  const auto refs = graph_.operands(node);
  const auto& sizes = graph_.attributes(node).ints;
  const Index rows_of = sizes[0], inner = sizes[1], count = classes.count();
  const Buffer& data = graph_.constant(refs[0].node);
  std::vector<double> design;
  design.reserve(static_cast<std::size_t>(count * inner));
  for (Index j = 0; j < inner; ++j) {
    for (const std::int32_t i : classes.representative)
      design.push_back((*data)[sizes[3] != 0 ? j + i * inner : i + j * rows_of]);
  }
  const Expr x = builder.interned(constant(matrix_shape(count, inner), design));
  return builder
      .matmul(x, builder.operand(refs[1]),
              {static_cast<std::int32_t>(count), static_cast<std::int32_t>(inner), 1, 0, sizes[4]})
      .reshaped(vector_shape(count));
}

}  // namespace credo::graph
