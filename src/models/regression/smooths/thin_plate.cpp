// Thin plate regression splines of one column or two [wood2003, doi 10.1111/1467-9868.00374]: from the spline with a knot at each point, the
// eigenvectors of its penalty with the largest values, as mgcv has them.
#include <numbers>

#include "models/regression/smooths/smooth_basis.hpp"

namespace credo::models {
using numerics::DenseMatrix;
namespace {
constexpr Index kMostPoints = 2000;  // mgcv's number, too

// The radial function of the distance, such that the penalty is the integral of squared second derivatives.
double radial(std::span<const double> x, std::span<const double> y) {
  if (x.size() == 1) return std::pow(std::abs(x[0] - y[0]), 3) / 12.0;
  const double square = (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]);
  return square > 0.0 ? square * std::log(square) / (16.0 * std::numbers::pi) : 0.0;
}

using Point = std::vector<double>;

// Different points in their order; evenly chosen ones if there are too many.
std::vector<Point> points_of(const std::vector<Point>& rows) {
  std::vector<Point> all = rows;
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const auto n = ssize(all);
  if (n <= kMostPoints) return all;
  std::vector<Point> chosen;
  for (Index k = 0; k < kMostPoints; ++k)
    chosen.push_back(all[static_cast<std::size_t>(k * (n - 1) / (kMostPoints - 1))]);
  return chosen;
}

DenseMatrix radial_matrix(const std::vector<Point>& rows, const std::vector<Point>& points) {
  DenseMatrix made(ssize(rows), ssize(points));
  for (Index j = 0; j < made.cols; ++j)
    for (Index i = 0; i < made.rows; ++i)
      made(i, j) = radial(rows[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
  return made;
}

void orthonormalise(DenseMatrix& v) {
  for (int round = 0; round < 2; ++round)
    for (Index j = 0; j < v.cols; ++j) {
      const auto column = [&](Index c) {
        return std::span(v.values).subspan(static_cast<std::size_t>(c * v.rows),
                                           static_cast<std::size_t>(v.rows));
      };
      const auto own = column(j);
      for (Index i = 0; i < j; ++i) {
        const auto other = column(i);
        double product = 0.0;
        for (std::size_t r = 0; r < own.size(); ++r) product += own[r] * other[r];
        for (std::size_t r = 0; r < own.size(); ++r) own[r] -= product * other[r];
      }
      double square = 0.0;
      for (const double x : own) square += x * x;
      for (double& x : own) x /= std::sqrt(square);
    }
}

// Vectors of the k eigenvalues of the largest size, the largest value first.
DenseMatrix chosen_vectors(const numerics::SymmetricEigen& eigen, Index k) {
  std::vector<std::size_t> order(eigen.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t j) { return std::abs(eigen.values[j]); });
  order.resize(static_cast<std::size_t>(k));
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) { return eigen.values[j]; });
  DenseMatrix made(static_cast<Index>(eigen.size()), k);
  for (Index j = 0; j < k; ++j)
    std::ranges::copy(eigen.vector(order[static_cast<std::size_t>(j)]),
                      made.values.begin() + j * made.rows);
  return made;
}

// Subspace iteration with twice as many vectors [golub2013, section 8.2.4]: values of these matrices fall as a power of their number.
DenseMatrix leading_vectors(const DenseMatrix& e, Index k) {
  constexpr Index kAllAtOnce = 200, kMostRounds = 80;
  if (e.rows <= kAllAtOnce || 2 * k + 4 >= e.rows)
    return chosen_vectors(numerics::SymmetricEigen(e), k);
  DenseMatrix v(e.rows, 2 * k + 4);
  for (Index j = 0; j < v.cols; ++j)
    for (Index i = 0; i < v.rows; ++i)
      v(i, j) = std::cos(std::numbers::pi * static_cast<double>(j) * (static_cast<double>(i) + 0.5) /
                         static_cast<double>(v.rows)) +
                1e-3 * std::sin(static_cast<double>((i + 1) * (j + 2)));
  orthonormalise(v);
  DenseMatrix chosen;
  for (Index round = 0; round < kMostRounds; ++round) {
    const DenseMatrix image = e * v, small = transposed(v) * image;
    const numerics::SymmetricEigen eigen(0.5 * (small + transposed(small)));
    const DenseMatrix inner = chosen_vectors(eigen, k);
    chosen = v * inner;
    const DenseMatrix moved = image * inner, values = transposed(inner) * (small * inner);
    double residual = 0.0, largest = 0.0;
    for (Index j = 0; j < k; ++j) {
      double square = 0.0;
      for (Index i = 0; i < v.rows; ++i) {
        const double rest = moved(i, j) - values(j, j) * chosen(i, j);
        square += rest * rest;
      }
      residual = std::max(residual, std::sqrt(square));
      largest = std::max(largest, std::abs(values(j, j)));
    }
    if (residual < 3e-15 * std::sqrt(static_cast<double>(v.rows)) * largest) break;
    v = image;
    orthonormalise(v);
  }
  return chosen;
}

// An orthonormal basis of the x with A x = 0 by reflections from the left, in mgcv's order: its norms depend on it.
DenseMatrix null_space(DenseMatrix a) {
  const Index k = a.cols;
  DenseMatrix q(k);
  for (Index i = 0; i < k; ++i) q(i, i) = 1.0;
  const auto reflect = [&](DenseMatrix& m, const std::vector<double>& v, double length) {
    for (Index i = 0; i < m.rows; ++i) {
      double product = 0.0;
      for (std::size_t j = 0; j < v.size(); ++j) product += m(i, static_cast<Index>(j)) * v[j];
      for (std::size_t j = 0; j < v.size(); ++j)
        m(i, static_cast<Index>(j)) -= 2.0 * product / length * v[j];
    }
  };
  for (Index r = 0; r < a.rows; ++r) {
    std::vector<double> v;
    double square = 0.0;
    for (Index j = 0; j < k - r; ++j) v.push_back(a(r, j)), square += v.back() * v.back();
    v.back() += v.back() < 0.0 ? -std::sqrt(square) : std::sqrt(square);
    double length = 0.0;
    for (const double x : v) length += x * x;
    reflect(a, v, length);
    reflect(q, v, length);
  }
  return block(q, 0, 0, k, k - a.rows);
}

// 1 and the coordinates of each point.
DenseMatrix lines_of(const std::vector<Point>& points) {
  DenseMatrix made(ssize(points), ssize(points[0]) + 1);
  for (Index i = 0; i < made.rows; ++i) {
    made(i, 0) = 1.0;
    for (Index j = 1; j < made.cols; ++j)
      made(i, j) = points[static_cast<std::size_t>(i)][static_cast<std::size_t>(j - 1)];
  }
  return made;
}

// Roots of the mean squares of columns.
std::vector<double> column_sizes(const DenseMatrix& at) {
  std::vector<double> sizes;
  for (Index j = 0; j < at.cols; ++j) {
    double square = 0.0;
    for (Index i = 0; i < at.rows; ++i) square += at(i, j) * at(i, j);
    sizes.push_back(std::sqrt(square / static_cast<double>(at.rows)));
  }
  return sizes;
}

// Values of the wiggly functions at the rows: those of the points, and for rows that aren't points sums of radial functions.
DenseMatrix wiggly_columns(const std::vector<Point>& rows, const std::vector<Point>& points,
                           const DenseMatrix& weights, const DenseMatrix& at_points) {
  std::map<Point, Index> numbers;
  for (Index i = 0; i < ssize(points); ++i) numbers[points[static_cast<std::size_t>(i)]] = i;
  DenseMatrix columns(ssize(rows), weights.cols);
  for (Index i = 0; i < columns.rows; ++i) {
    const Point& row = rows[static_cast<std::size_t>(i)];
    const auto found = numbers.find(row);
    const bool is_point = found != numbers.end();
    const DenseMatrix own = is_point ? DenseMatrix() : radial_matrix({row}, points) * weights;
    for (Index j = 0; j < columns.cols; ++j)
      columns(i, j) = is_point ? at_points(found->second, j) : own(0, j);
  }
  return columns;
}

// Each function is divided by the root of its mean square.
void scale(SmoothBasis& made, DenseMatrix& map) {
  const std::vector<double> sizes = column_sizes(made.columns);
  const auto size = [&](Index j) { return sizes[static_cast<std::size_t>(j)]; };
  for (Index j = 0; j < map.cols; ++j) {
    for (Index i = 0; i < made.columns.rows; ++i) made.columns(i, j) /= size(j);
    for (Index i = 0; i < map.rows; ++i) map(i, j) /= size(j);
    for (Index i = 0; i < map.cols; ++i) made.penalty(i, j) /= size(i) * size(j);
    for (Index i = 0; i < made.lines.cols; ++i) made.lines(j, i) *= size(j);
  }
}

SmoothBasis thin_plate(const Columns& inputs, Index k) {
  std::vector<Point> rows(inputs[0].size());
  for (const std::vector<double>& x : inputs) {
    const double mean = sample_mean(x);
    for (std::size_t i = 0; i < x.size(); ++i) rows[i].push_back(x[i] - mean);
  }
  const std::vector<Point> points = points_of(rows);
  const DenseMatrix e = radial_matrix(points, points), u = leading_vectors(e, k),
                    weights = u * null_space(transposed(lines_of(points)) * u),
                    at_points = e * weights, inner = transposed(weights) * at_points;
  const Index wiggly = weights.cols, free = k - wiggly;
  // The functions are sums of radial functions with these weights, and then 1 and the coordinates.
  DenseMatrix map(weights.rows + free, k);
  SmoothBasis made{.columns = beside(wiggly_columns(rows, points, weights, at_points), lines_of(rows)),
                   .penalty = DenseMatrix(k),
                   .lines = DenseMatrix(k, free),
                   .function = "thin_plate_columns",
                   .inputs = "{centred}"};
  for (Index j = 0; j < wiggly; ++j) {
    for (Index i = 0; i < weights.rows; ++i) map(i, j) = weights(i, j);
    for (Index i = 0; i < wiggly; ++i) made.penalty(i, j) = 0.5 * (inner(i, j) + inner(j, i));
  }
  for (Index j = 0; j < free; ++j)
    map(weights.rows + j, wiggly + j) = made.lines(wiggly + j, j) = 1.0;
  scale(made, map);
  made.knots = {.name = "points",
                .dims = {ssize(points), ssize(inputs)},
                .comment = "where there are data, less the means"};
  for (const Point& point : points)
    made.knots.values.insert(made.knots.values.end(), point.begin(), point.end());
  made.tables = {{"weights", "of the radial functions, of 1 and of the columns", std::move(map)}};
  return made;
}
}  // namespace

extern const SmoothKind thin_plate_kind{.name = "tp",
                                        .words = "a thin plate regression spline",
                                        .most_columns = 2,
                                        .make = thin_plate};
}  // namespace credo::models
