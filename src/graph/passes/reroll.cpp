#include "graph/passes/reroll.hpp"

#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/rebuild.hpp"
#include "graph/passes/reroll_bundles.hpp"

namespace credo::graph {
namespace {

using Refs = std::vector<Ref>;

struct HashRefs {
  std::size_t operator()(const Refs& refs) const {
    std::size_t hash = refs.size();
    for (const Ref& ref : refs) {
      hash = (hash ^ static_cast<std::size_t>(ref.node)) * 0x9E3779B97F4A7C15ULL;
      hash = (hash ^ static_cast<std::size_t>(ref.element + 1)) * 0xC2B2AE3D27D4EB4FULL;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

// Scalars of the new graph as one node; equal lists give the same node.
class Columns {
 public:
  explicit Columns(Graph& graph) : graph_(graph) {}

  Ref column(const Refs& refs) {
    const auto [place, is_new] = known_.try_emplace(refs);
    if (is_new) place->second = join(refs).ref_in(graph_);
    return place->second;
  }

 private:
  Expr expr(const Ref& ref) const { return {graph_, ref}; }
  bool is_constant(const Ref& ref) const { return graph_.is_constant(ref.node); }

  Expr join(const Refs& refs) {
    if (std::all_of(refs.begin(), refs.end(), [&](Ref r) { return is_constant(r); })) {
      std::vector<double> values;
      for (const Ref& ref : refs) values.push_back(expr(ref).value());
      return constant(vector_shape(ssize(refs)), values);
    }
    std::vector<Expr> parts;
    for (std::size_t begin = 0; begin < refs.size();) {
      const std::size_t end = end_of_run(refs, begin);
      parts.push_back(run(refs, begin, end));
      begin = end;
    }
    if (parts.size() == 1) return parts[0];
    if (parts.size() < refs.size()) return concat(vector_shape(ssize(refs)), parts);
    return repeated(refs, parts);
  }

  // Few scalars that come again and again are packed once.
  Expr repeated(const Refs& refs, const std::vector<Expr>& parts) {
    std::unordered_map<std::int64_t, std::int32_t> places;
    std::vector<Expr> distinct;
    std::vector<std::int32_t> index;
    for (std::size_t k = 0; k < refs.size(); ++k) {
      const std::int64_t name = std::int64_t{refs[k].node} << 32 | (refs[k].element + 1);
      const auto [place, is_new] = places.try_emplace(name, std::int32_t(distinct.size()));
      if (is_new) distinct.push_back(parts[k]);
      index.push_back(place->second);
    }
    const Shape shape = vector_shape(ssize(refs));
    if (distinct.size() < 2 || 2 * distinct.size() > refs.size()) return pack(shape, parts);
    return gather(shape, pack(vector_shape(ssize(distinct)), distinct), std::move(index));
  }

  // A run: elements of one node, single scalars alone. Constants in between form runs as well.
  std::size_t end_of_run(const Refs& refs, std::size_t begin) const {
    std::size_t end = begin + 1;
    if (is_constant(refs[begin])) {
      while (end < refs.size() && is_constant(refs[end])) ++end;
      return end;
    }
    if (refs[begin].whole()) return end;
    while (end < refs.size() && refs[end].node == refs[begin].node) ++end;
    return end;
  }

  Expr run(const Refs& refs, std::size_t begin, std::size_t end) {
    if (end - begin == 1) return expr(refs[begin]);
    if (is_constant(refs[begin]))
      return join(Refs(refs.begin() + static_cast<std::ptrdiff_t>(begin),
                       refs.begin() + static_cast<std::ptrdiff_t>(end)));
    const Ref whole{refs[begin].node, -1};
    std::vector<std::int32_t> index;
    bool in_order = true;
    for (std::size_t k = begin; k < end; ++k) {
      in_order &= refs[k].element == static_cast<std::int32_t>(k - begin);
      index.push_back(refs[k].element);
    }
    const auto size = static_cast<Index>(index.size());
    if (in_order && graph_.shape_of(whole).size() == size) return expr(whole);
    return gather(vector_shape(size), expr(whole), std::move(index));
  }

  Graph& graph_;
  std::unordered_map<Refs, Ref, HashRefs> known_;
};

class Reroll {
 public:
  explicit Reroll(const Graph& graph)
      : graph_(graph),
        families_(find_families(graph)),
        emitted_(families_.members.size(), 0),
        stacks_(families_.members.size()),
        rebuild_(graph),
        columns_(rebuild_.to()) {}

  Traced run(const Traced& traced) {
    for (const Bundle& bundle : order_in_bundles(graph_, families_)) {
      rebuild_.to().statement = graph_.node(bundle.front()).statement;
      bundle.size() == 1 ? emit_single(bundle.front()) : emit_vector(bundle);
      const std::int32_t family = families_.of[at(bundle.front())];
      if (family >= 0) emitted_[at(family)] += bundle.size();
    }
    return rebuild_.finish(traced);
  }

 private:
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  void emit_single(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.op == &ops::pack) return emit_pack(id);
    if (node.op == &ops::sum && is_pack(graph_.operands(node)[0])) return emit_sum(id);
    rebuild_.copy(id);
  }

  bool is_pack(Ref ref) const { return ref.whole() && graph_.node(ref.node).op == &ops::pack; }

  Refs mapped_scalars(std::span<const Ref> olds) {
    Refs refs;
    refs.reserve(olds.size());
    for (const Ref& old : olds) refs.push_back(mapped_scalar(old));
    return refs;
  }

  // A step of a recurrence that is over is an element of the stack of all its steps, so that all
  // vectors made from the recurrence share one copy.
  Ref mapped_scalar(Ref old) {
    const Ref place = rebuild_.mapped(old);
    if (!place.whole() || rebuild_.to().is_constant(place.node)) return place;
    const std::int32_t family = families_.of[at(old.node)];
    if (family < 0) return place;
    const std::vector<NodeId>& members = families_.members[at(family)];
    if (members.size() < kMinBundle || emitted_[at(family)] < members.size()) return place;
    Ref& stack = stacks_[at(family)];
    if (stack.node == kNoNode) {
      Refs steps;
      for (const NodeId id : members) steps.push_back(rebuild_.mapped({id, -1}));
      stack = columns_.column(steps);
    }
    const auto step = std::lower_bound(members.begin(), members.end(), old.node) - members.begin();
    return {stack.node, static_cast<std::int32_t>(step)};
  }

  void emit_pack(NodeId id) {
    const Node& node = graph_.node(id);
    const Refs refs = mapped_scalars(graph_.operands(node));
    const bool one = std::all_of(refs.begin(), refs.end(), [&](Ref r) { return r == refs[0]; });
    const Expr first(rebuild_.to(), refs[0]);
    if (one && refs.size() > 1) return rebuild_.set_value(id, broadcast(node.shape, first));
    rebuild_.set_place(id, columns_.column(refs));
  }

  // The sum of packed scalars: one sum for each vector that they come from.
  void emit_sum(NodeId id) {
    const Ref packed = graph_.operands(graph_.node(id))[0];
    std::map<NodeId, Refs> vectors;
    Refs rest;
    for (const Ref& ref : mapped_scalars(graph_.operands(graph_.node(packed.node)))) {
      (ref.whole() || rebuild_.to().is_constant(ref.node) ? rest : vectors[ref.node])
          .push_back(ref);
    }
    std::vector<Expr> totals;
    for (auto& [node, refs] : vectors) {
      if (refs.size() < kMinBundle) {
        rest.insert(rest.end(), refs.begin(), refs.end());
        continue;
      }
      std::sort(refs.begin(), refs.end(), [](Ref a, Ref b) { return a.element < b.element; });
      totals.push_back(sum(Expr(rebuild_.to(), columns_.column(refs))));
    }
    if (totals.empty()) return rebuild_.copy(id);
    for (const Ref& ref : rest) totals.emplace_back(rebuild_.to(), ref);
    rebuild_.set_value(id, total(totals));
  }
  static Expr total(std::span<const Expr> terms) {
    if (terms.size() > 2 * kMinBundle) return sum(pack(vector_shape(ssize(terms)), terms));
    Expr result = terms[0];
    for (std::size_t k = 1; k < terms.size(); ++k) result = result + terms[k];
    return result;
  }

  Refs operand_of_all(const Bundle& bundle, std::size_t k) {
    Refs olds;
    for (const NodeId id : bundle) olds.push_back(graph_.operands(graph_.node(id))[k]);
    return mapped_scalars(olds);
  }

  void emit_vector(const Bundle& bundle) {
    const Node& first = graph_.node(bundle.front());
    if (is_row_product(graph_, first)) return emit_products(bundle);
    Refs operands;
    for (std::size_t k = 0; k < at(first.num_operands); ++k) {
      const Refs refs = operand_of_all(bundle, k);
      const bool one = std::all_of(refs.begin(), refs.end(), [&](Ref r) { return r == refs[0]; });
      operands.push_back(one ? refs[0] : columns_.column(refs));
    }
    if (first.op->kind == OpKind::check) return emit_checks(bundle, operands);
    const bool all_scalars = std::all_of(operands.begin(), operands.end(), [&](Ref r) {
      return rebuild_.to().shape_of(r).is_scalar();
    });
    const Shape shape = all_scalars ? Shape{} : vector_shape(ssize(bundle));
    const NodeId place = rebuild_.to().add(*first.op, shape, operands);
    for (std::size_t i = 0; i < bundle.size(); ++i) {
      const Ref element{place, static_cast<std::int32_t>(i)};
      rebuild_.set_place(bundle[i], all_scalars ? Ref{place, -1} : element);
    }
  }

  // One check of all; each element keeps its place in the order of the program's checks.
  void emit_checks(const Bundle& bundle, const Refs& operands) {
    const Node& first = graph_.node(bundle.front());
    Attributes attributes{{graph_.attributes(first).ints[0]}, {}};
    for (const NodeId id : bundle)
      attributes.ints.push_back(graph_.attributes(graph_.node(id)).ints[1]);
    const NodeId place = rebuild_.to().add(*first.op, first.shape, operands,
                                           rebuild_.to().add_attributes(std::move(attributes)));
    for (const NodeId id : bundle) rebuild_.set_place(id, {place, -1});
  }

  // Rows of data times one vector: a matrix times the vector. The longer side of the matrix lies
  // in memory order.
  void emit_products(const Bundle& bundle) {
    const auto refs = graph_.operands(graph_.node(bundle.front()));
    const Expr vector = rebuild_.mapped_expr(refs[1]);
    const Index count = ssize(bundle), length = vector.size();
    const bool rows_are_columns = length > count;
    std::vector<double> data(static_cast<std::size_t>(count * length));
    for (Index i = 0; i < count; ++i) {
      const NodeId id = bundle[static_cast<std::size_t>(i)];
      const Buffer& row = graph_.constant(graph_.operands(graph_.node(id))[0].node);
      for (Index j = 0; j < length; ++j) {
        const Index place = rows_are_columns ? j + i * length : i + j * count;
        data[static_cast<std::size_t>(place)] = (*row)[j];
      }
    }
    const Shape shape =
        rows_are_columns ? matrix_shape(length, count) : matrix_shape(count, length);
    const Expr product =
        matmul(constant(shape, data), vector.reshaped(matrix_shape(length, 1)), rows_are_columns);
    for (std::size_t i = 0; i < bundle.size(); ++i) {
      rebuild_.set_place(bundle[i], {product.ref().node, static_cast<std::int32_t>(i)});
    }
  }

  const Graph& graph_;
  Families families_;
  std::vector<std::size_t> emitted_;  // members of each family that have a place
  std::vector<Ref> stacks_;           // of each family that is a recurrence
  Rebuild rebuild_;
  Columns columns_;
};
}  // namespace

Traced reroll(const Traced& traced) {
  const std::optional<Traced> spread = spread_short_rows(traced);
  const Traced& from = spread ? *spread : traced;
  return Reroll(*from.graph).run(from);
}

}  // namespace credo::graph
