// Incomplete Beta functions with derivatives by the shapes. With x below the mean a/(a+b):
//
//   I = x^a y^b / (a B) sum_k (a+b)_k / (a+1)_k x^k,  y = 1 - x                 [dlmf, 8.17.8]
//   I = x^a y^b / B int_0^inf exp(E(s)) ds,  t = logit^-1(logit x - s),
//       E = a log(t/x) + b log((1-t)/y)
//   1 - I = -expm1(w) - a e^w sum_k (1-b)_k x^k / (k! (a+k)),  w = log(x^a / (a B)),   for a < 1
//
// and by symmetry above it. Sum and integral have terms of one sign, so that the smaller tail and
// its logarithm have all their digits. Derivatives by the shapes are those of the terms.
#include "numerics/incomplete_beta.hpp"

#include "numerics/elementary.hpp"
#include "numerics/incomplete_quadrature.hpp"
#include "numerics/special.hpp"
#include "numerics/special_kernels.hpp"

namespace credo::numerics {
namespace {
constexpr double kStirlingShape = 8;  // both shapes from here: log B by asymptotic series
constexpr double kSeriesShape = 5;    // a below and x below kSeriesEnd: the sum
constexpr double kSeriesEnd = 0.9;    // it needs about 44 / -log(x) terms
constexpr double kTermRatio = 1e-18;

// A point with everything that would lose digits if computed from x.
struct Point {
  double a, b, x, y, log_x, log_y;
  double da, db;  // the direction
  Point mirrored() const { return {b, a, y, x, log_y, log_x, db, da}; }
  double slope() const { return x < 0.5 ? std::fma(-(a + b), x, a) : std::fma(a + b, y, -b); }
};

BetaTails tails_at(const Point& point);
Taylor log_lower(const Point& point);                        // log I for x below the mean
Taylor log_leading(const Point& point);                      // log(x^a y^b / B)
Taylor log_power(const Point& point);                        // w
Taylor lower_series(const Point& point);                     // the sum of the first formula
Taylor tail_integral(const Point& point);                    // the integral of the second
Taylor upper_of_small(const Point& point);                   // the third
BetaTails both_tails(const Taylor& log_p, const Taylor& q);  // each with its own digits
BetaTails swapped(const BetaTails& tails);
BetaTails at_limit(double p);
Point point_at(double a, double b, double x, ShapeDirection direction);
Point point_at_logit(double a, double b, double z, ShapeDirection direction);
double solve_logit(double a, double b, double log_p);
}  // namespace

BetaTails beta_tails(double a, double b, double x, ShapeDirection direction) {
  if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1)) return at_limit(kNaN);
  if (x == 0 || x == 1) return at_limit(x);
  return tails_at(point_at(a, b, x, direction));
}

BetaTails beta_tails_logit(double a, double b, double logit_x, ShapeDirection direction) {
  if (!(a > 0) || !(b > 0) || std::isnan(logit_x)) return at_limit(kNaN);
  if (std::isinf(logit_x)) return at_limit(logit_x > 0 ? 1 : 0);
  return tails_at(point_at_logit(a, b, logit_x, direction));
}

namespace {

BetaTails tails_at(const Point& point) {
  if (point.slope() < 0) return swapped(tails_at(point.mirrored()));
  if (point.a >= 1) {
    const Taylor log_p = log_lower(point), p = exp(log_p);
    return {p, Taylor::linear(1, 0) - p, log_p, log1m(p)};
  }
  if (point.x > kSeriesEnd) {  // both shapes below 1: the roles of the tails change
    const Point other = point.mirrored();
    const Taylor log_q = log_power(other) +
                         Taylor::linear(other.b * other.log_y, other.db * other.log_y) +
                         log(lower_series(other));
    const Taylor p = upper_of_small(other);
    return swapped(both_tails(log_q, p));
  }
  const Taylor log_p = log_lower(point), q = upper_of_small(point);
  return both_tails(log_p, q);
}

Taylor log_lower(const Point& p) {
  if (p.a >= kSeriesShape || p.x > kSeriesEnd) return log_leading(p) + log(tail_integral(p));
  return log_power(p) + Taylor::linear(p.b * p.log_y, p.db * p.log_y) + log(lower_series(p));
}

// log1p(u) - u for 1 + u = ratio, whose logarithm is given: near -1, u has lost the ratio's digits
double log_less(double u, double log_ratio) { return u < -0.5 ? log_ratio - u : log1pmx(u); }

double log_leading_value(const Point& p) {
  const double sum = p.a + p.b;
  if (std::min(p.a, p.b) < kStirlingShape) return p.a * p.log_x + p.b * p.log_y - lbeta(p.a, p.b);
  const double gap = -p.slope();  // b x - a y
  const double root = 0.5 * log(p.a / sum * p.b / 6.283185307179586477);
  const double rest = lgamma_stirling(p.a) + lgamma_stirling(p.b) - lgamma_stirling(sum);
  const double up = log_less(gap / p.a, p.log_x + log1p(p.b / p.a));
  const double down = log_less(-gap / p.b, p.log_y + log1p(p.a / p.b));
  return p.a * up + p.b * down + root - rest;
}

Taylor log_leading(const Point& p) {
  const double sum = p.a + p.b, both = p.da + p.db;
  const double first =
      p.da * (p.log_x + digamma_delta(p.a, p.b)) + p.db * (p.log_y + digamma_delta(p.b, p.a));
  const double second = p.da * p.da * trigamma_delta(p.a, p.b) +
                        p.db * p.db * trigamma_delta(p.b, p.a) + 2 * p.da * p.db * trigamma(sum);
  const double third = both * both * both * tetragamma(sum) - p.da * p.da * p.da * tetragamma(p.a) -
                       p.db * p.db * p.db * tetragamma(p.b);
  return {{log_leading_value(p), first, second / 2, third / 6}};
}

// a log x + lgamma(a + b) - lgamma(b) - lgamma1p(a), whose terms stay small as a goes to 0
Taylor log_power(const Point& p) {
  const double sum = p.a + p.b, both = p.da + p.db;
  const double value = p.a * p.log_x + lgamma_delta(p.b, p.a) - lgamma1p(p.a);
  const double first =
      p.da * (p.log_x + digamma(sum) - digamma(p.a + 1)) + p.db * digamma_delta(p.b, p.a);
  const double second = p.da * p.da * (trigamma(sum) - trigamma(p.a + 1)) +
                        p.db * p.db * trigamma_delta(p.b, p.a) + 2 * p.da * p.db * trigamma(sum);
  const double third = both * both * both * tetragamma(sum) -
                       p.da * p.da * p.da * tetragamma(p.a + 1) -
                       p.db * p.db * p.db * tetragamma(p.b);
  return {{value, first, second / 2, third / 6}};
}

Taylor lower_series(const Point& p) {
  Taylor term = Taylor::linear(1, 0), sum = term;
  for (double k = 0; k < 4000; ++k) {
    const Taylor factor = Taylor::linear((p.a + p.b + k) * p.x, (p.da + p.db) * p.x);
    term = divide(term * factor, p.a + 1 + k, p.da);
    sum = sum + term;
    const double last = std::abs(term.c[0]) + std::abs(term.c[kTaylorOrder]);
    if (last < kTermRatio * sum.c[0]) break;
  }
  return sum;
}

// The growth of one coordinate: v = x (e^-s - 1) for x < 1/2, else y (e^s - 1); log of the factor
// by which y (or x) grows is -log1p(v), of the other that -+ s.
struct Move {
  bool from_x;
  double share, sign;  // x or y; -1 or 1
};

Move move_of(const Point& p) { return p.x < 0.5 ? Move{true, p.x, -1} : Move{false, p.y, 1}; }

// {-E, -E'} at s
std::pair<double, double> decay_at(const Point& p, const Move& m, double s) {
  const double growth = expm1(m.sign * s), v = m.share * growth, total = p.a + p.b;
  const double own = m.share * (growth + 1) / (1 + v);  // t, or 1 - t
  const double t_less_mean = m.from_x ? p.a - total * own : total * own - p.b;
  const double linear = m.from_x ? p.a * s : -p.b * s;
  return {linear + total * log1p(v), t_less_mean};
}

// e^E and dE/dt of the direction at the nodes; the linear parts of E cancel, so they are left out.
void fill_panel(const Point& p, const Move& m, Panel& panel) {
  alignas(64) std::array<double, kRuleSize> signed_s, growth, growth_less, v, less, log_v;
  for (size_t i = 0; i < kRuleSize; ++i) signed_s[i] = m.sign * panel.s[i];
  function(Unary::expm1).array(signed_s.data(), growth.data(), kRuleSize);
  for (size_t i = 0; i < kRuleSize; ++i) v[i] = m.share * growth[i];
  function(Unary::log1p).array(v.data(), log_v.data(), kRuleSize);
  special_kernels().log1pmx(v.data(), less.data(), kRuleSize);
  special_kernels().log1pmx(growth.data(), growth_less.data(), kRuleSize);
  const double slope = p.slope(), total = p.a + p.b;
  const double on_own = m.from_x ? p.da : p.db;
  for (size_t i = 0; i < kRuleSize; ++i) {
    // growth - s, with s = log1p(growth)
    const bool small = std::abs(signed_s[i]) < 0.5;
    const double excess = small ? -growth_less[i] : growth[i] - signed_s[i];
    const double near = -slope * panel.s[i] - total * (m.share * excess + less[i]);
    const double far = (m.from_x ? -p.a : p.b) * panel.s[i] - total * log_v[i];
    panel.integrand[i] = v[i] < 1 ? near : far;
    panel.slope[i] = on_own * signed_s[i] - (p.da + p.db) * log_v[i];
  }
  function(Unary::exp).array(panel.integrand.data(), panel.integrand.data(), kRuleSize);
}

Taylor tail_integral(const Point& p) {
  const Move m = move_of(p);
  const double slope = p.slope(), curvature = (p.a + p.b) * p.x * p.y;
  const double start =
      2 * kDecayExponent / (slope + std::sqrt(slope * slope + 2 * kDecayExponent * curvature));
  const auto decay = [&](double s) { return decay_at(p, m, s); };
  return integrate_decay(decay_length(start, decay),
                         [&](Panel& panel) { fill_panel(p, m, panel); });
}

double size(const Taylor& x) {
  double total = 0;
  for (const double c : x.c) total += std::abs(c);
  return total;
}

Taylor upper_of_small(const Point& p) {
  const Taylor w = log_power(p);
  Taylor power = Taylor::linear(1, 0), sum;
  for (double k = 1; k < 4000; ++k) {
    power = power * Taylor::linear((k - p.b) * p.x / k, -p.db * p.x / k);
    sum = sum + divide(power, p.a + k, p.da);
    if (size(power) <= kTermRatio * size(sum)) break;  // for a whole b the value alone ends early
  }
  return (expm1(w) + Taylor::linear(p.a, p.da) * exp(w) * sum) * -1.0;
}

// The logarithm of the tail that is nearly 1 follows from the other one.
BetaTails both_tails(const Taylor& log_p, const Taylor& q) {
  const Taylor p = exp(log_p);
  return {p, q, q.c[0] < 0.5 ? log1m(q) : log_p, q.c[0] < 0.5 ? log(q) : log1m(p)};
}

BetaTails swapped(const BetaTails& tails) { return {tails.q, tails.p, tails.log_q, tails.log_p}; }

BetaTails at_limit(double p) {
  return {Taylor::linear(p, 0), Taylor::linear(1 - p, 0), Taylor::linear(log(p), 0),
          Taylor::linear(log1p(-p), 0)};
}

Point point_at(double a, double b, double x, ShapeDirection direction) {
  return {a, b, x, 1 - x, log(x), log1p(-x), direction.a, direction.b};
}

Point point_at_logit(double a, double b, double z, ShapeDirection direction) {
  return {a,           b,          inv_logit(z), inv_logit(-z), log_inv_logit(z), log_inv_logit(-z),
          direction.a, direction.b};
}

// The root of log I = log_p in z = logit x: concave in z, so Newton's method approaches from the
// left after at most one step across it.
double solve_logit(double a, double b, double log_p) {
  const double spread = std::sqrt(trigamma(a) + trigamma(b));
  double z = digamma(a) - digamma(b) + spread * std::max(inv_phi_log(log_p), -8.0);
  if (a < 1) z = std::min(z, (log_p + lgamma1p(a) - lgamma_delta(b, a)) / a);  // I <= x^a/(aB)
  for (int k = 0; k < 200; ++k) {
    const Point point = point_at_logit(a, b, z, kAlongA);
    const double value = tails_at(point).log_p.c[0];
    const double step = (value - log_p) / exp(log_leading_value(point) - value);
    if (!(std::abs(step) > 1e-15 * std::max(1.0, std::abs(z)))) break;
    z -= std::clamp(step, -50.0, 50.0);
  }
  return z;
}

}  // namespace

double inc_beta(double a, double b, double x) { return beta_tails(a, b, x).p.value(); }
double inc_beta_complement(double a, double b, double x) { return beta_tails(a, b, x).q.value(); }
double log_inc_beta(double a, double b, double x) { return beta_tails(a, b, x).log_p.value(); }
double log_inc_beta_complement(double a, double b, double x) {
  return beta_tails(a, b, x).log_q.value();
}

double log_inc_beta_mixed(double a, double b, double x) {
  const auto second = [&](ShapeDirection d) { return beta_tails(a, b, x, d).log_p.derivative(2); };
  return 0.5 * (second(kAlongBoth) - second(kAlongA) - second(kAlongB));
}

double inv_log_inc_beta_logit(double a, double b, double log_p) {
  if (!(a > 0) || !(b > 0) || !(log_p <= 0)) return kNaN;
  if (log_p == -kInfinity || log_p == 0) return log_p == 0 ? kInfinity : -kInfinity;
  return log_p < -0.6931471805599453 ? solve_logit(a, b, log_p)
                                     : -solve_logit(b, a, log1m_exp(log_p));
}

double inv_inc_beta(double a, double b, double p) {
  if (!(a > 0) || !(b > 0) || !(p >= 0) || !(p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p;
  return inv_logit(p < 0.5 ? solve_logit(a, b, log(p)) : -solve_logit(b, a, log1p(-p)));
}

// P(T < -|t|) = I_x(nu/2, 1/2) / 2 with logit x = log(nu / t^2)
double log_student_t_cdf(double t, double nu) {
  if (!(nu > 0) || std::isnan(t)) return kNaN;
  if (t == 0) return -0.6931471805599453094;
  const double tail = beta_tails_logit(nu / 2, 0.5, log(nu) - 2 * log(std::abs(t))).log_p.value() -
                      0.6931471805599453094;
  return t < 0 ? tail : log1m_exp(tail);
}

double student_t_cdf(double t, double nu) { return exp(log_student_t_cdf(t, nu)); }

double inv_student_t(double p, double nu) {
  if (!(nu > 0) || !(p >= 0) || !(p <= 1)) return kNaN;
  if (p == 0.5) return 0;
  const double tail = p < 0.5 ? p : 1 - p;
  const double z = inv_log_inc_beta_logit(nu / 2, 0.5, log(2 * tail));
  return std::copysign(exp(0.5 * (log(nu) - z)), p - 0.5);
}

}  // namespace credo::numerics
