#include "graph/passes/simplify_crossed_terms.hpp"

#include "graph/core/ops.hpp"
#include "graph/passes/simplify_unknowns.hpp"

namespace credo::graph {
namespace {

// d = p - p0 by column, and the sum of squares of d.
class Deviations {
 public:
  Deviations(Builder& builder, const CrossedPlan& plan, const CrossedSums& sums,
             std::vector<Expr> d)
      : builder_(builder), plan_(plan), sums_(sums), d_(std::move(d)) {
    for (std::size_t s = 0; s < d_.size(); ++s)
      d_[s] = builder_.sub(d_[s], vector(sums.fit[s]));
  }

  // Moves the means of effects to the unknowns of the coarser classes that they lie in, with the same known numbers.
  // The sum stays the same; unknowns that drift together, as an intercept and all effects do, no longer cancel in it.
  void centre() {
    for (std::size_t s = plan_.num_shared; s < d_.size(); ++s) {
      for (std::size_t t = plan_.num_shared; t < d_.size(); ++t) {
        if (plan_.lies_in(s, t)) move_means(s, t);
      }
      for (std::size_t t = 0; t < plan_.num_shared; ++t) {
        if (plan_.lies_in(s, t)) move_mean(s, t);
      }
    }
  }

  Expr sum_of_squares() {
    prepare_rows();
    Expr total = shared_part();
    for (std::size_t s = plan_.num_shared; s < d_.size(); ++s)
      total = builder_.add(total, builder_.dot(d_[s], row(s)));
    for (const Expr& product : far_products_) total = builder_.add(total, product);
    return builder_.add(total, sums_.rest);
  }

 private:
  Expr vector(const std::vector<double>& values) {
    return builder_.interned(constant(vector_shape(ssize(values)), values));
  }

  void move_mean(std::size_t from, std::size_t to) {
    const Expr mean = builder_.mul(1.0 / count_of(d_[from]), builder_.sum(d_[from]));
    d_[to] = builder_.add(d_[to], mean);
    d_[from] = builder_.sub(d_[from], mean);
  }
  void move_means(std::size_t from, std::size_t to) {
    const RowGroups &fine = plan_.partitions[plan_.columns[from].partition],
                    &coarse = plan_.partitions[plan_.columns[to].partition];
    std::vector<std::int32_t> parent;
    std::vector<double> weight(coarse.first.size(), 0.0);
    for (const std::int32_t row : fine.first) {
      parent.push_back(coarse.of[position(row)]);
      weight[position(parent.back())] += 1.0;
    }
    for (double& w : weight) w = 1.0 / w;
    const Shape shape = vector_shape(coarse.count());
    const Expr sums = builder_.apply(
        ops::scatter_add, {d_[from]},
        {parent, {double(shape.batch), double(shape.rows), double(shape.cols)}}, shape);
    const Expr means = builder_.mul(vector(weight), sums);
    d_[to] = builder_.add(d_[to], means);
    d_[from] = builder_.sub(d_[from],
                            builder_.gather(vector_shape(fine.count()), means, parent));
  }

  // Sorts the pairs into the row of their first column: A_ss d_s + 2 A_st d_t.
  void prepare_rows() {
    const std::size_t k = plan_.num_shared;
    rows_.resize(d_.size()), shared_.assign(k * k, 0.0), by_shared_.resize(d_.size());
    for (const CrossedPair& pair : sums_.pairs) {
      if (pair.second < k) {
        shared_[pair.first + pair.second * k] = shared_[pair.second + pair.first * k] =
            pair.value[0];
      } else if (pair.first < k) {
        take_design(pair);
      } else {
        take_pair(pair);
      }
    }
  }

  // Shared column `first` in the row of an effect.
  void take_design(const CrossedPair& pair) {
    const Index count = plan_.count(pair.second);
    std::vector<double>& design = by_shared_[pair.second];
    design.resize(position(count) * plan_.num_shared);
    for (std::size_t c = 0; c < pair.value.size(); ++c)
      design[position(pair.of_second[c]) + pair.first * position(count)] = 2.0 * pair.value[c];
  }

  void take_pair(const CrossedPair& pair) {
    const std::size_t s = pair.first, t = pair.second;
    const bool is_square = s == t;
    const double factor = is_square ? 1.0 : 2.0;
    if (plan_.columns[s].partition == plan_.columns[t].partition) {
      std::vector<double> diagonal(position(plan_.count(s)), 0.0);
      for (std::size_t c = 0; c < pair.value.size(); ++c)
        diagonal[position(pair.of_first[c])] = factor * pair.value[c];
      return add_to_row(s, builder_.mul(vector(diagonal), d_[t]));
    }
    const Index rows = plan_.count(s), cols = plan_.count(t);
    if (is_dense_block(ssize(pair.value), rows, cols)) return take_dense(pair, rows, cols);
    const Shape shape = vector_shape(ssize(pair.value));
    std::vector<double> values = pair.value;
    for (double& value : values) value *= factor;
    const Expr first = builder_.gather(shape, d_[s], pair.of_first),
               second = builder_.gather(shape, d_[t], pair.of_second);
    far_products_.push_back(builder_.dot(builder_.mul(vector(values), first), second));
  }

  void take_dense(const CrossedPair& pair, Index rows, Index cols) {
    std::vector<double> block(position(rows * cols), 0.0);
    for (std::size_t c = 0; c < pair.value.size(); ++c)
      block[position(pair.of_first[c]) + position(pair.of_second[c] * rows)] = 2.0 * pair.value[c];
    const Expr known = builder_.interned(constant(matrix_shape(rows, cols), block));
    const auto n = static_cast<std::int32_t>(rows), m = static_cast<std::int32_t>(cols);
    add_to_row(pair.first, builder_.matmul(known, d_[pair.second], {n, m, 1, 0, 0})
                               .reshaped(vector_shape(rows)));
  }

  void add_to_row(std::size_t s, const Expr& term) {
    rows_[s] = rows_[s].empty() ? term : builder_.add(rows_[s], term);
  }

  Expr row(std::size_t s) {
    add_to_row(s, design_row(by_shared_[s], plan_.count(s)));
    if (!is_zero(sums_.slope[s])) add_to_row(s, vector(doubled(sums_.slope[s])));
    return rows_[s];
  }
  Expr design_row(const std::vector<double>& design, Index count) {
    const auto k = static_cast<std::int32_t>(plan_.num_shared);
    if (k == 1) return builder_.mul(vector(design), d_[0]);
    const Expr known = builder_.interned(constant(matrix_shape(count, k), design));
    return builder_
        .matmul(known, shared_unknowns(), {static_cast<std::int32_t>(count), k, 1, 0, 0})
        .reshaped(vector_shape(count));
  }
  Expr shared_unknowns() {
    const auto end = d_.begin() + static_cast<std::ptrdiff_t>(plan_.num_shared);
    return builder_.pack(vector_shape(static_cast<Index>(plan_.num_shared)), {d_.begin(), end});
  }

  // d'A d + 2 b'd of the unknowns of all rows.
  Expr shared_part() {
    const auto k = static_cast<std::int32_t>(plan_.num_shared);
    std::vector<double> slope;
    for (std::int32_t j = 0; j < k; ++j) slope.push_back(2.0 * sums_.slope[position(j)][0]);
    const Expr all = shared_unknowns();
    const Shape square = matrix_shape(k, k), shape = vector_shape(k);
    const Expr image = k == 1 ? builder_.mul(shared_[0], all)
                              : builder_
                                    .matmul(builder_.interned(constant(square, shared_)), all,
                                            {k, k, 1, 0, 0})
                                    .reshaped(shape);
    const Expr moved = k == 1 ? builder_.add(image, slope[0]) : builder_.add(image, vector(slope));
    return builder_.dot(all, moved);
  }

  static bool is_zero(const std::vector<double>& x) {
    return std::ranges::all_of(x, [](double v) { return v == 0.0; });
  }
  static std::vector<double> doubled(std::vector<double> x) {
    for (double& v : x) v *= 2.0;
    return x;
  }

  Builder& builder_;
  const CrossedPlan& plan_;
  const CrossedSums& sums_;
  std::vector<Expr> d_, rows_, far_products_;
  std::vector<double> shared_;                  // A of the unknowns of all rows
  std::vector<std::vector<double>> by_shared_;  // by effect: twice its products with those
};
}  // namespace

Expr CrossedTerms::sum_of_squares(const CrossedPlan& plan, const CrossedSums& sums) {
  places_.clear();
  std::vector<Expr> all;
  for (const CrossedColumn& column : plan.columns) all.push_back(unknowns(plan, column));
  Deviations deviations(builder_, plan, sums, std::move(all));
  deviations.centre();
  return deviations.sum_of_squares();
}

std::vector<Expr> CrossedTerms::largest_products(const CrossedPlan& plan) {
  places_.clear();
  std::vector<Expr> parts;
  for (const CrossedColumn& column : plan.columns) {
    if (column.products.empty()) continue;
    const RowGroups& own = plan.partitions[column.partition];
    std::vector<double> largest(own.first.size(), 0.0);
    for (Index row = 0; row < plan.sum.size; ++row) {
      double& most = largest[position(own.of[position(row)])];
      most = std::max(most, std::abs(column.number(row)));
    }
    if (!std::ranges::all_of(largest, [](double v) { return std::isfinite(v); })) return {};
    const Expr known = builder_.interned(constant(vector_shape(own.count()), largest));
    parts.push_back(builder_.mul(known, unknowns(plan, column)));
  }
  return parts;
}

// The unknown of a column in each class of rows.
Expr CrossedTerms::unknowns(const CrossedPlan& plan, const CrossedColumn& column) {
  Expr all;
  for (const std::size_t t : column.products) {
    const Product& product = plan.sum.products[t];
    const RowGroups& classes = plan.partitions[column.partition];
    const Expr value =
        unknown_value(builder_, graph_, product, product.scale,
                      [&](const UnknownFactor& factor) { return elements(factor, classes); });
    all = all.empty() ? value : builder_.add(all, value);
  }
  return all.empty() ? Expr(0.0) : all;
}

Expr CrossedTerms::elements(const UnknownFactor& factor, const RowGroups& classes) {
  ClassesPtr& places = places_[{factor.elements.get(), &classes}];
  if (places == nullptr) {
    places = elements_in_rows(factor.elements, classes.first);
    kept_.push_back(places);
  }
  return classes_.representatives(builder_, factor.ref.node, places);
}

}  // namespace credo::graph
