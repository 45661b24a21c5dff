#include "models/regression/smooths/smooth_basis.hpp"

namespace credo::models {
using numerics::DenseMatrix;
namespace {

DenseMatrix identity(Index n) {
  DenseMatrix made(n);
  for (Index i = 0; i < n; ++i) made(i, i) = 1.0;
  return made;
}

// An orthonormal basis of the vectors that are orthogonal to v: a reflection takes v to a multiple of the first unit vector.
DenseMatrix orthogonal_to(std::vector<double> v) {
  const auto n = ssize(v);
  double square = 0.0;
  for (const double x : v) square += x * x;
  v[0] += v[0] < 0.0 ? -std::sqrt(square) : std::sqrt(square);
  double length = 0.0;
  for (const double x : v) length += x * x;
  DenseMatrix made(n, n - 1);
  for (Index j = 1; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      made(i, j - 1) = (i == j ? 1.0 : 0.0) - 2.0 * v[static_cast<std::size_t>(i)] *
                                                  v[static_cast<std::size_t>(j)] / length;
  return made;
}

std::vector<double> column_means(const DenseMatrix& a) {
  std::vector<double> means;
  for (Index j = 0; j < a.cols; ++j)
    means.push_back(sample_mean(
        std::span(a.values)
            .subspan(static_cast<std::size_t>(j * a.rows), static_cast<std::size_t>(a.rows))));
  return means;
}

// Coefficients of functions whose penalty is that of standard normals: S has the eigenvectors u with values d, and they are u / sqrt(d).
DenseMatrix penalised(const DenseMatrix& penalty, Index num_free) {
  const numerics::SymmetricEigen eigen(penalty);
  const Index k = penalty.rows, q = k - num_free;
  DenseMatrix made(k, q);
  for (Index j = 0; j < q; ++j) {
    const auto from = static_cast<std::size_t>(k - 1 - j);
    const double scale = 1.0 / std::sqrt(eigen.values[from]);
    for (Index i = 0; i < k; ++i)
      made(i, j) = scale * eigen.vector(from)[static_cast<std::size_t>(i)];
  }
  return made;
}

// Least squares coefficients of the columns of b on those of a.
DenseMatrix least_squares(const DenseMatrix& a, const DenseMatrix& b) {
  const DenseMatrix inverse = numerics::inverse_of_upper(numerics::triangular_factor(a));
  return inverse * (transposed(inverse) * (transposed(a) * b));
}

// Eigenvectors of a' a, the largest value first.
DenseMatrix principal_directions(const DenseMatrix& a) {
  const numerics::SymmetricEigen eigen(transposed(a) * a);
  DenseMatrix made(a.cols);
  for (Index j = 0; j < a.cols; ++j)
    std::ranges::copy(eigen.vector(static_cast<std::size_t>(a.cols - 1 - j)),
                      made.values.begin() + j * a.cols);
  return made;
}

double largest_column_sum(const DenseMatrix& a) {
  double largest = 0.0;
  for (Index j = 0; j < a.cols; ++j) {
    double sum = 0.0;
    for (Index i = 0; i < a.rows; ++i) sum += std::abs(a(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}
}  // namespace

SmoothMap smooth_map(const SmoothBasis& basis, bool is_centred) {
  const DenseMatrix free =
      is_centred ? orthogonal_to(column_means(basis.columns)) : identity(basis.penalty.rows);
  SmoothMap made;
  made.map = free * penalised(transposed(free) * (basis.penalty * free),
                              basis.lines.cols - (is_centred ? 1 : 0));
  const DenseMatrix lines = basis.columns * basis.lines;
  // Twice, so that rounding of the first time is taken off, too.
  for (int k = 0; k < 2; ++k)
    made.map = made.map - basis.lines * least_squares(lines, basis.columns * made.map);
  made.map = made.map * principal_directions(basis.columns * made.map);
  made.columns = basis.columns * made.map;
  double square = 0.0;
  for (const double v : made.columns.values) square += v * v;
  const double size = std::sqrt(square / static_cast<double>(basis.columns.rows));
  made.map = 1.0 / size * std::move(made.map);
  made.columns = 1.0 / size * std::move(made.columns);
  // mgcv divides the penalty by |S|_1 / |X|_inf^2 of the basis before the constraint.
  made.peer_units = size * std::sqrt(largest_column_sum(basis.penalty)) /
                    largest_column_sum(transposed(basis.columns));
  return made;
}

namespace {
// Squares of columns, and of the outcome's parts along them.
struct Coordinates {
  std::vector<double> columns, outcome;
  double rest = 0.0;   // squares of the outcome off all columns
  double number = 0.0;  // rows less lines
};

Coordinates coordinates_of(const SmoothMap& map, const DenseMatrix& lines,
                           std::span<const double> outcome) {
  DenseMatrix y(map.columns.rows, 1, outcome);
  y = y - lines * least_squares(lines, y);
  Coordinates made;
  made.number = static_cast<double>(y.rows - lines.cols);
  for (const double v : y.values) made.rest += v * v;
  for (Index j = 0; j < map.columns.cols; ++j) {
    double square = 0.0, product = 0.0;
    for (Index i = 0; i < y.rows; ++i) {
      square += map.columns(i, j) * map.columns(i, j);
      product += map.columns(i, j) * y(i, 0);
    }
    made.columns.push_back(square);
    made.outcome.push_back(product * product / square);
    made.rest -= made.outcome.back();
  }
  made.rest = std::max(made.rest, 0.0);
  return made;
}

// -2 log marginal likelihood at a ratio of variances, without constants.
double deviance(const Coordinates& c, double ratio) {
  double squares = c.rest, logarithms = 0.0;
  for (std::size_t j = 0; j < c.columns.size(); ++j) {
    squares += c.outcome[j] / (1.0 + ratio * c.columns[j]);
    logarithms += std::log1p(ratio * c.columns[j]);
  }
  return c.number * std::log(squares) + logarithms;
}
}  // namespace

Index num_informed(const SmoothMap& map, const DenseMatrix& lines,
                   std::span<const double> outcome) {
  constexpr double kMuch = 10.0;
  const std::vector<double> flat(static_cast<std::size_t>(map.columns.rows), 0.0);
  const Coordinates c = coordinates_of(map, lines, outcome.empty() ? flat : outcome);
  double best = 0.25;
  if (!outcome.empty() && c.rest > 0.0)
    for (double logarithm = -20.0; logarithm <= 15.0; logarithm += 0.25)
      if (logarithm == -20.0 || deviance(c, std::exp(logarithm)) < deviance(c, best))
        best = std::exp(logarithm);
  return std::ranges::count_if(c.columns, [&](double square) { return best * square > kMuch; });
}

}  // namespace credo::models
