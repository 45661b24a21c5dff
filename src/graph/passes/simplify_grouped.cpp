// Sums of squared residuals that are affine in few unknowns of all rows and in few of each group of rows:
//
//   r_i = c_i + z_i' u_g(i) + d_i' p:   sum r^2 = sum_g |R_g u_g + D_g p + c_g|^2 + |T p + d|^2 + rho^2
//
// (R_g D_g c_g) are the first q rows of the triangle of a group's (Z D c). Its other rows hold no unknown of the
// group, so all groups share one triangle of them, (T d; 0 rho). No difference is taken after squares, so
// a small residual keeps its digits. Residuals of which `statistics` makes about as little are left to it.
#include <unordered_set>

#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/simplify.hpp"
#include "graph/passes/simplify_affine.hpp"
#include "graph/passes/simplify_crossed_terms.hpp"
#include "graph/passes/simplify_readers.hpp"
#include "graph/passes/simplify_triangle.hpp"
#include "graph/passes/simplify_unknowns.hpp"

namespace credo::graph {
namespace {

// Operations of reading the data of all sums together: about a second.
constexpr double kMaxReading = 1e9;
constexpr Index kMinRows = 16;

class Grouping {
 public:
  explicit Grouping(const Graph& graph)
      : graph_(graph),
        builder_(graph, true),
        affine_(graph),
        classes_(graph),
        products_(graph, classes_) {}

  Traced run(const Traced& traced, std::vector<PathNote>* notes) {
    notes_ = notes;
    plan(traced);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) place(id);
    return builder_.rebuild().finish(traced);
  }

 private:
  struct Grouped {
    GroupedPlan plan;
    GroupedTriangles triangles;
  };
  struct Crossed {
    CrossedPlan plan;
    CrossedSums sums;
  };
  struct Residual {
    NodeId node = kNoNode;
    Product weight;  // the square root of a known weight of each row
  };

  static std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }

  // ---- what will be replaced

  void plan(const Traced& traced) {
    uses_ = num_readers(graph_, traced);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      const Residual residual = residual_of(id);
      if (residual.node == kNoNode) continue;
      const std::int32_t statement = graph_.node(id).statement;
      if (auto pairs = crossed(residual, statement)) {
        for (const NodeId inner : pairs->plan.sum.nodes) going_.insert(inner);
        crossed_.emplace(id, std::move(*pairs));
      } else if (auto found = grouped(residual, statement)) {
        for (const NodeId inner : found->plan.sum.nodes) going_.insert(inner);
        grouped_.emplace(id, std::move(*found));
      }
    }
  }

  // r where the node is sum(square(r)), or w' square(r) with known weights, and no other node reads r.
  Residual residual_of(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.op != &ops::sum && node.op != &ops::dot) return {};
    const auto refs = graph_.operands(node);
    Residual result;
    std::size_t k = 0;
    if (node.op == &ops::dot) {
      k = graph_.is_constant(refs[0].node) ? 1 : 0;
      result.weight = root_of(refs[1 - k]);
      if (result.weight.known.empty()) return {};
    }
    const Ref squared = refs[k];
    const Node& square = graph_.node(squared.node);
    if (!squared.whole() || square.op != rows().square || uses_[at(squared.node)] != 1) return {};
    const Ref residual = graph_.operands(square)[0];
    if (!residual.whole() || uses_[at(residual.node)] != 1) return {};
    if (graph_.node(residual.node).shape.size() >= kMinRows) result.node = residual.node;
    return result;
  }

  // Square roots of known weights as a factor; none where a weight is negative.
  Product root_of(const Ref& weights) const {
    if (!graph_.is_constant(weights.node) || !weights.whole()) return {};
    const Expr known(graph_.node(weights.node).shape, graph_.constant(weights.node));
    if (known.is_scalar()) return {};
    std::vector<double> roots;
    for (const double weight : known.values()) {
      if (!(weight >= 0.0)) return {};
      roots.push_back(std::sqrt(weight));
    }
    Product result;
    result.known.push_back({constant(known.shape(), roots).buffer(), 0, 1, nullptr});
    return result;
  }

  std::optional<Grouped> grouped(const Residual& residual, std::int32_t statement) {
    auto sum = products_.find(residual.node, residual.weight);
    if (!sum) return refused(statement, products_.obstacle());
    const double rows = static_cast<double>(sum->size);
    const double most = 0.5 * (2.0 * rows + sum->work);
    auto plan = plan_groups(graph_, classes_, std::move(*sum));
    if (!plan)
      return refused(statement,
                     {residual.node, has_many_pairs_
                                         ? "has about as many combinations and pairs of levels as rows"
                                         : "has no groups, or more groups than half of its rows"});
    if (plan->cost > most)
      return refused(statement, {residual.node, "has rows enough for no gain"});
    if (plan->cost > 0.5 * triangle_cost(residual) || is_left_to_classes(residual.node, *plan))
      return std::nullopt;
    const double operations = reading_cost(*plan);
    if (operations > operations_left_)
      return refused(statement, {residual.node, "has more data than are read for this"});
    operations_left_ -= operations;
    auto triangles = grouped_triangles(*plan);
    if (!triangles) return refused(statement, {residual.node, "has data that aren't finite"});
    note(statement, *plan);
    return Grouped{std::move(*plan), std::move(*triangles)};
  }

  // Pairs of indices, where they are less work than groups by a factor of kFewer and than the rows.
  std::optional<Crossed> crossed(const Residual& residual, std::int32_t statement) {
    has_many_pairs_ = false;
    if (!has_two_indices()) return std::nullopt;
    auto sum = products_.find(residual.node, residual.weight);
    if (!sum) return std::nullopt;
    const double most = 0.5 * (2.0 * static_cast<double>(sum->size) + sum->work);
    auto plan = plan_crossed(graph_, classes_, *sum, true);
    has_many_pairs_ = plan && plan->cost > most;
    if (!plan || has_many_pairs_) return std::nullopt;
    constexpr double kFewer = 4.0;
    const auto groups = plan_groups(graph_, classes_, std::move(*sum));
    if (groups && groups->cost <= std::min(most, kFewer * plan->cost)) return std::nullopt;
    if (plan->cost > 0.5 * triangle_cost(residual)) return std::nullopt;
    const double operations = reading_cost(*plan);
    if (operations > operations_left_) return std::nullopt;
    auto sums = crossed_sums(*plan);
    if (!sums) return std::nullopt;
    operations_left_ -= operations;
    note(statement, *plan);
    return Crossed{std::move(*plan), std::move(*sums)};
  }
  // True if rows are gathered by two lists of places: other programs need no plan.
  bool has_two_indices() {
    if (!has_two_indices_) {
      const std::vector<std::int32_t>* first = nullptr;
      has_two_indices_ = false;
      for (NodeId id = 0; id < graph_.num_nodes() && !*has_two_indices_; ++id) {
        const Node& node = graph_.node(id);
        if (node.op != &ops::gather || node.shape.size() < kMinRows) continue;
        const auto& index = graph_.attributes(node).ints;
        has_two_indices_ = first != nullptr && *first != index;
        if (first == nullptr) first = &index;
      }
    }
    return *has_two_indices_;
  }

  // The work of a triangle of few columns for all rows together, which `statistics` makes.
  double triangle_cost(const Residual& residual) {
    const AffinePtr x = residual.weight.known.empty() ? affine_.affine(residual.node) : nullptr;
    if (x == nullptr || x->columns.empty()) return kInfinity;
    const double n = static_cast<double>(x->size), k = static_cast<double>(x->columns.size());
    const double cost = k * k + 4.0 * k + 16.0;
    const bool pays = cost <= 0.5 * (2.0 * n + x->work);
    return pays && 2.0 * n * (k + 1.0) * (k + 1.0) <= kMaxReading ? cost : kInfinity;
  }

  // y - m with no other data: `statistics` takes the means of the classes of m.
  bool is_left_to_classes(NodeId residual, const GroupedPlan& plan) {
    const Node& node = graph_.node(residual);
    if (node.op != rows().sub && node.op != rows().add) return false;
    const auto refs = graph_.operands(node);
    for (std::size_t k = 0; k < 2; ++k) {
      const Ref y = refs[k], m = refs[1 - k];
      if (!graph_.is_constant(y.node) || graph_.shape_of(y).is_scalar() || !m.whole()) continue;
      const ClassesPtr classes = classes_.classes(m.node);
      return classes != nullptr && classes->count() <= plan.groups.count();
    }
    return false;
  }

  std::nullopt_t refused(std::int32_t statement, const Obstacle& obstacle) {
    if (notes_ != nullptr)
      notes_->push_back(
          {.path = {},
           .statement = statement,
           .because = obstacle.node == kNoNode ? 0 : graph_.node(obstacle.node).statement,
           .reason = obstacle.reason});
    return std::nullopt;
  }
  void note(std::int32_t statement, const GroupedPlan& plan) {
    if (notes_ == nullptr) return;
    notes_->push_back({.path = "grouped",
                       .statement = statement,
                       .rows = plan.sum.size,
                       .groups = plan.groups.count(),
                       .own = ssize(plan.local),
                       .shared = ssize(plan.global)});
  }

  void note(std::int32_t statement, const CrossedPlan& plan) {
    if (notes_ == nullptr) return;
    PathNote own{.path = "grouped", .statement = statement, .rows = plan.sum.size};
    for (std::size_t s = 0; s < plan.columns.size(); ++s)
      (s < plan.num_shared ? own.shared : own.own) += plan.count(s);
    own.pairs = plan.pairs;
    notes_->push_back(own);
  }

  // ---- replacing

  void place(NodeId id) {
    if (graph_.is_constant(id)) return;
    builder_.graph().statement = graph_.node(id).statement;
    if (const auto known = grouped_.find(id); known != grouped_.end())
      return builder_.rebuild().set_value(id, by_groups(known->second));
    if (const auto known = crossed_.find(id); known != crossed_.end())
      return builder_.rebuild().set_value(
          id, crossed_terms_.sum_of_squares(known->second.plan, known->second.sums));
    if (graph_.node(id).op->kind == OpKind::check && place_check(id)) return;
    builder_.place(id);
  }

  // Unknowns of one sum, and where they are known already.
  class Unknowns {
   public:
    Unknowns(Grouping& pass, const GroupedPlan& plan) : pass_(pass), plan_(plan) {}

    // The unknown of a column in each group, or of all rows.
    Expr of(const GroupedColumn& column) {
      Expr all;
      const double scale = plan_.sum.products[column.products[0]].scale;
      for (const std::size_t t : column.products) {
        const Product& product = plan_.sum.products[t];
        Expr value =
            unknown_value(pass_.builder_, pass_.graph_, product, product.scale / scale,
                          [&](const UnknownFactor& f) { return elements(f, column.source); });
        if (column.source != GroupedColumn::kWithoutSource)
          value = pass_.builder_.resolved(value.element(column.level));
        all = all.empty() ? value : pass_.builder_.add(all, value);
      }
      return all;
    }

   private:
    Expr elements(const UnknownFactor& factor, std::size_t spread) {
      const UnknownSource& source = plan_.sources[plan_.source_of(factor)];
      if (spread != GroupedColumn::kWithoutSource)
        return pass_.classes_.representatives(pass_.builder_, source.node, source.classes);
      ClassesPtr& places = places_[factor.elements.get()];
      if (places == nullptr) {
        places = elements_in_rows(factor.elements, plan_.groups.first);
        pass_.kept_.push_back(places);
      }
      return pass_.classes_.representatives(pass_.builder_, source.node, places);
    }

    Grouping& pass_;
    const GroupedPlan& plan_;
    std::map<const std::vector<std::int32_t>*, ClassesPtr> places_;
  };

  Expr by_groups(const Grouped& all) {
    const GroupedTriangles& t = all.triangles;
    Unknowns unknowns(*this, all.plan);
    std::vector<Expr> own, shared;
    for (const GroupedColumn& column : all.plan.local) own.push_back(unknowns.of(column));
    for (const GroupedColumn& column : all.plan.global) shared.push_back(unknowns.of(column));
    Expr total = triangle_norm(builder_, shared, t.shared);
    for (std::size_t i = 0; i < t.q; ++i) {
      const Expr row = row_of_groups(t, i, own, shared);
      if (!row.empty()) total = builder_.add(total, builder_.sum(builder_.square(row)));
    }
    return total;
  }

  // Row i of R_g u_g + D_g p + c_g in all groups; empty if it is 0.
  Expr row_of_groups(const GroupedTriangles& t, std::size_t i, std::span<const Expr> own,
                     std::span<const Expr> shared) {
    Expr row;
    const auto add = [&](const Expr& term) { row = row.empty() ? term : builder_.add(row, term); };
    const auto zero = [](const std::vector<double>& x) {
      return std::ranges::all_of(x, [](double v) { return v == 0.0; });
    };
    const Shape shape = vector_shape(ssize(t.shift[i]));
    const auto known = [&](Shape s, const std::vector<double>& x) {
      return builder_.interned(constant(s, x));
    };
    for (std::size_t j = i; j < t.q; ++j) {
      const std::vector<double>& factor = t.local[i + j * t.q];
      if (!zero(factor)) add(builder_.mul(known(shape, factor), own[j]));
    }
    if (t.k > 0 && !zero(t.global[i])) add(design_row(t.global[i], shape, shared));
    if (!zero(t.shift[i])) add(known(shape, t.shift[i]));
    return row;
  }

  Expr design_row(const std::vector<double>& design, Shape shape, std::span<const Expr> shared) {
    const auto k = static_cast<std::int32_t>(shared.size());
    const auto groups = static_cast<std::int32_t>(shape.size());
    if (k == 1) return builder_.mul(builder_.interned(constant(shape, design)), shared[0]);
    const Expr p = builder_.pack(vector_shape(k), {shared.begin(), shared.end()});
    return builder_
        .matmul(builder_.interned(constant(matrix_shape(groups, k), design)), p,
                {groups, k, 1, 0, 0})
        .reshaped(shape);
  }

  // A check that all rows of a sum of products are finite, where the sum itself goes: that each unknown
  // times its largest number is.
  bool place_check(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.num_operands != 1 || node.op->name == "always_fails") return false;
    const Ref x = graph_.operands(node)[0];
    if (!x.whole() || !going_.contains(x.node)) return false;
    auto sum = products_.find(x.node);
    if (!sum) return false;
    const std::vector<Expr> parts = largest_parts(std::move(*sum));
    if (parts.empty()) return false;
    Index size = 0;
    for (const Expr& part : parts) size += part.size();
    const Expr all = builder_.concat(vector_shape(size), parts);
    Attributes attributes = graph_.attributes(node);
    std::vector<std::int32_t>& ints = attributes.ints;
    ints = {ints[0], *std::min_element(ints.begin() + 1, ints.end())};
    const std::array in{all.ref_in(builder_.graph())};
    const std::int32_t list = builder_.graph().add_attributes(std::move(attributes));
    builder_.rebuild().set_place(id, {builder_.graph().add(*node.op, node.shape, in, list), -1});
    return true;
  }

  // By groups, or by pairs of indices; none if neither saves work.
  std::vector<Expr> largest_parts(ProductSum sum) {
    const double most = 0.5 * (static_cast<double>(sum.size) + sum.work);
    if (!crossed_.empty()) {
      const auto pairs = plan_crossed(graph_, classes_, sum, false);
      if (pairs && pairs->cost <= most) return crossed_terms_.largest_products(*pairs);
    }
    const auto plan = plan_groups(graph_, classes_, std::move(sum));
    return plan && plan->cost <= most ? largest_products(*plan) : std::vector<Expr>{};
  }

  // Each column's unknowns times their largest numbers; none if a number isn't finite.
  std::vector<Expr> largest_products(const GroupedPlan& plan) {
    Unknowns unknowns(*this, plan);
    std::vector<Expr> parts;
    for (const auto* columns : {&plan.local, &plan.global}) {
      for (const GroupedColumn& column : *columns) {
        const Expr unknown = unknowns.of(column);
        std::vector<double> largest(static_cast<std::size_t>(unknown.size()), 0.0);
        for (Index row = 0; row < plan.sum.size; ++row) {
          const auto group =
              static_cast<std::size_t>(plan.groups.of[static_cast<std::size_t>(row)]);
          double& own = largest[unknown.is_scalar() ? 0 : group];
          own = std::max(own, std::abs(plan.number(column, row)));
        }
        const bool finite = std::ranges::all_of(largest, [](double v) { return std::isfinite(v); });
        if (!finite) return {};
        const Expr known = builder_.interned(constant(unknown.shape(), largest));
        parts.push_back(builder_.mul(known, unknown));
      }
    }
    return parts;
  }

  const Graph& graph_;
  Builder builder_;
  AffineFinder affine_;
  ClassFinder classes_;
  ProductFinder products_;
  std::vector<PathNote>* notes_ = nullptr;
  std::vector<int> uses_;  // num_readers
  double operations_left_ = kMaxReading;
  std::unordered_map<NodeId, Grouped> grouped_;
  std::unordered_map<NodeId, Crossed> crossed_;
  std::optional<bool> has_two_indices_;
  bool has_many_pairs_ = false;  // in the residual at hand
  std::unordered_set<NodeId> going_;
  std::vector<ClassesPtr> kept_;  // representatives are known by their addresses
  CrossedTerms crossed_terms_{graph_, builder_, classes_, kept_};
};
}  // namespace

Traced reduce_to_groups(const Traced& traced, std::vector<PathNote>* notes) {
  return Grouping(*traced.graph).run(traced, notes);
}

}  // namespace credo::graph
