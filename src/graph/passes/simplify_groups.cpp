#include "graph/passes/simplify_groups.hpp"

#include "base/stop.hpp"
#include "graph/core/ops.hpp"
#include "numerics/linear_algebra/triangular_factor.hpp"

namespace credo::graph {
namespace {

constexpr std::size_t kMaxSources = 16;
constexpr Index kMaxLevels = 32;  // a spread source has no more
constexpr std::size_t kMaxGroupColumns = 64;
constexpr std::size_t kGroupRows = 256;

// Rows that agree in `other`, too.
RowGroups joined_groups(const RowGroups& groups, const UnknownSource& other) {
  RowGroups result;
  result.of.resize(groups.of.size());
  std::unordered_map<std::uint64_t, std::int32_t> known;
  for (std::size_t i = 0; i < result.of.size(); ++i) {
    const auto row = static_cast<std::int32_t>(i);
    const std::uint64_t key = static_cast<std::uint64_t>(groups.of[i]) << 32 |
                              static_cast<std::uint32_t>(other.class_of(row));
    const auto [place, is_new] =
        known.try_emplace(key, static_cast<std::int32_t>(result.first.size()));
    if (is_new) result.first.push_back(row);
    result.of[i] = place->second;
  }
  return result;
}

class Planner {
 public:
  Planner(const Graph& graph, ClassFinder& classes, ProductSum sum) : graph_(graph) {
    plan_.sum = std::move(sum);
    for (const Product& product : plan_.sum.products) {
      for (const UnknownFactor& factor : product.unknown) add_source(factor, classes);
    }
  }

  std::optional<GroupedPlan> run() {
    if (plan_.sources.empty() || plan_.sources.size() > kMaxSources) return std::nullopt;
    arrange();
    for (const std::size_t k : by_levels()) {
      UnknownSource& source = plan_.sources[k];
      if (source.classes->count() > kMaxLevels || !is_alone(k)) continue;
      const GroupedPlan before = plan_;
      source.is_spread = true;
      arrange();
      if (plan_.cost >= before.cost) plan_ = before;
    }
    if (!std::isfinite(plan_.cost)) return std::nullopt;
    order_groups();
    return std::move(plan_);
  }

 private:
  void add_source(const UnknownFactor& factor, ClassFinder& classes) {
    if (graph_.shape_of(factor.ref).is_scalar()) return;
    if (plan_.source_of(factor) < plan_.sources.size()) return;
    plan_.sources.push_back(
        {factor.ref.node, factor.elements, classes.classes(factor.ref.node), false});
  }

  std::vector<std::size_t> by_levels() const {
    std::vector<std::size_t> order(plan_.sources.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {},
                             [&](std::size_t k) { return plan_.sources[k].classes->count(); });
    return order;
  }

  // A spread source stands in no product with another one.
  bool is_alone(std::size_t source) const {
    return std::ranges::none_of(plan_.sum.products, [&](const Product& product) {
      std::size_t others = 0, own = 0;
      for (const UnknownFactor& factor : product.unknown) {
        if (graph_.shape_of(factor.ref).is_scalar()) continue;
        ++(plan_.source_of(factor) == source ? own : others);
      }
      return own > 0 && others > 0;
    });
  }

  // Columns, groups and cost of the present sources.
  void arrange() {
    plan_.local.clear(), plan_.global.clear(), plan_.known.clear();
    for (std::size_t t = 0; t < plan_.sum.products.size(); ++t) add_product(t);
    plan_.groups = {.of = std::vector<std::int32_t>(position(plan_.sum.size), 0), .first = {0}};
    const Index most = plan_.sum.size / 2;
    for (const UnknownSource& source : plan_.sources) {
      if (!source.is_spread && plan_.groups.count() <= most)
        plan_.groups = joined_groups(plan_.groups, source);
    }
    separate_columns();
    plan_.cost = plan_.groups.count() > most ? kInfinity : cost();
  }

  void add_product(std::size_t t) {
    const Product& product = plan_.sum.products[t];
    if (product.unknown.empty()) return plan_.known.push_back(t);
    for (const UnknownFactor& factor : product.unknown) {
      if (graph_.shape_of(factor.ref).is_scalar()) continue;
      const std::size_t source = plan_.source_of(factor);
      if (!plan_.sources[source].is_spread) break;
      const auto levels = static_cast<std::int32_t>(plan_.sources[source].classes->count());
      for (std::int32_t level = 0; level < levels; ++level) add_to_column(t, source, level);
      return;
    }
    add_to_column(t, GroupedColumn::kWithoutSource, 0);
  }

  void add_to_column(std::size_t t, std::size_t source, std::int32_t level) {
    const auto& known = plan_.sum.products[t].known;
    for (GroupedColumn& column : plan_.local) {
      const bool same = column.source == source && column.level == level;
      if (!same || plan_.sum.products[column.products[0]].known != known) continue;
      return column.products.push_back(t);
    }
    plan_.local.push_back({{t}, source, level});
  }

  // Columns whose unknowns are the same in all rows go to the global ones.
  void separate_columns() {
    const auto is_local = [&](const GroupedColumn& column) {
      if (column.source != GroupedColumn::kWithoutSource) return false;
      return std::ranges::any_of(column.products, [&](std::size_t t) {
        return std::ranges::any_of(plan_.sum.products[t].unknown, [&](const UnknownFactor& f) {
          return !graph_.shape_of(f.ref).is_scalar();
        });
      });
    };
    std::vector<GroupedColumn> all = std::move(plan_.local);
    plan_.local.clear();
    for (GroupedColumn& column : all)
      (is_local(column) ? plan_.local : plan_.global).push_back(std::move(column));
  }

  double cost() const {
    if (plan_.local.size() + plan_.global.size() > kMaxGroupColumns) return kInfinity;
    constexpr double kOverhead = 16.0;  // rows of the graph that come in
    const auto q = static_cast<double>(plan_.local.size());
    const auto k = static_cast<double>(plan_.global.size());
    const double sum = static_cast<double>(plan_.sum.products.size());
    const double group = q * (q + 1.0) + 2.0 * q * k + 4.0 * q + sum;
    return static_cast<double>(plan_.groups.count()) * group + k * k + 4.0 * k + kOverhead;
  }

  // Groups in the order of the elements that they take, so that many gathers take all of them in order.
  void order_groups() {
    std::vector<std::int32_t> first = plan_.groups.first;
    for (const std::size_t k : by_levels()) {
      const UnknownSource& source = plan_.sources[k];
      const Node& node = graph_.node(source.node);
      if (source.is_spread || node.op != &ops::gather) continue;
      const auto& index = graph_.attributes(node).ints;
      std::ranges::stable_sort(first, {}, [&](std::int32_t row) {
        return index[position(element_in_row(source.elements, row))];
      });
    }
    std::vector<std::int32_t> place(first.size());
    for (std::size_t g = 0; g < first.size(); ++g)
      place[position(plan_.groups.of[position(first[g])])] = static_cast<std::int32_t>(g);
    for (std::int32_t& group : plan_.groups.of) group = place[position(group)];
    plan_.groups.first = std::move(first);
  }

  const Graph& graph_;
  GroupedPlan plan_;
};

// Rows of each group side by side, in order; group g's begin at first[g].
struct OrderedRows {
  std::vector<std::size_t> first;
  std::vector<std::int32_t> rows;
};
OrderedRows ordered_rows(const RowGroups& groups) {
  OrderedRows result;
  result.first.assign(groups.first.size() + 1, 0);
  for (const std::int32_t group : groups.of) ++result.first[position(group) + 1];
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
  result.rows.resize(groups.of.size());
  for (std::size_t i = 0; i < groups.of.size(); ++i)
    result.rows[next[position(groups.of[i])]++] = static_cast<std::int32_t>(i);
  return result;
}

// Some rows of (Z D c), by columns.
void fill_block(const GroupedPlan& plan, std::span<const std::int32_t> rows,
                std::vector<double>& block) {
  block.clear();
  for (const auto* columns : {&plan.local, &plan.global}) {
    for (const GroupedColumn& column : *columns) {
      for (const std::int32_t row : rows) block.push_back(plan.number(column, row));
    }
  }
  for (const std::int32_t row : rows) block.push_back(plan.constant(row));
}

bool has_numbers_only(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

// The rows of a group's triangle with unknowns of the group.
void keep_rows(GroupedTriangles& all, const std::vector<double>& triangle, std::size_t group) {
  const std::size_t q = all.q, k = all.k, m = q + k + 1;
  const std::size_t groups = all.shift.empty() ? 0 : all.shift[0].size();
  for (std::size_t i = 0; i < q; ++i) {
    for (std::size_t j = i; j < q; ++j) all.local[i + j * q][group] = triangle[i + j * m];
    for (std::size_t j = 0; j < k; ++j)
      all.global[i][group + j * groups] = triangle[i + (q + j) * m];
    all.shift[i][group] = triangle[i + (q + k) * m];
  }
}

// Its other rows.
std::vector<double> other_rows(const std::vector<double>& triangle, std::size_t q, std::size_t m) {
  std::vector<double> rest;
  for (std::size_t j = q; j < m; ++j) {
    for (std::size_t i = q; i < m; ++i) rest.push_back(triangle[i + j * m]);
  }
  return rest;
}
}  // namespace

std::size_t GroupedPlan::source_of(const UnknownFactor& factor) const {
  const auto place = std::ranges::find_if(sources, [&](const UnknownSource& source) {
    return source.node == factor.ref.node && source.elements == factor.elements;
  });
  return static_cast<std::size_t>(place - sources.begin());
}

double GroupedPlan::number(const GroupedColumn& column, Index row) const {
  if (column.source != GroupedColumn::kWithoutSource &&
      sources[column.source].class_of(row) != column.level)
    return 0.0;
  const Product& product = sum.products[column.products[0]];
  double result = product.scale;
  for (const KnownFactor& factor : product.known) result *= factor.at(row);
  return result;
}

double GroupedPlan::constant(Index row) const {
  double result = 0.0;
  for (const std::size_t t : known) {
    double term = sum.products[t].scale;
    for (const KnownFactor& factor : sum.products[t].known) term *= factor.at(row);
    result += term;
  }
  return result;
}

std::optional<GroupedPlan> plan_groups(const Graph& graph, ClassFinder& classes, ProductSum sum) {
  return Planner(graph, classes, std::move(sum)).run();
}

double reading_cost(const GroupedPlan& plan) {
  const auto k = static_cast<double>(plan.global.size() + 1);
  const double m = static_cast<double>(plan.local.size()) + k;
  return 2.0 * static_cast<double>(plan.sum.size) * m * m +
         2.0 * static_cast<double>(plan.groups.count()) * k * k * k;
}

std::optional<GroupedTriangles> grouped_triangles(const GroupedPlan& plan) {
  GroupedTriangles all{.q = plan.local.size(), .k = plan.global.size()};
  const std::size_t q = all.q, k = all.k, m = q + k + 1, groups = plan.groups.first.size();
  all.local.assign(q * q, std::vector<double>(groups, 0.0));
  all.global.assign(q, std::vector<double>(groups * k, 0.0));
  all.shift.assign(q, std::vector<double>(groups, 0.0));
  numerics::TriangularFactor shared(k + 1);
  const OrderedRows order = ordered_rows(plan.groups);
  std::vector<double> block;
  for (std::size_t g = 0; g < groups; ++g) {
    stop_if_asked();
    numerics::TriangularFactor own(m);
    for (std::size_t i = order.first[g]; i < order.first[g + 1]; i += kGroupRows) {
      const std::size_t count = std::min(kGroupRows, order.first[g + 1] - i);
      fill_block(plan, std::span(order.rows).subspan(i, count), block);
      own.add(block, count);
    }
    if (!has_numbers_only(own.factor())) return std::nullopt;
    keep_rows(all, own.factor(), g);
    std::vector<double> rest = other_rows(own.factor(), q, m);
    shared.add(rest, k + 1);
  }
  all.shared = shared.factor();
  if (!has_numbers_only(all.shared)) return std::nullopt;
  return all;
}

}  // namespace credo::graph
