#include "graph/passes/simplify_crossed.hpp"

#include "base/stop.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/simplify_compensated.hpp"

namespace credo::graph {
namespace {

constexpr std::size_t kMaxColumns = 64, kMaxPartitions = 16;

// Classes of rows from a key of each row, numbered as the keys first occur.
template <class KeyOf>
RowGroups groups_by(Index size, KeyOf key_of) {
  RowGroups result;
  std::unordered_map<std::uint64_t, std::int32_t> known;
  for (Index row = 0; row < size; ++row) {
    const auto next = static_cast<std::int32_t>(result.first.size());
    const auto [place, is_new] = known.try_emplace(key_of(row), next);
    if (is_new) result.first.push_back(static_cast<std::int32_t>(row));
    result.of.push_back(place->second);
  }
  return result;
}

std::uint64_t joint_key(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
}
RowGroups joined(const RowGroups& a, const RowGroups& b) {
  return groups_by(ssize(a.of), [&](Index row) {
    return joint_key(a.of[position(row)], b.of[position(row)]);
  });
}

class CrossedPlanner {
 public:
  CrossedPlanner(const Graph& graph, ClassFinder& classes, ProductSum sum)
      : graph_(graph), classes_(classes) {
    plan_.sum = std::move(sum);
    plan_.partitions = {{.of = std::vector<std::int32_t>(position(plan_.sum.size), 0),
                         .first = {0}}};
  }

  std::optional<CrossedPlan> run(bool needs_constants) {
    for (std::size_t t = 0; t < plan_.sum.products.size(); ++t) {
      if (!add_product(t)) return std::nullopt;
    }
    if (plan_.partitions.size() < 3 || (needs_constants && plan_.known.empty()))
      return std::nullopt;
    add_shared_columns();
    if (plan_.columns.size() > kMaxColumns) return std::nullopt;
    order_columns();
    count_cost();
    return std::move(plan_);
  }

 private:
  bool add_product(std::size_t t) {
    const Product& product = plan_.sum.products[t];
    if (product.unknown.empty()) return plan_.known.push_back(t), true;
    const std::optional<std::size_t> partition = partition_of(product);
    if (!partition) return false;
    for (CrossedColumn& column : plan_.columns) {
      if (column.partition != *partition || column.known != product.known) continue;
      return column.products.push_back(t), true;
    }
    plan_.columns.push_back({{t}, product.known, *partition});
    return plan_.columns.size() <= kMaxColumns;
  }

  // The rows that agree in all containers of a product.
  std::optional<std::size_t> partition_of(const Product& product) {
    RowGroups all = plan_.partitions[0];
    for (const UnknownFactor& factor : product.unknown) {
      if (graph_.shape_of(factor.ref).is_scalar()) continue;
      const RowGroups own = ordered(factor);
      all = all.count() == 1 ? own : joined(all, own);
      if (2 * all.count() > plan_.sum.size) return std::nullopt;
    }
    const auto place = std::ranges::find(plan_.partitions, all.of, &RowGroups::of);
    const auto k = static_cast<std::size_t>(place - plan_.partitions.begin());
    if (k == kMaxPartitions) return std::nullopt;
    if (place == plan_.partitions.end()) plan_.partitions.push_back(std::move(all));
    return k;
  }

  // Classes in the order of the elements that a gather takes, so that many take all of them in order.
  RowGroups ordered(const UnknownFactor& factor) {
    const ClassesPtr classes = classes_.classes(factor.ref.node);
    const auto element = [&](Index row) {
      return static_cast<std::size_t>(element_in_row(factor.elements, row));
    };
    RowGroups result = groups_by(plan_.sum.size, [&](Index row) {
      return static_cast<std::uint64_t>(classes->of[element(row)]);
    });
    const Node& node = graph_.node(factor.ref.node);
    if (node.op != &ops::gather) return result;
    const auto& index = graph_.attributes(node).ints;
    std::vector<std::int32_t> first = result.first;
    std::ranges::stable_sort(first, {}, [&](std::int32_t row) { return index[element(row)]; });
    std::vector<std::int32_t> place(first.size());
    for (std::size_t g = 0; g < first.size(); ++g)
      place[position(result.of[position(first[g])])] = static_cast<std::int32_t>(g);
    for (std::int32_t& group : result.of) group = place[position(group)];
    result.first = std::move(first);
    return result;
  }

  // Means of effects are added to an unknown of all rows with the same known numbers: without it they could drift
  // far from the fit together, where digits are lost.
  void add_shared_columns() {
    const std::vector<CrossedColumn> own = plan_.columns;
    for (const CrossedColumn& column : own) {
      const bool has_one = std::ranges::any_of(plan_.columns, [&](const CrossedColumn& other) {
        return other.partition == 0 && other.known == column.known;
      });
      if (!has_one) plan_.columns.push_back({{}, column.known, 0});
    }
  }

  void order_columns() {
    std::ranges::stable_sort(plan_.columns, {}, [&](const CrossedColumn& column) {
      const Index count = plan_.partitions[column.partition].count();
      return count == 1 ? std::numeric_limits<Index>::min() : -count;
    });
    plan_.num_shared = position(std::ranges::count(plan_.columns, 0u, &CrossedColumn::partition));
  }

  // A matrix takes a product for each element and reads it in order; a list of pairs reads two unknowns for each and adds to two
  // slopes, which takes eight times as long (InstEval: 13,029 pairs are no faster than 10,000 rows).
  static double pair_cost(Index pairs, Index rows, Index cols) {
    return static_cast<double>(is_dense_block(pairs, rows, cols) ? rows * cols : 8 * pairs);
  }

  void count_cost() {
    constexpr double kOverhead = 64.0;  // rows of the graph that come in
    const auto k = static_cast<double>(plan_.num_shared);
    plan_.cost = k * k + 4.0 * k + kOverhead;
    std::map<std::pair<std::size_t, std::size_t>, Index> cells;
    for (std::size_t s = plan_.num_shared; s < plan_.columns.size(); ++s) {
      const auto own = static_cast<double>(plan_.count(s));
      plan_.cost += own * (8.0 + 2.0 * k + static_cast<double>(plan_.columns[s].products.size()));
      for (std::size_t t = s + 1; t < plan_.columns.size(); ++t) {
        const std::size_t a = plan_.columns[s].partition, b = plan_.columns[t].partition;
        const auto [place, is_new] = cells.try_emplace({a, b}, plan_.count(s));
        if (is_new && a != b)
          place->second = joined(plan_.partitions[a], plan_.partitions[b]).count();
        plan_.pairs += place->second;
        plan_.cost += a == b ? 2.0 * own : pair_cost(place->second, plan_.count(s), plan_.count(t));
      }
    }
  }

  const Graph& graph_;
  ClassFinder& classes_;
  CrossedPlan plan_;
};

// A'A and the fit. Blocks are read once; residuals are read again after each step of the fit.
class CrossedReader {
 public:
  explicit CrossedReader(const CrossedPlan& plan) : plan_(plan) {
    for (std::size_t s = 0; s < plan.columns.size(); ++s) {
      begin_.push_back(size_);
      size_ += position(plan.count(s));
    }
  }

  std::optional<CrossedSums> run() {
    for (std::size_t s = 0; s < plan_.columns.size(); ++s) {
      for (std::size_t t = s; t < plan_.columns.size(); ++t) {
        stop_if_asked();
        result_.pairs.push_back(pair(s, t));
      }
    }
    std::vector<double> fit(size_, 0.0);
    read_residuals(fit);
    constexpr int kSteps = 3;  // the second one mends the rounding of the first
    for (int step = 0; step < kSteps && are_finite(); ++step) {
      const std::vector<double> change = minus_solution(slope_);
      for (std::size_t k = 0; k < size_; ++k) fit[k] += change[k];
      read_residuals(fit);
    }
    if (!are_finite()) return std::nullopt;
    result_.fit = by_column(fit), result_.slope = by_column(slope_);
    return std::move(result_);
  }

 private:
  const RowGroups& cells_of(std::size_t a, std::size_t b) {
    const auto [place, is_new] = cells_.try_emplace({a, b});
    if (is_new)
      place->second = a == b ? plan_.partitions[a]
                             : joined(plan_.partitions[a], plan_.partitions[b]);
    return place->second;
  }

  CrossedPair pair(std::size_t s, std::size_t t) {
    const CrossedColumn &first = plan_.columns[s], &second = plan_.columns[t];
    const RowGroups& cells = cells_of(first.partition, second.partition);
    const RowGroups &a = plan_.partitions[first.partition], &b = plan_.partitions[second.partition];
    CrossedPair result;
    result.first = s, result.second = t;
    for (const std::int32_t row : cells.first) {
      result.of_first.push_back(a.of[position(row)]);
      result.of_second.push_back(b.of[position(row)]);
    }
    std::vector<CompensatedSum> sums(cells.first.size());
    for (Index row = 0; row < plan_.sum.size; ++row)
      sums[position(cells.of[position(row)])].add(first.number(row) * second.number(row));
    for (const CompensatedSum& sum : sums) result.value.push_back(sum.total());
    return result;
  }

  // e, and from it b and |e|^2.
  void read_residuals(const std::vector<double>& fit) {
    std::vector<CompensatedSum> slope(size_);
    CompensatedSum rest;
    std::vector<double> numbers(plan_.columns.size());
    for (Index row = 0; row < plan_.sum.size; ++row) {
      CompensatedSum residual;
      residual.add(plan_.constant(row));
      for (std::size_t s = 0; s < numbers.size(); ++s) {
        numbers[s] = plan_.columns[s].number(row);
        residual.add(numbers[s] * fit[place(s, row)]);
      }
      const double e = residual.total();
      rest.add(e * e);
      for (std::size_t s = 0; s < numbers.size(); ++s) slope[place(s, row)].add(numbers[s] * e);
    }
    result_.rest = rest.total();
    slope_.clear();
    for (const CompensatedSum& sum : slope) slope_.push_back(sum.total());
  }
  std::size_t place(std::size_t column, Index row) const {
    const RowGroups& own = plan_.partitions[plan_.columns[column].partition];
    return begin_[column] + position(own.of[position(row)]);
  }

  bool are_finite() const {
    double all = result_.rest;
    for (const CrossedPair& pair : result_.pairs) {
      for (const double value : pair.value) all += std::abs(value);
    }
    for (const double slope : slope_) all += std::abs(slope);
    return std::isfinite(all);
  }

  std::vector<double> product(const std::vector<double>& x) const {
    std::vector<double> result(size_, 0.0);
    for (const CrossedPair& pair : result_.pairs) {
      for (std::size_t k = 0; k < pair.value.size(); ++k) {
        const std::size_t i = begin_[pair.first] + position(pair.of_first[k]),
                          j = begin_[pair.second] + position(pair.of_second[k]);
        result[i] += pair.value[k] * x[j];
        if (pair.first != pair.second) result[j] += pair.value[k] * x[i];
      }
    }
    return result;
  }

  // Conjugate gradients for A x = -b, scaled by the diagonal. They need not converge: b is kept.
  std::vector<double> minus_solution(const std::vector<double>& b) const {
    constexpr int kMaxSteps = 200;
    constexpr double kEnough = 1e-28;  // share of the first residual's square: 1e-14 of itself
    const auto dot = [](const std::vector<double>& x, const std::vector<double>& y) {
      return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    const std::vector<double> inverse = inverse_diagonal();
    std::vector<double> x(size_, 0.0), rest(size_), scaled(size_);
    for (std::size_t k = 0; k < size_; ++k) rest[k] = -b[k], scaled[k] = inverse[k] * rest[k];
    std::vector<double> direction = scaled;
    double norm = dot(rest, scaled);
    const double enough = kEnough * norm;
    for (int step = 0; step < kMaxSteps && norm > enough; ++step) {
      const std::vector<double> image = product(direction);
      const double curvature = dot(direction, image);
      if (!(curvature > 0.0)) break;
      const double length = norm / curvature;
      for (std::size_t k = 0; k < size_; ++k) {
        x[k] += length * direction[k], rest[k] -= length * image[k];
        scaled[k] = inverse[k] * rest[k];
      }
      const double next = dot(rest, scaled);
      for (std::size_t k = 0; k < size_; ++k)
        direction[k] = scaled[k] + next / norm * direction[k];
      norm = next;
    }
    return x;
  }
  std::vector<double> inverse_diagonal() const {
    std::vector<double> result(size_, 0.0);
    for (const CrossedPair& pair : result_.pairs) {
      if (pair.first != pair.second) continue;
      for (std::size_t k = 0; k < pair.value.size(); ++k) {
        const std::size_t i = begin_[pair.first] + position(pair.of_first[k]);
        result[i] = pair.value[k] > 0.0 ? 1.0 / pair.value[k] : 0.0;
      }
    }
    return result;
  }

  std::vector<std::vector<double>> by_column(const std::vector<double>& all) const {
    std::vector<std::vector<double>> result;
    for (std::size_t s = 0; s < begin_.size(); ++s) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(begin_[s]);
      result.emplace_back(begin, begin + plan_.count(s));
    }
    return result;
  }

  const CrossedPlan& plan_;
  std::map<std::pair<std::size_t, std::size_t>, RowGroups> cells_;
  std::vector<std::size_t> begin_;  // place of each column among all unknowns
  std::size_t size_ = 0;
  std::vector<double> slope_;
  CrossedSums result_;
};
}  // namespace

double CrossedColumn::number(Index row) const {
  double result = 1.0;
  for (const KnownFactor& factor : known) result *= factor.at(row);
  return result;
}

double CrossedPlan::constant(Index row) const {
  double result = 0.0;
  for (const std::size_t t : known) {
    double term = sum.products[t].scale;
    for (const KnownFactor& factor : sum.products[t].known) term *= factor.at(row);
    result += term;
  }
  return result;
}

bool CrossedPlan::lies_in(std::size_t fine, std::size_t coarse) const {
  if (columns[fine].known != columns[coarse].known || count(coarse) >= count(fine)) return false;
  const RowGroups &a = partitions[columns[fine].partition],
                  &b = partitions[columns[coarse].partition];
  for (std::size_t row = 0; row < a.of.size(); ++row) {
    const auto first = position(a.first[position(a.of[row])]);
    if (b.of[row] != b.of[first]) return false;
  }
  return true;
}

std::optional<CrossedPlan> plan_crossed(const Graph& graph, ClassFinder& classes, ProductSum sum,
                                        bool needs_constants) {
  return CrossedPlanner(graph, classes, std::move(sum)).run(needs_constants);
}

double reading_cost(const CrossedPlan& plan) {
  const auto columns = static_cast<double>(plan.columns.size());
  return static_cast<double>(plan.sum.size) * columns * (columns + 24.0);
}

std::optional<CrossedSums> crossed_sums(const CrossedPlan& plan) {
  return CrossedReader(plan).run();
}

}  // namespace credo::graph
