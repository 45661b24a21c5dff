// log I_nu(z) by the trapezoidal rule on Poisson's integral [dlmf, 10.32.2] with t = tanh s:
//
//   I = (z/2)^nu / (sqrt(pi) Gamma(m)) int exp(z tanh s) / cosh(s)^n ds,  n = 2 nu + 1 = 2 m
//
// The exponent peaks at t0 = tanh s0 with z (1 - t0^2) = n t0; at s = s0 + d, T = tanh d, w = t0 T:
//
//   E(s) - E(s0) = n (w/(1+w) - log1p(w) - log cosh d),  log(1-t^2) = log(n t0/z) - 2 log((1+w)
//   cosh d)
//
// in which z has gone, so that nothing cancels for large arguments. The integrand is analytic in a
// strip, the rule's error e^(-2 pi width/step) [trefethen2014]. Derivatives are moments of t and
// log(1 - t^2). Orders below 0 by the recurrence I_nu = I_{nu+2} + 2 (nu+1)/z I_{nu+1}, arguments
// large against the order by e^z / sqrt(2 pi z) (1 - (4 nu^2 - 1)/(8 z) + ...) [dlmf, 10.40.1],
// which keeps the digits of the small derivative by the order.
#include "numerics/special_bessel.hpp"

#include "numerics/elementary.hpp"
#include "numerics/incomplete_quadrature.hpp"
#include "numerics/special.hpp"
#include "numerics/special_kernels.hpp"

namespace credo::numerics {
namespace {
constexpr double kLogPi = 1.1447298858494001741;
constexpr double kLogOf2Pi = 1.8378770664093454836;
constexpr size_t kBlock = 64;  // points evaluated together

// Sums over the points of the rule, for e^E, and e^E times t - t0, L = log(1-t^2) - log(1-t0^2) and products.
struct Moments {
  double one = 0, t = 0, l = 0, tt = 0, tl = 0, ll = 0;
};

struct Peak {
  double n, t0, rest;  // rest = 1 - t0^2
};

Peak peak_of(double nu, double z);
Moments moments_of(const Peak& peak);
double value_of(double nu, double z, const Peak& peak, double log_integral);
LogBesselI by_recurrence(double nu, double z);
LogBesselI by_asymptotic_series(double nu, double z);  // z > 40, z > 4 nu^2
}  // namespace

LogBesselI log_bessel_i(double nu, double z) {
  if (!(nu > -1) || !(z >= 0) || nu == kInfinity) return {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};
  if (z == 0)
    return {nu == 0 ? 0 : (nu > 0 ? -kInfinity : kInfinity), kNaN, kNaN, kNaN, kNaN, kNaN};
  if (z == kInfinity) return {kInfinity, 0, 1, 0, 0, 0};
  if (z > 40 && z > 4 * nu * nu) return by_asymptotic_series(nu, z);
  if (nu < 0) return by_recurrence(nu, z);
  const Peak peak = peak_of(nu, z);
  const Moments sums = moments_of(peak);
  const double m = nu + 0.5, t = sums.t / sums.one, l = sums.l / sums.one;
  return {.value = value_of(nu, z, peak, log(sums.one)),
          .by_order = log(peak.t0) - digamma_less_log(m) + l,
          .by_argument = peak.t0 + t + nu / z,
          .by_order_twice = sums.ll / sums.one - l * l - trigamma(m),
          .by_both = sums.tl / sums.one - t * l + 1 / z,
          .by_argument_twice = sums.tt / sums.one - t * t - nu / z / z};
}

namespace {

Peak peak_of(double nu, double z) {
  const double n = 2 * nu + 1, t0 = 2 * z / (n + hypot(n, 2 * z));
  return {n, t0, n * t0 / z};
}

// m log m - lgamma(m), which is about m
double order_term(double m) {
  if (m < 8) return m * log(m) - lgamma(m);
  return m + 0.5 * log(m) - 0.91893853320467274178 - lgamma_stirling(m);
}

double value_of(double nu, double z, const Peak& peak, double log_integral) {
  const double m = nu + 0.5;
  return z * peak.t0 + m * log(peak.t0) + order_term(m) - 0.5 * (log(z / 2) + kLogPi) +
         log_integral;
}

// w/(1+w) - log1p(w), about -w^2/2
double skew_part(double w, double less) { return -less - w * w / (1 + w); }

double exponent(const Peak& peak, double d) {
  const double t = tanh(d), w = peak.t0 * t;
  return peak.n * (skew_part(w, log1pmx(w)) + 0.5 * log1p(-t * t));
}

// How far the exponent takes to fall to -44 in the direction of `sign`; its logarithm is concave.
double reach(const Peak& peak, double sign) {
  const auto decay = [&](double d) {
    const double value = -exponent(peak, sign * d), step = 1e-4 * d;
    return std::pair{value, (-exponent(peak, sign * (d + step)) - value) / step};
  };
  return decay_length(std::sqrt(2 * kDecayExponent / peak.n), decay);
}

void add_block(const Peak& peak, double first, double step, Moments& sums) {
  alignas(64) std::array<double, kBlock> d, t, w, less, log_cosh, weight;
  for (size_t i = 0; i < kBlock; ++i) d[i] = first + step * static_cast<double>(i);
  function(Unary::tanh).array(d.data(), t.data(), kBlock);
  function(Unary::exp).array(d.data(), weight.data(), kBlock);
  for (size_t i = 0; i < kBlock; ++i) {
    w[i] = peak.t0 * t[i];
    const double cosh_d = 0.5 * (weight[i] + 1 / weight[i]);
    log_cosh[i] = std::abs(d[i]) < 0.5 ? -t[i] * t[i] : cosh_d - 1;  // log1p of it, halved if small
  }
  function(Unary::log1p).array(log_cosh.data(), log_cosh.data(), kBlock);
  special_kernels().log1pmx(w.data(), less.data(), kBlock);
  for (size_t i = 0; i < kBlock; ++i) {
    if (std::abs(d[i]) < 0.5) log_cosh[i] *= -0.5;
    weight[i] = peak.n * (skew_part(w[i], less[i]) - log_cosh[i]);
  }
  function(Unary::exp).array(weight.data(), weight.data(), kBlock);
  for (size_t i = 0; i < kBlock; ++i) {
    const double f = step * weight[i], dt = t[i] * peak.rest / (1 + w[i]);
    const double dl = -2 * (less[i] + w[i] + log_cosh[i]);
    sums.one += f;
    sums.t += f * dt;
    sums.l += f * dl;
    sums.tt += f * dt * dt;
    sums.tl += f * dt * dl;
    sums.ll += f * dl * dl;
  }
}

Moments moments_of(const Peak& peak) {
  const double step = std::min(0.12, 0.4 / std::sqrt(peak.n));
  const double left = reach(peak, -1), right = reach(peak, 1);
  const double num_blocks = std::ceil((left + right) / (step * static_cast<double>(kBlock)));
  Moments sums;
  for (double k = 0; k < num_blocks; ++k) {
    add_block(peak, -left + k * step * static_cast<double>(kBlock), step, sums);
  }
  return sums;
}

// With S the series: log I = z - log(2 pi z)/2 + log S. Its terms fall until k = 2 z.
LogBesselI by_asymptotic_series(double nu, double z) {
  const Taylor mu = {{4 * nu * nu, 8 * nu, 4}};
  Taylor term = Taylor::linear(1, 0), sum = term, by_z, by_z_twice;
  for (double k = 1; k < 60 && std::abs(term.c[0]) + std::abs(term.c[2]) > 1e-18; ++k) {
    term = term * (Taylor::linear((2 * k - 1) * (2 * k - 1), 0) - mu) * (1 / (8 * k * z));
    sum = sum + term;
    by_z = by_z + term * (-k / z);
    by_z_twice = by_z_twice + term * (k * (k + 1) / (z * z));
  }
  const double s = sum.c[0], order = sum.c[1] / s, argument = by_z.c[0] / s;
  return {.value = z - 0.5 * (log(z) + kLogOf2Pi) + log(s),
          .by_order = order,
          .by_argument = 1 - 0.5 / z + argument,
          .by_order_twice = 2 * sum.c[2] / s - order * order,
          .by_both = by_z.c[1] / s - order * argument,
          .by_argument_twice = 0.5 / (z * z) + by_z_twice.c[0] / s - argument * argument};
}

// log(e^u + e^v) with u = log I_{nu+2}, v = log I_{nu+1} + log(2 (nu+1)/z)
LogBesselI by_recurrence(double nu, double z) {
  const LogBesselI u = log_bessel_i(nu + 2, z);
  LogBesselI v = log_bessel_i(nu + 1, z);
  const double order = nu + 1;
  v.value += log(2 * order / z);
  v.by_order += 1 / order;
  v.by_argument -= 1 / z;
  v.by_order_twice -= 1 / (order * order);
  v.by_argument_twice += 1 / (z * z);
  const double p = inv_logit(u.value - v.value), q = 1 - p;
  const double order_gap = u.by_order - v.by_order, argument_gap = u.by_argument - v.by_argument;
  return {
      .value = log_sum_exp(u.value, v.value),
      .by_order = p * u.by_order + q * v.by_order,
      .by_argument = p * u.by_argument + q * v.by_argument,
      .by_order_twice = p * u.by_order_twice + q * v.by_order_twice + p * q * order_gap * order_gap,
      .by_both = p * u.by_both + q * v.by_both + p * q * order_gap * argument_gap,
      .by_argument_twice =
          p * u.by_argument_twice + q * v.by_argument_twice + p * q * argument_gap * argument_gap};
}

}  // namespace
}  // namespace credo::numerics
