// Incomplete Gamma functions with derivatives by the shape.
//
//   P = D sum_k x^k / ((a+1) ... (a+k)),  D = x^a e^-x / Gamma(a+1)              [dlmf, 8.11.4]
//   Q = a D int_0^inf exp(a s - x (e^s - 1)) ds,  and P with the integral over s < 0
//   Q = -expm1(w) - a e^w sum_k (-x)^k / (k! (a+k)),  w = a log x - log Gamma(a+1),  for a, x < 1
//
// Sum and integrals have terms of one sign, so that the tail they give has all its digits, as has
// its logarithm; the other tail is 1 minus it. The integrand's exponent is a log1pmx(v) - (x - a) v
// with v = e^s - 1, whose parts don't cancel for large a. Derivatives by a are those of the terms.
#include "numerics/incomplete_gamma.hpp"

#include "numerics/elementary.hpp"
#include "numerics/incomplete_quadrature.hpp"
#include "numerics/special.hpp"
#include "numerics/special_kernels.hpp"

namespace credo::numerics {
namespace {
constexpr double kStirlingShape = 8;  // from here log Gamma by its asymptotic series
constexpr double kSeriesShape = 30;   // below, the series; at most about 120 terms
constexpr double kTermRatio = 1e-18;  // a term this much below the sum ends it

Taylor log_leading(double a, double x);     // log D
Taylor lower_series(double a, double x);    // the sum of P
Taylor tail_integral(double a, double x);   // the integral on the side where x lies
Taylor upper_of_small(double a, double x);  // Q for a, x < 1
GammaTails from_lower(const Taylor& log_p);
GammaTails from_upper(const Taylor& log_q);
GammaTails at_limit(double p);  // P is 0 or 1
}  // namespace

GammaTails gamma_tails(double a, double x) {
  if (!(a > 0) || !(x >= 0) || a == kInfinity) return at_limit(kNaN);
  if (x == 0) return at_limit(0);
  if (x == kInfinity) return at_limit(1);
  const Taylor leading = log_leading(a, x);
  if (a < 1 && x < 1) {
    const Taylor log_p = leading + log(lower_series(a, x)), q = upper_of_small(a, x);
    const Taylor p = exp(log_p);
    // the logarithm of the tail that is nearly 1 follows from the other one
    return {p, q, q.c[0] < 0.5 ? log1m(q) : log_p, q.c[0] < 0.5 ? log(q) : log1m(p)};
  }
  if (x < a)
    return from_lower(leading + log(a < kSeriesShape ? lower_series(a, x)
                                                     : tail_integral(a, x) * Taylor::linear(a, 1)));
  return from_upper(leading + log(tail_integral(a, x) * Taylor::linear(a, 1)));
}

namespace {

Taylor log_leading(double a, double x) {
  const double trigamma_term = -trigamma(a + 1) / 2, tetragamma_term = -tetragamma(a + 1) / 6;
  if (a < kStirlingShape) {
    const double value = a * log(x) - x - lgamma1p(a);
    return {{value, log(x) - digamma(a + 1), trigamma_term, tetragamma_term}};
  }
  const double u = (x - a) / a;
  // lgamma(a + 1) - a log a + a
  const double root = 0.5 * log(6.283185307179586477 * a) + lgamma_stirling(a);
  const double log_ratio = u < -0.5 ? log(x / a) : log1p(u);  // near -1, u has lost the digits of x
  const double less = u < -0.5 ? log_ratio - u : log1pmx(u);
  const double first = log_ratio - (digamma_less_log(a) + 1 / a);
  return {{a * less - root, first, trigamma_term, tetragamma_term}};
}

Taylor lower_series(double a, double x) {
  Taylor term = Taylor::linear(1, 0), sum = term;
  for (double k = 1; k < 2000; ++k) {
    term = divide(term * x, a + k, 1);
    sum = sum + term;
    const double last = std::abs(term.c[0]) + std::abs(term.c[kTaylorOrder]);
    if (a + k > x && last < kTermRatio * sum.c[0]) break;
  }
  return sum;
}

// exp(a s - x (e^s - 1)) over s > 0 if x >= a, else over s < 0
Taylor tail_integral(double a, double x) {
  const double sign = x >= a ? 1 : -1, gap = std::abs(x - a);
  const auto decay = [&](double s) {
    const double growth = expm1(sign * s);
    return std::pair{x * growth - sign * a * s, sign * (x * (growth + 1) - a)};
  };
  const double start = 2 * kDecayExponent / (gap + std::sqrt(gap * gap + 2 * kDecayExponent * x));
  return integrate_decay(decay_length(start, decay), [&](Panel& panel) {
    std::array<double, kRuleSize> v, less;
    for (size_t i = 0; i < kRuleSize; ++i) panel.slope[i] = sign * panel.s[i];
    function(Unary::expm1).array(panel.slope.data(), v.data(), kRuleSize);
    special_kernels().log1pmx(v.data(), less.data(), kRuleSize);
    for (size_t i = 0; i < kRuleSize; ++i) less[i] = a * less[i] - (x - a) * v[i];
    function(Unary::exp).array(less.data(), panel.integrand.data(), kRuleSize);
  });
}

Taylor upper_of_small(double a, double x) {
  const double log_x = log(x);
  const Taylor w = {{a * log_x - lgamma1p(a), log_x - digamma(a + 1), -trigamma(a + 1) / 2,
                     -tetragamma(a + 1) / 6}};
  Taylor sum;
  double power = 1;
  for (double k = 1; k < 40 && std::abs(power) > kTermRatio; ++k) {
    power *= -x / k;
    sum = sum + divide(Taylor::linear(power, 0), a + k, 1);
  }
  return (expm1(w) + Taylor::linear(a, 1) * exp(w) * sum) * -1.0;
}

GammaTails from_lower(const Taylor& log_p) {
  const Taylor p = exp(log_p);
  return {p, Taylor::linear(1, 0) - p, log_p, log1m(p)};
}

GammaTails from_upper(const Taylor& log_q) {
  const GammaTails mirrored = from_lower(log_q);
  return {mirrored.q, mirrored.p, mirrored.log_q, mirrored.log_p};
}

GammaTails at_limit(double p) {
  return {Taylor::linear(p, 0), Taylor::linear(1 - p, 0), Taylor::linear(log(p), 0),
          Taylor::linear(log1p(-p), 0)};
}

// The root of log P = target (or log Q) in y = log x. Both are concave in y, so Newton's method
// approaches from the side where the probability is too small, after at most one step across.
double solve(double a, double target, bool lower) {
  const double z = inv_phi_log(target) * (lower ? 1 : -1), ninth = 1 / (9 * a);
  const double root = 1 - ninth + z * std::sqrt(ninth);  // [wilson1931]
  const double small = (log(lower ? exp(target) : -expm1(target)) + lgamma1p(a)) / a;
  double y =
      root > 0.1 && a > 0.5 ? log(a) + 3 * log(root) : (lower ? (target + lgamma1p(a)) / a : small);
  for (int k = 0; k < 200; ++k) {
    const double x = exp(y);
    const GammaTails tails = gamma_tails(a, x);
    const double value = lower ? tails.log_p.c[0] : tails.log_q.c[0];
    const double density = exp(log_leading(a, x).c[0] + log(a) - value);  // |d value / dy|
    const double step = (value - target) / (lower ? density : -density);
    if (!(std::abs(step) > 1e-15 * std::max(1.0, std::abs(y)))) break;
    y -= std::clamp(step, -20.0, 20.0);
  }
  return exp(y);
}

}  // namespace

double gamma_p(double a, double x) { return gamma_tails(a, x).p.value(); }
double gamma_q(double a, double x) { return gamma_tails(a, x).q.value(); }
double log_gamma_p(double a, double x) { return gamma_tails(a, x).log_p.value(); }
double log_gamma_q(double a, double x) { return gamma_tails(a, x).log_q.value(); }

double gamma_p_shape(double a, double x, size_t order) {
  return gamma_tails(a, x).p.derivative(order);
}
double log_gamma_p_shape(double a, double x, size_t order) {
  return gamma_tails(a, x).log_p.derivative(order);
}
double log_gamma_q_shape(double a, double x, size_t order) {
  return gamma_tails(a, x).log_q.derivative(order);
}

double inv_log_gamma_p(double a, double log_p) {
  if (!(a > 0) || !(log_p <= 0)) return kNaN;
  if (log_p == -kInfinity) return 0;
  if (log_p == 0) return kInfinity;
  return log_p < -0.6931471805599453 ? solve(a, log_p, true) : solve(a, log1m_exp(log_p), false);
}

double inv_log_gamma_q(double a, double log_q) {
  if (!(a > 0) || !(log_q <= 0)) return kNaN;
  if (log_q == -kInfinity) return kInfinity;
  if (log_q == 0) return 0;
  return log_q < -0.6931471805599453 ? solve(a, log_q, false) : solve(a, log1m_exp(log_q), true);
}

double inv_gamma_p(double a, double p) {
  if (!(p >= 0) || !(p <= 1)) return kNaN;
  return p < 0.5 ? inv_log_gamma_p(a, log(p)) : inv_log_gamma_q(a, log1p(-p));
}

}  // namespace credo::numerics
