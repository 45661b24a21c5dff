#include "model/states/quadratic.hpp"

#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/decompositions.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::model {
namespace {
constexpr double kLogOf2Pi = 1.8378770664093454836;

std::size_t place_in(Index row, Index col, Index rows) {
  return static_cast<std::size_t>(row + col * rows);
}
}  // namespace

std::vector<std::vector<double>> quadratic_points(Index n) {
  std::vector<std::vector<double>> points{std::vector<double>(static_cast<std::size_t>(n), 0.0)};
  const auto point = [&](Index i, double x, Index j, double y) {
    std::vector<double> z(static_cast<std::size_t>(n), 0.0);
    z[static_cast<std::size_t>(i)] += x;
    if (j >= 0) z[static_cast<std::size_t>(j)] += y;
    points.push_back(std::move(z));
  };
  for (Index i = 0; i < n; ++i) point(i, 1.0, -1, 0.0), point(i, -1.0, -1, 0.0);
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j) point(i, 1.0, j, 1.0);
  return points;
}

Quadratic quadratic_of(Index n, std::span<const double> value) {
  Quadratic q{n, std::vector<double>(static_cast<std::size_t>(n)),
              std::vector<double>(static_cast<std::size_t>(n * n))};
  for (Index i = 0; i < n; ++i) {
    const double plus = value[static_cast<std::size_t>(1 + 2 * i)],
                 minus = value[static_cast<std::size_t>(2 + 2 * i)];
    q.gradient[static_cast<std::size_t>(i)] = 0.5 * (plus - minus);
    q.curvature[place_in(i, i, n)] = (plus - value[0]) + (minus - value[0]);
  }
  std::size_t next = static_cast<std::size_t>(1 + 2 * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j, ++next)
      q.curvature[place_in(i, j, n)] = q.curvature[place_in(j, i, n)] =
          (value[next] - value[static_cast<std::size_t>(1 + 2 * i)]) -
          (value[static_cast<std::size_t>(1 + 2 * j)] - value[0]);
  return q;
}

std::optional<LinearGaussian> linear_gaussian_of(Index m, const Quadratic& q) {
  const Index n = q.size, k = n - m;
  for (const auto* part : {&q.gradient, &q.curvature})
    if (!std::ranges::all_of(*part, [](double x) { return std::isfinite(x); })) return std::nullopt;
  std::vector<double> precision(static_cast<std::size_t>(m * m)),
      right(static_cast<std::size_t>(m * (m + k + 1)), 0.0);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) precision[place_in(i, j, m)] = -q.curvature[place_in(i, j, n)];
  if (!(numerics::SymmetricEigen({m, m, precision}).values.front() > 0.0)) return std::nullopt;
  for (Index i = 0; i < m; ++i) {
    right[place_in(i, i, m)] = 1.0;
    for (Index j = 0; j < k; ++j) right[place_in(i, m + j, m)] = q.curvature[place_in(i, m + j, n)];
    right[place_in(i, m + k, m)] = q.gradient[static_cast<std::size_t>(i)];
  }
  std::vector<double> pivots(static_cast<std::size_t>(m));
  numerics::lu_factor(m, precision.data(), pivots.data());
  numerics::lu_solve({.n = m, .cols = m + k + 1}, precision.data(), pivots.data(), right.data());
  LinearGaussian found{
      .matrix = std::vector<double>(right.begin() + m * m, right.begin() + m * (m + k)),
      .offset = std::vector<double>(right.begin() + m * (m + k), right.end()),
      .noise = std::vector<double>(right.begin(), right.begin() + m * m)};
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < i; ++j)
      found.noise[place_in(i, j, m)] = found.noise[place_in(j, i, m)] =
          0.5 * (found.noise[place_in(i, j, m)] + found.noise[place_in(j, i, m)]);
  return found;
}

double log_normal_density(Index m, const LinearGaussian& g, std::span<const double> z) {
  std::vector<double> lu = g.noise, pivots(static_cast<std::size_t>(m)),
                      residual(static_cast<std::size_t>(m)), solved;
  for (Index i = 0; i < m; ++i) {
    double x = z[static_cast<std::size_t>(i)] - g.offset[static_cast<std::size_t>(i)];
    for (Index j = m; j < ssize(z); ++j)
      x -= g.matrix[place_in(i, j - m, m)] * z[static_cast<std::size_t>(j)];
    residual[static_cast<std::size_t>(i)] = x;
  }
  solved = residual;
  numerics::lu_factor(m, lu.data(), pivots.data());
  numerics::lu_solve({.n = m, .cols = 1}, lu.data(), pivots.data(), solved.data());
  double sum = -static_cast<double>(m) * kLogOf2Pi;
  for (Index i = 0; i < m; ++i)
    sum -= numerics::log(std::fabs(lu[place_in(i, i, m)])) +
           residual[static_cast<std::size_t>(i)] * solved[static_cast<std::size_t>(i)];
  return 0.5 * sum;
}

bool is_log_density(double value, double expected) {
  constexpr double kTolerance = 1e-6;
  return std::fabs(value - expected) <= kTolerance * (1.0 + std::fabs(expected));
}

}  // namespace credo::model
