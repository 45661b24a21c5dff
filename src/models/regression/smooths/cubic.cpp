// Cubic regression splines, cyclic ones, and P-splines: piecewise cubics that a program computes from their values and second derivatives
// at knots [wood2017, sections 5.3.1, 5.3.2 and 5.3.3].
#include "models/regression/smooths/smooth_basis.hpp"

namespace credo::models {
using numerics::DenseMatrix;
namespace {
std::vector<double> different(std::vector<double> x) {
  std::ranges::sort(x);
  x.erase(std::unique(x.begin(), x.end()), x.end());
  return x;
}

double gap(std::span<const double> knots, std::size_t j) { return knots[j + 1] - knots[j]; }

// X of B X = D, by columns of an LU factorisation without pivoting: B is diagonally dominant.
DenseMatrix solved(DenseMatrix b, DenseMatrix d) {
  const Index n = b.rows;
  for (Index p = 0; p < n; ++p)
    for (Index i = p + 1; i < n; ++i) {
      const double factor = b(i, p) / b(p, p);
      if (factor == 0.0) continue;
      for (Index j = p; j < n; ++j) b(i, j) -= factor * b(p, j);
      for (Index j = 0; j < d.cols; ++j) d(i, j) -= factor * d(p, j);
    }
  return numerics::solve_upper(b, std::move(d));
}

// Equations for the second derivatives of a cubic spline with given values at its knots: B times them is D times the values.
struct SplineEquations {
  DenseMatrix b, d;
  // The second derivative at a knot between the gaps `left` and `right`; `at`: numbers of the knots before it, at it and behind it.
  void add(Index row, double left, double right, std::array<Index, 3> at, Index first_curvature) {
    const auto curvature = [&](Index knot) -> double& { return b(row, knot - first_curvature); };
    const auto has = [&](Index knot) {
      return knot >= first_curvature && knot - first_curvature < b.cols;
    };
    if (has(at[0])) curvature(at[0]) += left / 6.0;
    curvature(at[1]) += (left + right) / 3.0;
    if (has(at[2])) curvature(at[2]) += right / 6.0;
    d(row, at[0]) += 1.0 / left;
    d(row, at[1]) -= 1.0 / left + 1.0 / right;
    d(row, at[2]) += 1.0 / right;
  }
};

DenseMatrix symmetric(const DenseMatrix& a) { return 0.5 * (a + transposed(a)); }

DenseMatrix unit_values(Index n) {
  DenseMatrix made(n);
  for (Index i = 0; i < n; ++i) made(i, i) = 1.0;
  return made;
}

SmoothBasis piecewise(const std::vector<double>& x, std::vector<double> knots, DenseMatrix values,
                      DenseMatrix curvature) {
  SmoothBasis made{.columns = piecewise_cubics(x, knots, values, curvature),
                   .function = "cubic_columns",
                   .inputs = "{x}",
                   .knots = {.name = "knots", .dims = {ssize(knots)}, .values = knots}};
  made.tables = {{"values", "of each function at the knots", std::move(values)},
                 {"curvature", "second derivatives at the knots", std::move(curvature)}};
  return made;
}

// 1 and (x - mean) by their values at the places of the coefficients.
DenseMatrix lines_at(std::span<const double> places, double mean) {
  DenseMatrix lines(ssize(places), 2);
  for (Index i = 0; i < lines.rows; ++i) {
    lines(i, 0) = 1.0;
    lines(i, 1) = places[static_cast<std::size_t>(i)] - mean;
  }
  return lines;
}

// Coefficients are values at knots, which are quantiles of the different values of x.
SmoothBasis cubic_regression(const Columns& inputs, Index k) {
  const std::vector<double> all = different(inputs[0]);
  std::vector<double> knots;
  for (Index j = 0; j < k; ++j)
    knots.push_back(sample_quantile(all, static_cast<double>(j) / static_cast<double>(k - 1)));
  SplineEquations equations{DenseMatrix(k - 2), DenseMatrix(k - 2, k)};
  for (Index j = 1; j + 1 < k; ++j)
    equations.add(j - 1, gap(knots, static_cast<std::size_t>(j - 1)),
                  gap(knots, static_cast<std::size_t>(j)), {j - 1, j, j + 1}, 1);
  const DenseMatrix inner = solved(equations.b, equations.d);
  const DenseMatrix penalty = symmetric(transposed(equations.d) * inner);
  const DenseMatrix ends(1, k);  // the second derivative is zero at both ends
  SmoothBasis made = piecewise(inputs[0], knots, unit_values(k), above(above(ends, inner), ends));
  made.penalty = penalty;
  made.lines = lines_at(knots, sample_mean(inputs[0]));
  return made;
}

// Knots are spread evenly over the numbers of the different values, as mgcv's place.knots() has them.
std::vector<double> even_knots(const std::vector<double>& x, Index k) {
  const std::vector<double> all = different(x);
  std::vector<double> knots;
  const double step = static_cast<double>(all.size() - 1) / static_cast<double>(k - 1);
  for (Index j = 0; j < k; ++j) {
    const double place = step * static_cast<double>(j);
    const auto below = std::min(static_cast<std::size_t>(place), all.size() - 2);
    const double share = place - static_cast<double>(below);
    knots.push_back(all[below] * (1.0 - share) + all[below + 1] * share);
  }
  knots.back() = all.back();
  return knots;
}

// The first and the last knot are one place.
SmoothBasis cyclic(const Columns& inputs, Index k) {
  const std::vector<double> knots = even_knots(inputs[0], k);
  const Index n = k - 1;
  SplineEquations equations{DenseMatrix(n), DenseMatrix(n)};
  for (Index j = 0; j < n; ++j)
    equations.add(j, gap(knots, static_cast<std::size_t>((j + n - 1) % n)),
                  gap(knots, static_cast<std::size_t>(j)), {(j + n - 1) % n, j, (j + 1) % n}, 0);
  const DenseMatrix inner = solved(equations.b, equations.d);
  const DenseMatrix penalty = symmetric(transposed(equations.d) * inner);
  const DenseMatrix values = unit_values(n);
  SmoothBasis made = piecewise(inputs[0], knots, above(values, block(values, 0, 0, 1, n)),
                               above(inner, block(inner, 0, 0, 1, n)));
  made.inputs = "wrapped({x}, {knots})";
  made.penalty = penalty;
  made.lines = DenseMatrix(n, 1);
  for (double& one : made.lines.values) one = 1.0;
  return made;
}

// Cubic B-splines at equally spaced knots, with second differences of neighbours as the penalty [eilers1996].
SmoothBasis p_spline(const Columns& inputs, Index k) {
  auto [first, last] = std::ranges::minmax(inputs[0]);
  const double margin = 0.001 * (last - first);
  first -= margin, last += margin;
  const Index num_knots = k - 2;
  const double width = (last - first) / static_cast<double>(num_knots - 1);
  std::vector<double> knots, places;
  for (Index j = 0; j < num_knots; ++j) knots.push_back(first + width * static_cast<double>(j));
  for (Index j = 0; j < k; ++j) places.push_back(first + width * static_cast<double>(j - 1));
  DenseMatrix values(num_knots, k), curvature(num_knots, k), differences(k - 2, k);
  for (Index j = 0; j < num_knots; ++j)
    for (const auto& [of, value, second] : {std::tuple{0, 1.0, 1.0}, {1, 4.0, -2.0}, {2, 1.0, 1.0}}) {
      values(j, j + of) = value / 6.0;
      curvature(j, j + of) = second / (width * width);
      differences(j, j + of) = second;
    }
  SmoothBasis made = piecewise(inputs[0], knots, values, curvature);
  made.penalty = transposed(differences) * differences;
  made.lines = lines_at(places, sample_mean(inputs[0]));
  return made;
}
}  // namespace

DenseMatrix piecewise_cubics(std::span<const double> x, std::span<const double> knots,
                             const DenseMatrix& values, const DenseMatrix& curvature) {
  DenseMatrix made(ssize(x), values.cols);
  for (Index n = 0; n < made.rows; ++n) {
    const double wanted = x[static_cast<std::size_t>(n)],
                 at = std::clamp(wanted, knots.front(), knots.back());
    Index j = 0;
    while (j + 2 < ssize(knots) && wanted > knots[static_cast<std::size_t>(j + 1)]) ++j;
    const double h = gap(knots, static_cast<std::size_t>(j)),
                 b = (at - knots[static_cast<std::size_t>(j)]) / h, a = 1.0 - b;
    for (Index c = 0; c < made.cols; ++c) {
      const double slope = (values(j + 1, c) - values(j, c)) / h +
                           h / 6.0 * ((1.0 - 3.0 * a * a) * curvature(j, c) +
                                      (3.0 * b * b - 1.0) * curvature(j + 1, c));
      made(n, c) = a * values(j, c) + b * values(j + 1, c) +
                   h * h / 6.0 *
                       ((a * a * a - a) * curvature(j, c) + (b * b * b - b) * curvature(j + 1, c)) +
                   (wanted - at) * slope;
    }
  }
  return made;
}

extern const SmoothKind cubic_kind{.name = "cr",
                                   .words = "a cubic regression spline",
                                   .make = cubic_regression};
extern const SmoothKind cyclic_kind{.name = "cc",
                                    .words = "a cyclic cubic spline",
                                    .least = 4,
                                    .make = cyclic};
extern const SmoothKind p_spline_kind{.name = "ps",
                                      .words = "a P-spline",
                                      .least = 4,
                                      .make = p_spline};
}  // namespace credo::models
