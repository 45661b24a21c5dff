#include "numerics/gaussian_integrals.hpp"

#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "numerics/special.hpp"

namespace credo::numerics {
namespace {
constexpr std::size_t kHermite = HermiteRule::kPoints;
constexpr double kLeastLog = 40.0;  // e^-40 of the largest integrand doesn't count
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

// Eigenvalues of the Jacobi matrix, whose entries beside the diagonal are √k [golub1969]; then two of Newton's steps on the orthonormal
// polynomial, since the weights need all digits: w = 1 / (n p_{n-1}(z)²).
HermiteRule make_hermite_rule() {
  const auto n = static_cast<Index>(kHermite);
  DenseMatrix jacobi(n);
  for (Index k = 1; k < n; ++k)
    jacobi(k, k - 1) = jacobi(k - 1, k) = std::sqrt(static_cast<double>(k));
  const SymmetricEigen eigen(std::move(jacobi));
  HermiteRule rule{};
  for (std::size_t i = 0; i < kHermite; ++i) {
    double z = eigen.values[i], before = 0.0;
    for (int step = 0; step < 3; ++step) {
      double current = 1.0;
      before = 0.0;
      for (Index k = 0; k < n; ++k) {  // √(k + 1) p_{k+1} = z p_k - √k p_{k-1}
        const double root = std::sqrt(static_cast<double>(k));
        const double next = (z * current - root * before) / std::sqrt(static_cast<double>(k + 1));
        before = current, current = next;
      }
      z -= current / (std::sqrt(static_cast<double>(n)) * before);
    }
    rule.points[i] = z;
    rule.weights[i] = 1.0 / (static_cast<double>(n) * before * before);
  }
  return rule;
}

double log_normal(double s, double mean, double variance) {
  const double d = s - mean;
  return -kHalfLogTwoPi - 0.5 * log(variance) - 0.5 * d * d / variance;
}

// Sums of weighted points, the largest term of which is one.
TiltedNormal moments_of(std::span<const double> s, std::span<const double> log_terms) {
  const double top = *std::ranges::max_element(log_terms);
  if (!std::isfinite(top)) return {.log_mass = top};
  double mass = 0.0, mean = 0.0, square = 0.0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double w = exp(log_terms[i] - top);
    mass += w, mean += w * s[i];
  }
  mean /= mass;
  for (std::size_t i = 0; i < s.size(); ++i)
    square += exp(log_terms[i] - top) * (s[i] - mean) * (s[i] - mean);
  return {.log_mass = top + log(mass), .mean = mean, .variance = square / mass};
}

// The slope and the curvature of the log of the tilted density.
struct TiltedSlope {
  double slope = kNaN, curvature = kNaN;
};
TiltedSlope slope_at(double s, double mean, double variance, const LogFactor& factor,
                     double power) {
  const double h = 1e-4 * std::sqrt(variance);
  const std::array<double, 3> at = {s - h, s, s + h};
  std::array<double, 3> values{}, slopes{};
  factor(at, values, slopes);
  return {.slope = (mean - s) / variance + power * slopes[1],
          .curvature = -1.0 / variance + power * (slopes[2] - slopes[0]) / (2.0 * h)};
}

struct GridRange {
  double lo, hi;
};

// The log of the tilted density on n points of a range.
struct TiltedGrid {
  std::vector<double> s, values, slopes, log_terms;
  void place(const GridRange& range, std::size_t n) {
    s.resize(n), values.resize(n), slopes.resize(n), log_terms.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      s[i] = range.lo + (range.hi - range.lo) * static_cast<double>(i) / static_cast<double>(n - 1);
  }
  void evaluate(double mean, double variance, const LogFactor& factor, double power) {
    factor(s, values, slopes);
    for (std::size_t i = 0; i < s.size(); ++i)
      log_terms[i] = log_normal(s[i], mean, variance) + power * values[i];
  }
};

// Shrinks a range to the points whose terms count, as long as it becomes smaller.
GridRange range_that_counts(double mean, double variance, const LogFactor& factor, double power,
                            const TiltedPeak& peak) {
  const double far = 12.0 * std::sqrt(variance);
  GridRange range{mean - far, mean + far};
  TiltedGrid grid;
  constexpr std::size_t kCoarse = 65;
  for (int zoom = 0; zoom < 12; ++zoom) {
    grid.place(range, kCoarse);
    grid.evaluate(mean, variance, factor, power);
    const double top = *std::ranges::max_element(grid.log_terms);
    std::size_t first = kCoarse, last = 0;
    for (std::size_t i = 0; i < kCoarse; ++i)
      if (grid.log_terms[i] > top - kLeastLog) first = std::min(first, i), last = i;
    if (first > last) break;
    GridRange smaller{grid.s[first == 0 ? 0 : first - 1], grid.s[std::min(last + 1, kCoarse - 1)]};
    if (peak.found()) {
      smaller.lo = std::min(smaller.lo, peak.at - 12.0 * peak.width);
      smaller.hi = std::max(smaller.hi, peak.at + 12.0 * peak.width);
    }
    const bool is_done = smaller.hi - smaller.lo > 0.5 * (range.hi - range.lo);
    range = smaller;
    if (is_done) break;
  }
  return range;
}
}  // namespace

const HermiteRule& hermite_rule() {
  static const HermiteRule rule = make_hermite_rule();
  return rule;
}

// With z = (w m + b) / √(1 + w² v) and r = N(z) / Φ(z): Z = Φ(z), the mean moves by v w r / √(1 + w² v), and the variance falls by
// (v w)² r (z + r) / (1 + w² v).
TiltedNormal tilted_by_probit(double mean, double variance, double slope, double offset) {
  const double scale = 1.0 + slope * slope * variance, root = std::sqrt(scale);
  const double z = (slope * mean + offset) / root, r = inverse_mills(z), move = variance * slope;
  return {.log_mass = log_phi(z),
          .mean = mean + move * r / root,
          .variance = variance - move * move * r * (z + r) / scale};
}

TiltedNormal tilted_by_normal(double mean, double variance, double shift, double precision) {
  const double all = 1.0 / variance + precision;
  if (!(all > 0.0)) return {};
  const double at = (mean / variance + shift) / all;
  return {.log_mass = -0.5 * log(variance * all) + 0.5 * (at * at * all - mean * mean / variance),
          .mean = at,
          .variance = 1.0 / all};
}

TiltedPeak tilted_peak(double mean, double variance, const LogFactor& factor, double power,
                       double start) {
  const double unit = std::sqrt(variance);
  double lo = -kInfinity, hi = kInfinity, s = std::isfinite(start) ? start : mean, stride = unit;
  for (int step = 0; step < 100; ++step) {
    const TiltedSlope at = slope_at(s, mean, variance, factor, power);
    if (!std::isfinite(at.slope)) return {};
    (at.slope > 0.0 ? lo : hi) = s;
    const bool is_peaked = at.curvature < 0.0;
    if (is_peaked && std::abs(at.slope) * std::sqrt(-1.0 / at.curvature) < 1e-7)
      return {.at = s, .width = std::sqrt(-1.0 / at.curvature)};
    double next = is_peaked ? s - at.slope / at.curvature : kNaN;
    const bool is_inside = next > lo && next < hi;
    if (!is_inside && std::isfinite(lo) && std::isfinite(hi)) next = 0.5 * (lo + hi);
    if (!is_inside && !(std::isfinite(lo) && std::isfinite(hi)))
      next = s + (at.slope > 0.0 ? stride : -stride), stride *= 2.0;
    if (next == s) return is_peaked ? TiltedPeak{s, std::sqrt(-1.0 / at.curvature)} : TiltedPeak{};
    s = next;
  }
  return {};
}

// N(s; m, v) f^p = N(s; peak, width²) times the rest, which is nearly constant.
TiltedNormal tilted_by_hermite(double mean, double variance, const LogFactor& factor, double power,
                               const TiltedPeak& peak) {
  if (!peak.found()) return {};
  const HermiteRule& rule = hermite_rule();
  std::array<double, kHermite> s{}, values{}, slopes{}, log_terms{};
  for (std::size_t i = 0; i < kHermite; ++i) s[i] = peak.at + peak.width * rule.points[i];
  factor(s, values, slopes);
  for (std::size_t i = 0; i < kHermite; ++i)
    log_terms[i] = log(rule.weights[i]) + log_normal(s[i], mean, variance) + power * values[i] -
                   log_normal(s[i], peak.at, peak.width * peak.width);
  return moments_of(s, log_terms);
}

TiltedNormal tilted_by_grid(double mean, double variance, const LogFactor& factor, double power,
                            const TiltedPeak& peak) {
  const GridRange range = range_that_counts(mean, variance, factor, power, peak);
  TiltedGrid grid;
  TiltedNormal found, before;
  for (std::size_t n = 129; n <= 16'385; n = 2 * n - 1) {
    grid.place(range, n);
    grid.evaluate(mean, variance, factor, power);
    found = moments_of(grid.s, grid.log_terms);
    found.log_mass += log((range.hi - range.lo) / static_cast<double>(n - 1));
    if (std::abs(found.log_mass - before.log_mass) < 1e-11 &&
        std::abs(found.mean - before.mean) < 1e-11 * std::sqrt(found.variance) &&
        std::abs(found.variance - before.variance) < 1e-10 * found.variance)
      break;
    before = found;
  }
  return found;
}

NormalExpectations expectations_by_hermite(double mean, double variance, const LogFactor& factor) {
  const HermiteRule& rule = hermite_rule();
  const double unit = std::sqrt(variance);
  std::array<double, kHermite> s{}, values{}, slopes{};
  for (std::size_t i = 0; i < kHermite; ++i) s[i] = mean + unit * rule.points[i];
  factor(s, values, slopes);
  NormalExpectations found{0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < kHermite; ++i) {
    found.value += rule.weights[i] * values[i];
    found.slope += rule.weights[i] * slopes[i];
    found.curvature += rule.weights[i] * slopes[i] * rule.points[i] / unit;
  }
  return found;
}

NormalExpectations expectations_by_grid(double mean, double variance, const LogFactor& factor) {
  const double unit = std::sqrt(variance), far = 9.0 * unit;
  TiltedGrid grid;
  NormalExpectations found, before;
  for (std::size_t n = 129; n <= 16'385; n = 2 * n - 1) {
    grid.place({mean - far, mean + far}, n);
    factor(grid.s, grid.values, grid.slopes);
    found = {0.0, 0.0, 0.0};
    const double step = 2.0 * far / static_cast<double>(n - 1);
    for (std::size_t i = 0; i < n; ++i) {
      const double w = step * exp(log_normal(grid.s[i], mean, variance));
      found.value += w * grid.values[i];
      found.slope += w * grid.slopes[i];
      found.curvature += w * grid.slopes[i] * (grid.s[i] - mean) / variance;
    }
    if (std::abs(found.value - before.value) < 1e-11 * (1.0 + std::abs(found.value)) &&
        std::abs(found.slope - before.slope) * unit < 1e-10 &&
        std::abs(found.curvature - before.curvature) * variance < 1e-10)
      break;
    before = found;
  }
  return found;
}

}  // namespace credo::numerics
