#include "transform/parts_rounded.hpp"

#include "transform/parts.hpp"

namespace credo::transform {
namespace {

// Every stride-th element, `count` of them.
struct Line {
  std::span<double> all;
  std::size_t begin, count, stride;
  double& operator[](std::size_t k) const { return all[begin + k * stride]; }
  double sum() const {
    double total = 0.0;
    for (std::size_t k = 0; k < count; ++k) total += (*this)[k];
    return total;
  }
  double length() const {
    double square = 0.0;
    for (std::size_t k = 0; k < count; ++k) square += (*this)[k] * (*this)[k];
    return std::sqrt(square);
  }
  void divide(double by) const {
    for (std::size_t k = 0; k < count; ++k) (*this)[k] /= by;
  }
  void shift(double by) const {
    for (std::size_t k = 0; k < count; ++k) (*this)[k] -= by;
  }
};

Line whole(std::span<double> value) { return {value, 0, value.size(), 1}; }
template <class Work>
void for_each_column(std::span<double> value, const Shape& unit, const Work& work) {
  const auto rows = static_cast<std::size_t>(unit.rows);
  for (std::size_t c = 0; c < static_cast<std::size_t>(unit.cols); ++c)
    work(Line{value, c * rows, rows, 1});
}
template <class Work>
void for_each_row(std::span<double> value, const Shape& unit, const Work& work) {
  const auto rows = static_cast<std::size_t>(unit.rows),
             columns = static_cast<std::size_t>(unit.cols);
  for (std::size_t r = 0; r < rows; ++r) work(Line{value, r, columns, rows});
}

bool is_definite(std::span<const double> matrix, Index n) {
  const std::vector<double> factor = plain_cholesky(matrix, n);
  for (Index k = 0; k < n; ++k)
    if (!(factor[static_cast<std::size_t>(k * n + k)] > 0.0)) return false;
  return true;
}

void make_symmetric(std::span<double> value, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      value[i * n + j] = value[j * n + i] = 0.5 * (value[i * n + j] + value[j * n + i]);
}
}  // namespace

void renew_sum(std::span<double> value, const Shape&, const Bounds&, double) {
  whole(value).divide(whole(value).sum());
}
void renew_columns(std::span<double> value, const Shape& unit, const Bounds&, double) {
  for_each_column(value, unit, [](const Line& line) { line.divide(line.sum()); });
}
void renew_rows(std::span<double> value, const Shape& unit, const Bounds&, double) {
  for_each_row(value, unit, [](const Line& line) { line.divide(line.sum()); });
}
void renew_length(std::span<double> value, const Shape&, const Bounds&, double) {
  whole(value).divide(whole(value).length());
}
void renew_row_lengths(std::span<double> value, const Shape& unit, const Bounds&, double) {
  for_each_row(value, unit, [](const Line& line) { line.divide(line.length()); });
}
void renew_zero_sum(std::span<double> value, const Shape&, const Bounds&, double) {
  whole(value).shift(whole(value).sum() / static_cast<double>(value.size()));
}
void renew_zero_sums(std::span<double> value, const Shape& unit, const Bounds&, double) {
  const auto centre = [](const Line& line) {
    line.shift(line.sum() / static_cast<double>(line.count));
  };
  for_each_column(value, unit, centre);
  for_each_row(value, unit, centre);
}

// Equal neighbours, and neighbours in the wrong order, are moved a little apart.
void renew_order(std::span<double> value, const Shape&, const Bounds&, double rounding) {
  for (std::size_t k = 1; k < value.size(); ++k) {
    const double least = value[k - 1] + 0.1 * rounding * std::abs(value[k - 1]);
    value[k] = std::max(value[k], least);
  }
}

// Values that were rounded to a bound are moved inside.
void renew_within(std::span<double> value, const Shape&, const Bounds& limits, double rounding) {
  for (std::size_t e = 0; e < value.size(); ++e) {
    const double lower = bound_at(limits.first, static_cast<Index>(e), -kInfinity),
                 upper = bound_at(limits.second, static_cast<Index>(e), kInfinity);
    if (value[e] <= lower) value[e] = lower + 0.5 * rounding * std::abs(lower);
    if (value[e] >= upper) value[e] = upper - 0.5 * rounding * std::abs(upper);
  }
}

void renew_correlations(std::span<double> value, const Shape& unit, const Bounds&,
                        double rounding) {
  const auto n = static_cast<std::size_t>(unit.rows);
  make_symmetric(value, n);
  for (std::size_t k = 0; k < n; ++k) value[k * n + k] = 1.0;
  if (is_definite(value, unit.rows)) return;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) value[i * n + j] *= 1.0 - rounding;
}

void renew_covariances(std::span<double> value, const Shape& unit, const Bounds&, double rounding) {
  const auto n = static_cast<std::size_t>(unit.rows);
  make_symmetric(value, n);
  if (is_definite(value, unit.rows)) return;
  for (std::size_t k = 0; k < n; ++k) value[k * n + k] *= 1.0 + rounding;
}

Result<std::vector<double>, Broken> unconstrain_rounded(const Transform& transform,
                                                        std::span<const double> value,
                                                        const Shape& unit, const Bounds& limits,
                                                        double rounding) {
  auto free = transform.unconstrain(value, unit, limits);
  const auto is_finite = [](const auto& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  };
  if (transform.renew == nullptr || rounding <= 0.0 || (free && is_finite(*free))) return free;
  std::vector<double> renewed(value.begin(), value.end());
  transform.renew(renewed, unit, limits, rounding);
  double largest = 0.0, moved = 0.0;
  for (std::size_t e = 0; e < value.size(); ++e) {
    largest = std::max(largest, std::abs(value[e]));
    moved = std::max(moved, std::abs(renewed[e] - value[e]));
  }
  if (!(moved <= 2.0 * rounding * largest)) return free;
  return transform.unconstrain(renewed, unit, limits);
}

}  // namespace credo::transform
