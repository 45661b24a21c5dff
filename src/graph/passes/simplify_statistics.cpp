// Sums of squared residuals by their sufficient statistics.
//
//   r = y + X p with known y, X:     sum r^2 = |R p + c|^2 + rho^2,  (R c; 0 rho) = qr(X y)
//   r = y + m, m equal in classes:   sum r^2 = sum_g n_g (ybar_g + m_g)^2 + sum_i (y_i - ybar_g)^2
//
// Neither cancels. The first is used where the triangle is less work than the elements; the second
// where at most half of the elements of m are distinct.
#include <unordered_set>

#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/simplify.hpp"
#include "graph/passes/simplify_affine.hpp"
#include "graph/passes/simplify_classes.hpp"
#include "numerics/linear_algebra/triangular_factor.hpp"
#include "graph/passes/simplify_readers.hpp"
#include "graph/passes/simplify_triangle.hpp"

namespace credo::graph {
namespace {

// Reading a million rows of twenty columns into a triangle takes about 0.3 s: 2 rows columns^2
// operations; all triangles of a graph together may take that.
constexpr double kMaxOperations = 1e9;
constexpr Index kBlockRows = 256;

bool all_numbers(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

class Statistics {
 public:
  explicit Statistics(const Graph& graph)
      : graph_(graph), builder_(graph, true), affine_(graph), classes_(graph) {}

  Traced run(const Traced& traced, std::vector<PathNote>* notes) {
    notes_ = notes;
    plan(traced);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) place(id);
    return builder_.rebuild().finish(traced);
  }

 private:
  struct Triangle {
    AffinePtr affine;
    std::vector<double> factor;  // factor of (X y), (k + 1) x (k + 1)
  };
  struct Grouped {
    ClassesPtr classes;
    NodeId rest = kNoNode;  // m
    bool negative = false;  // r = y - m
    Expr known;             // y
  };

  static std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }

  // ---- what will be replaced

  void plan(const Traced& traced) {
    uses_ = num_readers(graph_, traced);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      const NodeId residual = residual_of(id);
      if (residual == kNoNode) continue;
      if (auto found = triangle(residual)) {
        for (const NodeId inner : found->affine->nodes) going_.insert(inner);
        note(id, {.rows = found->affine->size, .shared = ssize(found->affine->columns)});
        triangles_.emplace(id, std::move(*found));
      } else if (const auto grouped = grouped_by_classes(residual)) {
        note(id, {.rows = ssize(grouped->classes->of), .groups = grouped->classes->count()});
        grouped_.emplace(id, *grouped);
      }
    }
  }
  void note(NodeId id, PathNote note) {
    if (notes_ == nullptr) return;
    note.path = "statistics", note.statement = graph_.node(id).statement;
    notes_->push_back(note);
  }

  // r where the node is sum(square(r)) and nobody else needs r.
  NodeId residual_of(NodeId id) const {
    const Node& sum = graph_.node(id);
    if (sum.op != &ops::sum) return kNoNode;
    const Ref squared = graph_.operands(sum)[0];
    const Node& square = graph_.node(squared.node);
    if (!squared.whole() || square.op != rows().square || uses_[at(squared.node)] != 1)
      return kNoNode;
    const Ref residual = graph_.operands(square)[0];
    if (!residual.whole() || uses_[at(residual.node)] != 1) return kNoNode;
    return residual.node;
  }

  // A triangle of k scalars costs about k^2 there and back, the elements a few operations each and
  // what makes them.
  AffinePtr worthwhile(NodeId residual) {
    const AffinePtr x = affine_.affine(residual);
    if (x == nullptr || x->columns.empty()) return nullptr;
    const double n = static_cast<double>(x->size), k = static_cast<double>(x->columns.size());
    constexpr double kOverhead = 16.0;  // rows of the graph that come in
    return k * k + 4.0 * k + kOverhead > 0.5 * (2.0 * n + x->work) ? nullptr : x;
  }

  std::optional<Triangle> triangle(NodeId residual) {
    const AffinePtr x = worthwhile(residual);
    if (x == nullptr) return std::nullopt;
    const double k = static_cast<double>(x->columns.size() + 1);
    const double operations = 2.0 * static_cast<double>(x->size) * k * k;
    if (operations > operations_left_) return std::nullopt;
    operations_left_ -= operations;
    numerics::TriangularFactor factor(x->columns.size() + 1);
    for_rows(*x, [&](std::span<double> block, std::size_t count) { factor.add(block, count); });
    if (!all_numbers(factor.factor())) return std::nullopt;  // so are the columns
    return Triangle{x, factor.factor()};
  }

  // visit(rows of (X y), their number) for blocks of rows.
  template <class Visit>
  void for_rows(const Affine& x, Visit visit) {
    AffineRows rows_of(graph_, affine_, x);
    const Index columns = ssize(x.columns) + 1;
    std::vector<double> block(static_cast<std::size_t>(kBlockRows * columns));
    for (Index begin = 0; begin < x.size; begin += kBlockRows) {
      const Index count = std::min(kBlockRows, x.size - begin);
      const std::span part(block.data(), static_cast<std::size_t>(count * columns));
      rows_of.fill(begin, count, part);
      visit(part, static_cast<std::size_t>(count));
    }
  }

  std::optional<Grouped> grouped_by_classes(NodeId residual) {
    const Node& node = graph_.node(residual);
    if (node.op != rows().sub && node.op != rows().add) return std::nullopt;
    const auto refs = graph_.operands(node);
    for (std::size_t k = 0; k < 2; ++k) {
      const Ref y = refs[k], m = refs[1 - k];
      if (!graph_.is_constant(y.node) || !m.whole() || graph_.shape_of(m).is_scalar()) continue;
      const Expr known(builder_.graph(), builder_.rebuild().mapped(y));
      const ClassesPtr classes = classes_.classes(m.node);
      if (classes == nullptr || known.is_scalar() || !all_finite(known)) return std::nullopt;
      return Grouped{classes, m.node, node.op == rows().sub, known};
    }
    return std::nullopt;
  }

  // ---- replacing

  void place(NodeId id) {
    if (graph_.is_constant(id)) return;
    builder_.graph().statement = graph_.node(id).statement;
    if (const auto known = triangles_.find(id); known != triangles_.end())
      return builder_.rebuild().set_value(id, by_triangle(known->second));
    if (const auto group = grouped_.find(id); group != grouped_.end())
      return builder_.rebuild().set_value(id, by_classes(group->second));
    if (graph_.node(id).op->kind == OpKind::check && place_check(id)) return;
    builder_.place(id);
  }

  std::vector<Expr> scalars(const Affine& x) {
    std::vector<Expr> all;
    for (const Ref& scalar : x.columns) all.push_back(builder_.operand(scalar));
    return all;
  }

  Expr by_triangle(const Triangle& triangle) {
    return triangle_norm(builder_, scalars(*triangle.affine), triangle.factor);
  }

  Expr by_classes(const Grouped& group) {
    const Classes& classes = *group.classes;
    const auto count = static_cast<std::size_t>(classes.count());
    std::vector<double> weight(count, 0.0), mean(count, 0.0);
    const auto y = group.known.values();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto own = static_cast<std::size_t>(classes.of[i]);
      weight[own] += 1.0;
      mean[own] += (y[i] - mean[own]) / weight[own];
    }
    double within = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double rest = y[i] - mean[static_cast<std::size_t>(classes.of[i])];
      within += rest * rest;
    }
    // sum_i (y_i - ybar)^2 is that about the computed mean, whose own error is of second order
    const Shape shape = vector_shape(classes.count());
    const Expr means = builder_.interned(constant(shape, mean));
    const Expr m = classes_.representatives(builder_, group.rest, group.classes);
    const Expr residual = group.negative ? builder_.sub(means, m) : builder_.add(means, m);
    const Expr weights = builder_.interned(constant(shape, weight));
    return builder_.add(builder_.dot(weights, builder_.square(residual)), within);
  }

  std::vector<double> largest_factors(const Affine& x) {
    std::vector<double> largest(x.columns.size(), 0.0);
    for_rows(x, [&](std::span<const double> block, std::size_t count) {
      for (std::size_t j = 0; j < largest.size(); ++j) {
        for (const double value : block.subspan(j * count, count))
          largest[j] = std::max(largest[j], std::abs(value));
      }
    });
    return largest;
  }

  // A check that all of X p is finite, where X p itself goes: that each product is.
  bool place_check(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.num_operands != 1 || node.op->name == "always_fails") return false;
    const Ref x = graph_.operands(node)[0];
    if (!x.whole() || (uses_[at(x.node)] > 0 && !going_.contains(x.node))) return false;
    const AffinePtr affine = affine_.affine(x.node);
    if (affine == nullptr || affine->columns.empty()) return false;
    const std::vector<double> largest = largest_factors(*affine);
    const Shape shape = vector_shape(ssize(largest));
    const Expr scaled = builder_.mul(builder_.pack(shape, scalars(*affine)),
                                     builder_.interned(constant(shape, largest)));
    Attributes attributes = graph_.attributes(node);
    std::vector<std::int32_t>& ints = attributes.ints;
    const std::int32_t first = *std::min_element(ints.begin() + 1, ints.end());
    ints = {ints[0], first};
    const std::array in{scaled.ref_in(builder_.graph())};
    const std::int32_t list = builder_.graph().add_attributes(std::move(attributes));
    builder_.rebuild().set_place(id, {builder_.graph().add(*node.op, node.shape, in, list), -1});
    return true;
  }

  const Graph& graph_;
  Builder builder_;
  AffineFinder affine_;
  ClassFinder classes_;
  std::vector<PathNote>* notes_ = nullptr;
  std::vector<int> uses_;  // num_readers
  double operations_left_ = kMaxOperations;
  std::unordered_map<NodeId, Triangle> triangles_;
  std::unordered_map<NodeId, Grouped> grouped_;
  std::unordered_set<NodeId> going_;
};
}  // namespace

Traced reduce_to_statistics(const Traced& traced, std::vector<PathNote>* notes) {
  return Statistics(*traced.graph).run(traced, notes);
}

}  // namespace credo::graph
