#include "models/formula/bases.hpp"

#include <fmt/format.h>

namespace credo::models {

double sample_mean(std::span<const double> x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  const double mean = sum / static_cast<double>(x.size());
  double rest = 0.0;  // a second pass removes the rounding of the first
  for (const double v : x) rest += v - mean;
  return mean + rest / static_cast<double>(x.size());
}

double sample_sd(std::span<const double> x) {
  const double mean = sample_mean(x);
  double sum = 0.0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return x.size() < 2 ? 0.0 : std::sqrt(sum / static_cast<double>(x.size() - 1));
}

double sample_quantile(std::vector<double> x, double probability) {
  std::ranges::sort(x);
  const double place = probability * static_cast<double>(x.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= x.size()) return x.back();
  return x[below] + (place - static_cast<double>(below)) * (x[below + 1] - x[below]);
}

namespace {
// The polynomial of the next degree from the two before it.
std::vector<double> next_degree(std::span<const double> x, double alpha, double ratio,
                                const std::vector<double>& last,
                                const std::vector<double>& before) {
  std::vector<double> next(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) next[i] = (x[i] - alpha) * last[i] - ratio * before[i];
  return next;
}
}  // namespace

PolyBasis poly_basis(std::span<const double> x, Index degree) {
  PolyBasis basis;
  std::vector<double> before(x.size(), 0.0), last(x.size(), 1.0);
  double last_norm = static_cast<double>(x.size());
  basis.norm2.push_back(last_norm);
  double ratio = 0.0;
  for (Index d = 0; d < degree; ++d) {
    double alpha = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) alpha += x[i] * last[i] * last[i] / last_norm;
    std::vector<double> next = next_degree(x, alpha, ratio, last, before);
    double norm = 0.0;
    for (const double v : next) norm += v * v;
    basis.alpha.push_back(alpha);
    basis.norm2.push_back(norm);
    ratio = norm / last_norm;
    last_norm = norm;
    before = std::move(last);
    last = std::move(next);
  }
  return basis;
}

Columns poly_columns(std::span<const double> x, const PolyBasis& basis) {
  Columns columns;
  std::vector<double> before(x.size(), 0.0), last(x.size(), 1.0);
  for (std::size_t d = 0; d < basis.alpha.size(); ++d) {
    const double ratio = d == 0 ? 0.0 : basis.norm2[d] / basis.norm2[d - 1];
    std::vector<double> next = next_degree(x, basis.alpha[d], ratio, last, before);
    before = std::move(last);
    last = std::move(next);
    std::vector<double> scaled = last;
    for (double& v : scaled) v /= std::sqrt(basis.norm2[d + 1]);
    columns.push_back(std::move(scaled));
  }
  return columns;
}

namespace {
// Values of all B-splines at x by the recurrence of Cox and de Boor [deboor1978, ch. X]; the last border belongs to the last piece.
std::vector<double> b_splines_at(double x, const std::vector<double>& knots, Index degree) {
  const std::size_t pieces = knots.size() - 1;
  std::size_t piece = pieces;
  for (std::size_t j = 0; j < pieces; ++j)
    if (knots[j] < knots[j + 1] && x >= knots[j] &&
        (x < knots[j + 1] || knots[j + 1] == knots.back()))
      piece = j;
  std::vector<double> values(pieces, 0.0);
  if (piece < pieces && x <= knots.back()) values[piece] = 1.0;
  for (std::size_t d = 1; d <= static_cast<std::size_t>(degree); ++d)
    for (std::size_t j = 0; j + d < pieces; ++j) {
      const double left = knots[j + d] - knots[j], right = knots[j + d + 1] - knots[j + 1];
      values[j] = (left > 0.0 ? (x - knots[j]) / left * values[j] : 0.0) +
                  (right > 0.0 ? (knots[j + d + 1] - x) / right * values[j + 1] : 0.0);
    }
  values.resize(pieces - static_cast<std::size_t>(degree));
  return values;
}

std::vector<double> spline_knots(std::span<const double> x, Index num_interior, Index degree) {
  const auto [least, greatest] = std::ranges::minmax(x);
  std::vector<double> knots(static_cast<std::size_t>(degree) + 1, least);
  for (Index k = 1; k <= num_interior; ++k)
    knots.push_back(sample_quantile(
        {x.begin(), x.end()}, static_cast<double>(k) / static_cast<double>(num_interior + 1)));
  knots.insert(knots.end(), static_cast<std::size_t>(degree) + 1, greatest);
  return knots;
}

// Second derivatives of all cubic B-splines at x: differences of linear ones.
std::vector<double> second_derivatives(double x, const std::vector<double>& knots) {
  const auto differences = [&](const std::vector<double>& lower, std::size_t degree) {
    std::vector<double> made(lower.size() - 1);
    for (std::size_t j = 0; j < made.size(); ++j) {
      const double left = knots[j + degree] - knots[j],
                   right = knots[j + degree + 1] - knots[j + 1];
      made[j] = static_cast<double>(degree) *
                ((left > 0.0 ? lower[j] / left : 0.0) - (right > 0.0 ? lower[j + 1] / right : 0.0));
    }
    return made;
  };
  return differences(differences(b_splines_at(x, knots, 1), 2), 3);
}

// Householder's reflections that bring the columns of `a` to triangular form, applied to unit vectors: the columns of Q.
Columns householder_q(Columns a) {
  const std::size_t n = a[0].size();
  Columns q;
  for (std::size_t k = 0; k < n; ++k) {
    q.emplace_back(n, 0.0);
    q.back()[k] = 1.0;
  }
  std::vector<std::vector<double>> reflections;
  const auto reflect = [](const std::vector<double>& v, std::vector<double>& y) {
    double product = 0.0, square = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) product += v[i] * y[i], square += v[i] * v[i];
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= 2.0 * product / square * v[i];
  };
  for (std::size_t c = 0; c < a.size(); ++c) {
    std::vector<double> v(n, 0.0);
    double norm = 0.0;
    for (std::size_t i = c; i < n; ++i) v[i] = a[c][i], norm += v[i] * v[i];
    v[c] += v[c] >= 0.0 ? std::sqrt(norm) : -std::sqrt(norm);
    for (std::size_t other = c; other < a.size(); ++other) reflect(v, a[other]);
    reflections.push_back(std::move(v));
  }
  for (std::vector<double>& column : q)
    for (std::size_t r = reflections.size(); r-- > 0;) reflect(reflections[r], column);
  return q;
}
}  // namespace

SplineBasis b_spline(std::span<const double> x, Index df, Index degree) {
  return {.knots = spline_knots(x, df - degree, degree), .degree = degree};
}

// The second derivative is zero at both ends: the columns are those of Q behind the first two [chambers1992, sec. 7.6.2].
SplineBasis natural_spline(std::span<const double> x, Index df) {
  SplineBasis basis{.knots = spline_knots(x, df - 1, 3), .degree = 3};
  Columns ends;
  for (const double end : {basis.first(), basis.last()}) {
    std::vector<double> row = second_derivatives(end, basis.knots);
    row.erase(row.begin());
    ends.push_back(std::move(row));
  }
  Columns q = householder_q(std::move(ends));
  basis.map.assign(q.begin() + 2, q.end());
  return basis;
}

Columns spline_columns(std::span<const double> x, const SplineBasis& basis) {
  const std::size_t num_splines =
      basis.knots.size() - static_cast<std::size_t>(basis.degree) - 2;  // without the first
  Columns columns(basis.map.empty() ? num_splines : basis.map.size(),
                  std::vector<double>(x.size(), 0.0));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::vector<double> all = b_splines_at(x[i], basis.knots, basis.degree);
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (std::size_t j = 0; j < num_splines; ++j)
        columns[c][i] += all[j + 1] * (basis.map.empty() ? (c == j ? 1.0 : 0.0) : basis.map[c][j]);
  }
  return columns;
}

Columns kernel_columns(std::span<const double> x, std::span<const double> centres, double length) {
  Columns columns;
  for (const double centre : centres) {
    columns.emplace_back();
    for (const double value : x) {
      const double distance = (value - centre) / length;
      columns.back().push_back(std::exp(-0.5 * distance * distance));
    }
  }
  return columns;
}

std::vector<double> equal_breaks(std::span<const double> x, Index num_pieces) {
  const auto [least, greatest] = std::ranges::minmax(x);
  const double width = greatest - least;
  std::vector<double> breaks;
  for (Index k = 0; k <= num_pieces; ++k)
    breaks.push_back(least + width * static_cast<double>(k) / static_cast<double>(num_pieces));
  breaks.front() -= width / 1000.0;
  breaks.back() += width / 1000.0;
  return breaks;
}

std::vector<std::string> piece_names(std::span<const double> breaks) {
  std::vector<std::string> borders;
  for (int digits = 3; digits <= 12; ++digits) {
    borders.clear();
    for (const double b : breaks) borders.push_back(fmt::format("{:.{}g}", b, digits));
    if (std::ranges::adjacent_find(borders) == borders.end()) break;
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k + 1 < borders.size(); ++k)
    names.push_back(fmt::format("({},{}]", borders[k], borders[k + 1]));
  return names;
}

}  // namespace credo::models
