#include "credo/sparse.hpp"

#include <fmt/format.h>

#include "numerics/linear_algebra/sizes.hpp"

namespace credo::numerics {
namespace {
auto at(Index i) { return static_cast<std::size_t>(i); }

std::pair<Index, Index> stored_place(
    const SparseElement& e) {  // (column, row) in the lower triangle
  return {std::min(e.row, e.col), std::max(e.row, e.col)};
}
}  // namespace

Index SparsePattern::place(Index row, Index col) const {
  const Index lower = std::max(row, col), column = std::min(row, col);
  const auto first = rows.begin() + starts[at(column)],
             last = rows.begin() + starts[at(column + 1)];
  const auto found = std::lower_bound(first, last, lower);
  return found != last && *found == lower ? found - rows.begin() : -1;
}

SparseSymmetric::SparseSymmetric(Index size, std::span<const SparseElement> elements) {
  std::vector<SparseElement> sorted(elements.begin(), elements.end());
  for (Index k = 0; k < size; ++k) sorted.push_back({k, k, 0.0});
  std::ranges::stable_sort(sorted, {}, stored_place);
  SparsePattern pattern;
  pattern.size = size;
  for (const SparseElement& e : sorted) {
    const auto [column, row] = stored_place(e);
    if (column < 0 || row >= size)
      throw Error(ErrorCode::usage,
                  fmt::format("element ({}, {}) lies outside of a {} x {} matrix", e.row, e.col,
                              size, size),
                  "SparseSymmetric", "rows and columns are counted from 0");
    const bool is_new =
        pattern.rows.empty() || pattern.rows.back() != row || ssize(pattern.starts) != column + 1;
    while (ssize(pattern.starts) <= column) pattern.starts.push_back(ssize(pattern.rows));
    if (!is_new) {
      values_.back() += e.value;
      continue;
    }
    pattern.rows.push_back(row);
    values_.push_back(e.value);
  }
  pattern.starts.push_back(ssize(pattern.rows));
  if (size == 0) pattern.starts = {0};
  pattern_ = std::make_shared<SparsePattern>(std::move(pattern));
}

double SparseSymmetric::operator()(Index row, Index col) const {
  const Index place = pattern_->place(row, col);
  return place < 0 ? 0.0 : values_[at(place)];
}

void SparseSymmetric::multiply(std::span<const double> x, std::span<double> out) const {
  require_size(x, size(), "multiply", "x");
  require_size(out, size(), "multiply", "out");
  std::ranges::fill(out, 0.0);
  for (Index j = 0; j < size(); ++j) {
    Index k = pattern_->starts[at(j)];
    double sum = values_[at(k)] * x[at(j)];
    for (++k; k < pattern_->starts[at(j + 1)]; ++k) {
      const auto i = at(pattern_->rows[at(k)]);
      out[i] += values_[at(k)] * x[at(j)];
      sum += values_[at(k)] * x[i];
    }
    out[at(j)] += sum;
  }
}

std::vector<double> bilinear_gradient(const SparsePattern& pattern, std::span<const double> x,
                                      std::span<const double> y) {
  require_size(x, pattern.size, "bilinear_gradient", "x");
  require_size(y, pattern.size, "bilinear_gradient", "y");
  std::vector<double> gradient(pattern.rows.size());
  for (Index j = 0; j < pattern.size; ++j) {
    for (Index k = pattern.starts[at(j)]; k < pattern.starts[at(j + 1)]; ++k) {
      const auto i = at(pattern.rows[at(k)]), column = at(j);
      gradient[at(k)] = i == column ? x[i] * y[i] : x[i] * y[column] + x[column] * y[i];
    }
  }
  return gradient;
}

}  // namespace credo::numerics
