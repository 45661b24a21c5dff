// Every elementwise row of the operation table with an independent reference: the C library and Boost.Math in long
// double, and points. A new row has its line here: tests/graph/values_test.cpp compares values,
// tests/graph/ops_suite_test.cpp derivatives, lanes and SIMD targets near the second point.
#pragma once
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions.hpp>
#include <map>

#include "base/types.hpp"

namespace credo::graph {

using Real = long double;
namespace bm = boost::math;

struct Point {
  Real a, b, c;
};
struct Reference {
  Real (*exact)(const Point&);
  std::vector<Point> points;
  double tolerance = 1e-14;  // of max(|value|, 1/8): a few units in the last place, wider where the
                             // reference is narrow
};

inline Real sigmoid(Real x) { return 1 / (1 + std::exp(-x)); }
inline Real normal_cdf(Real x) { return bm::erfc(-x / std::sqrt(Real(2))) / 2; }
inline Real log_p(Real a, Real x) { return std::log(bm::gamma_p(a, x)); }
inline Real log_q(Real a, Real x) { return std::log(bm::gamma_q(a, x)); }
inline Real log_i(Real a, Real b, Real z) { return std::log(bm::ibeta(a, b, sigmoid(z))); }
inline Real i_ratio(Real x) { return bm::cyl_bessel_i(1, x) / bm::cyl_bessel_i(0, x); }
// A derivative by five points: error h^4 f^(5)/30 + 1e-19 / h, about 1e-14 with h = 1e-3 for smooth
// functions of size 1.
template <class F>
inline Real slope(F f, Real x) {
  const Real h = 1e-3L;
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

inline const std::vector<Point> kReal{{-2.3L, 0, 0}, {-0.4L, 0, 0}, {0.7L, 0, 0}, {3.9L, 0, 0}};
inline const std::vector<Point> kPositive{{0.2L, 0, 0}, {1.3L, 0, 0}, {4.1L, 0, 0}, {25, 0, 0}};
inline const std::vector<Point> kUnit{{-0.8L, 0, 0}, {-0.1L, 0, 0}, {0.45L, 0, 0}, {0.9L, 0, 0}};
inline const std::vector<Point> kPairs{
    {0.3L, 1.7L, 0}, {2.5L, 0.6L, 0}, {8, 3.2L, 0}, {30, 12.5L, 0}};
inline const std::vector<Point> kSigned{
    {-1.2L, 0.7L, 0}, {0.4L, -2.1L, 0}, {3.3L, 3.1L, 0}, {-0.6L, -0.9L, 0}};
inline const std::vector<Point> kOrdered{{0.4L, -1.3L, 0}, {2.2L, 2.1L, 0}, {-3, -7, 0}};
inline const std::vector<Point> kOrders{{0, 0.7L, 0}, {1, 2.3L, 0}, {-3, 4.1L, 0}, {7, 12.5L, 0}};
inline Real log_bessel(Real nu, Real x) { return std::log(bm::cyl_bessel_i(nu, x)); }
inline Real log_bessel_by_order(Real nu, Real x) {
  return slope([&](Real v) { return log_bessel(v, x); }, nu);
}
inline const std::vector<Point> kTriples{{1.4L, 2.6L, 0.3L}, {0.7L, 3.1L, -1.2L}, {6, 4.5L, 0.8L}};

// Sums of the Conway-Maxwell-Poisson distribution by 400 terms: eta, nu, and moments of k and T = k eta - log k! over the counts
// from ... to.
struct ComSums {
  Real log_sum, k, t, kk, kt, tt;
};
inline ComSums com_sums(Real eta, Real nu, int from = 0, int to = 400) {
  ComSums s{0, 0, 0, 0, 0, 0};
  for (int n = from; n <= to; ++n) {
    const Real k = n, t = k * eta - std::lgamma(k + 1), w = std::exp(nu * t);
    s.log_sum += w, s.k += w * k, s.t += w * t, s.kk += w * k * k, s.kt += w * k * t;
    s.tt += w * t * t;
  }
  const Real z = s.log_sum;
  return {std::log(z), s.k / z, s.t / z, s.kk / z, s.kt / z, s.tt / z};
}
// The third point is where the series begins, whose second derivatives err by some 1e-12.
inline const std::vector<Point> kComPoisson{
    {0.3L, 1.7L, 0}, {1.6L, 0.8L, 0}, {3.2L, 2.5L, 0}, {-0.5L, 0.3L, 0}};
inline const std::vector<Point> kComTails{
    {0.5L, 0.3L, 1.7L}, {4.5L, 1.6L, 0.8L}, {30.5L, 3.2L, 2.5L}};

inline const std::map<std::string_view, Reference>& references() {
  static const std::map<std::string_view, Reference> table{
      {"bessel_i", {[](const Point& p) { return bm::cyl_bessel_i(p.a, p.b); }, kOrders, 1e-13}},
      {"bessel_j", {[](const Point& p) { return bm::cyl_bessel_j(p.a, p.b); }, kOrders, 1e-13}},
      {"bessel_k", {[](const Point& p) { return bm::cyl_bessel_k(p.a, p.b); }, kOrders, 1e-13}},
      {"bessel_y", {[](const Point& p) { return bm::cyl_neumann(p.a, p.b); }, kOrders, 1e-13}},
      {"com_poisson_covariance",
       {[](const Point& p) {
          const ComSums s = com_sums(p.a, p.b);
          return s.kt - s.k * s.t;
        },
        kComPoisson, 1e-11}},
      {"com_poisson_log_sum",
       {[](const Point& p) { return com_sums(p.a, p.b).log_sum; }, kComPoisson, 1e-13}},
      {"com_poisson_log_sum_above",
       {[](const Point& p) { return com_sums(p.b, p.c, int(p.a) + 1).log_sum; }, kComTails, 1e-13}},
      {"com_poisson_log_sum_up_to",
       {[](const Point& p) { return com_sums(p.b, p.c, 0, int(p.a)).log_sum; }, kComTails, 1e-13}},
      {"com_poisson_mean",
       {[](const Point& p) { return com_sums(p.a, p.b).k; }, kComPoisson, 1e-13}},
      {"com_poisson_mean_above",
       {[](const Point& p) { return com_sums(p.b, p.c, int(p.a) + 1).k; }, kComTails, 1e-13}},
      {"com_poisson_mean_log",
       {[](const Point& p) { return com_sums(p.a, p.b).t; }, kComPoisson, 1e-12}},
      {"com_poisson_mean_log_above",
       {[](const Point& p) { return com_sums(p.b, p.c, int(p.a) + 1).t; }, kComTails, 1e-12}},
      {"com_poisson_mean_log_up_to",
       {[](const Point& p) { return com_sums(p.b, p.c, 0, int(p.a)).t; }, kComTails, 1e-12}},
      {"com_poisson_mean_up_to",
       {[](const Point& p) { return com_sums(p.b, p.c, 0, int(p.a)).k; }, kComTails, 1e-13}},
      {"com_poisson_variance",
       {[](const Point& p) {
          const ComSums s = com_sums(p.a, p.b);
          return s.kk - s.k * s.k;
        },
        kComPoisson, 1e-12}},
      {"com_poisson_variance_log",
       {[](const Point& p) {
          const ComSums s = com_sums(p.a, p.b);
          return s.tt - s.t * s.t;
        },
        kComPoisson, 1e-11}},
      {"fmod", {[](const Point& p) { return std::fmod(p.a, p.b); }, kSigned}},
      {"inv_inc_beta",
       {[](const Point& p) { return bm::ibeta_inv(p.a, p.b, p.c); },
        {{1.4L, 2.6L, 0.3L}, {0.7L, 3.1L, 0.9L}, {6, 4.5L, 0.01L}},
        1e-12}},
      {"lambert_w0",
       {[](const Point& p) { return bm::lambert_w0(p.a); },
        {{-0.3L, 0, 0}, {0.4L, 0, 0}, {30, 0, 0}}}},
      {"lambert_wm1",
       {[](const Point& p) { return bm::lambert_wm1(p.a); },
        {{-0.3L, 0, 0}, {-0.1L, 0, 0}, {-1e-8L, 0, 0}}}},
      {"log_bessel_i", {[](const Point& p) { return log_bessel(p.a, p.b); }, kPairs, 1e-12}},
      {"log_bessel_i_by_argument",
       {[](const Point& p) { return slope([&](Real x) { return log_bessel(p.a, x); }, p.b); },
        kPairs, 1e-10}},
      {"log_bessel_i_by_argument_twice",
       {[](const Point& p) {
          const auto once = [&](Real x) {
            return slope([&](Real z) { return log_bessel(p.a, z); }, x);
          };
          return slope(once, p.b);
        },
        kPairs, 1e-8}},
      {"log_bessel_i_by_both",
       {[](const Point& p) {
          return slope([&](Real x) { return log_bessel_by_order(p.a, x); }, p.b);
        },
        kPairs, 1e-8}},
      {"log_bessel_i_by_order",
       {[](const Point& p) { return log_bessel_by_order(p.a, p.b); }, kPairs, 1e-10}},
      {"log_bessel_i_by_order_twice",
       {[](const Point& p) {
          return slope([&](Real nu) { return log_bessel_by_order(nu, p.b); }, p.a);
        },
        kPairs, 1e-8}},
      {"owens_t", {[](const Point& p) { return bm::owens_t(p.a, p.b); }, kSigned}},
      {"student_t_quantile",
       {[](const Point& p) { return bm::quantile(bm::students_t_distribution<Real>(p.b), p.a); },
        {{0.01L, 3.5L, 0}, {0.4L, 1.2L, 0}, {0.97L, 12, 0}},
        1e-12}},
      {"abs", {[](const Point& p) { return std::abs(p.a); }, kReal}},
      {"acos", {[](const Point& p) { return std::acos(p.a); }, kUnit}},
      {"acosh", {[](const Point& p) { return std::acosh(1 + p.a); }, {}}},  // below, shifted
      {"add", {[](const Point& p) { return p.a + p.b; }, kSigned}},
      {"asin", {[](const Point& p) { return std::asin(p.a); }, kUnit}},
      {"asinh", {[](const Point& p) { return std::asinh(p.a); }, kReal}},
      {"atan", {[](const Point& p) { return std::atan(p.a); }, kReal}},
      {"atan2", {[](const Point& p) { return std::atan2(p.a, p.b); }, kSigned}},
      {"atanh", {[](const Point& p) { return std::atanh(p.a); }, kUnit}},
      {"bessel_ratio", {[](const Point& p) { return i_ratio(p.a); }, kPositive}},
      {"bessel_ratio_1", {[](const Point& p) { return slope(i_ratio, p.a); }, kPositive, 1e-11}},
      {"bessel_ratio_2",
       {[](const Point& p) { return slope([](Real x) { return slope(i_ratio, x); }, p.a); },
        kPositive, 1e-9}},
      {"cbrt", {[](const Point& p) { return std::cbrt(p.a); }, kReal}},
      {"ceil", {[](const Point& p) { return std::ceil(p.a); }, kReal}},
      {"cos", {[](const Point& p) { return std::cos(p.a); }, kReal}},
      {"cosh", {[](const Point& p) { return std::cosh(p.a); }, kReal}},
      {"digamma", {[](const Point& p) { return bm::digamma(p.a); }, kPositive}},
      {"digamma_delta",
       {[](const Point& p) { return bm::digamma(p.a + p.b) - bm::digamma(p.a); }, kPairs}},
      {"digamma_excess",
       {[](const Point& p) { return bm::digamma(p.a + p.b) - bm::digamma(p.a) - p.b / p.a; },
        kPairs, 1e-13}},
      {"digamma_less_log",
       {[](const Point& p) { return bm::digamma(p.a) - std::log(p.a); }, kPositive}},
      {"div", {[](const Point& p) { return p.a / p.b; }, kSigned}},
      {"equal", {[](const Point& p) { return Real(p.a == p.b); }, {{1, 1, 0}, {1, 2, 0}}}},
      {"erf", {[](const Point& p) { return bm::erf(p.a); }, kReal}},
      {"erfc", {[](const Point& p) { return bm::erfc(p.a); }, kReal}},
      {"exp", {[](const Point& p) { return std::exp(p.a); }, kReal}},
      {"exp2", {[](const Point& p) { return std::exp2(p.a); }, kReal}},
      {"expm1", {[](const Point& p) { return std::expm1(p.a); }, kReal}},
      {"floor", {[](const Point& p) { return std::floor(p.a); }, kReal}},
      {"fmax", {[](const Point& p) { return std::fmax(p.a, p.b); }, kSigned}},
      {"fmin", {[](const Point& p) { return std::fmin(p.a, p.b); }, kSigned}},
      {"hypot", {[](const Point& p) { return std::hypot(p.a, p.b); }, kSigned}},
      {"inv_logit", {[](const Point& p) { return sigmoid(p.a); }, kReal}},
      {"inv_phi",
       {[](const Point& p) { return -std::sqrt(Real(2)) * bm::erfc_inv(2 * p.a); },
        {{0.001L, 0, 0}, {0.3L, 0, 0}, {0.97L, 0, 0}}}},
      {"inverse_mills",
       {[](const Point& p) {
          return std::exp(-p.a * p.a / 2) / std::sqrt(2 * bm::constants::pi<Real>()) /
                 normal_cdf(p.a);
        },
        kReal}},
      {"lbeta", {[](const Point& p) { return std::log(bm::beta(p.a, p.b)); }, kPairs}},
      {"lchoose",
       {[](const Point& p) {
          return -std::log(bm::beta(p.a - p.b + 1, p.b + 1)) - std::log1p(p.a);
        },
        {{5, 2, 0}, {12.5L, 3.2L, 0}, {40, 17, 0}},
        1e-13}},
      {"less", {[](const Point& p) { return Real(p.a < p.b); }, {{1, 1, 0}, {1, 2, 0}, {2, 1, 0}}}},
      {"less_equal",
       {[](const Point& p) { return Real(p.a <= p.b); }, {{1, 1, 0}, {1, 2, 0}, {2, 1, 0}}}},
      {"lgamma", {[](const Point& p) { return bm::lgamma(p.a); }, kPositive}},
      {"lgamma_delta",
       {[](const Point& p) { return bm::lgamma(p.a + p.b) - bm::lgamma(p.a); }, kPairs}},
      {"lgamma_excess",
       {[](const Point& p) {
          return bm::lgamma(p.a + p.b) - bm::lgamma(p.a) - p.b * std::log(p.a);
        },
        kPairs, 1e-13}},
      {"log", {[](const Point& p) { return std::log(p.a); }, kPositive}},
      {"log10", {[](const Point& p) { return std::log10(p.a); }, kPositive}},
      {"log1m_exp",
       {[](const Point& p) { return std::log(-std::expm1(-p.a)); }, {}}},  // below, negated
      {"log1p", {[](const Point& p) { return std::log1p(p.a); }, kUnit}},
      {"log1p_exp", {[](const Point& p) { return std::log1p(std::exp(p.a)); }, kReal}},
      {"log1pmx", {[](const Point& p) { return std::log1p(p.a) - p.a; }, kUnit}},
      {"log2", {[](const Point& p) { return std::log2(p.a); }, kPositive}},
      {"log_bessel_i0",
       {[](const Point& p) { return std::log(bm::cyl_bessel_i(0, p.a)); }, kPositive}},
      {"log_diff_exp",
       {[](const Point& p) { return p.a + std::log(-std::expm1(p.b - p.a)); }, kOrdered}},
      {"log_gamma_p", {[](const Point& p) { return log_p(p.a, p.b); }, kPairs, 1e-12}},
      {"log_gamma_p_shape",
       {[](const Point& p) { return slope([&](Real a) { return log_p(a, p.b); }, p.a); }, kPairs,
        1e-8}},
      {"log_gamma_q", {[](const Point& p) { return log_q(p.a, p.b); }, kPairs, 1e-12}},
      {"log_gamma_q_shape",
       {[](const Point& p) { return slope([&](Real a) { return log_q(a, p.b); }, p.a); }, kPairs,
        1e-8}},
      {"log_inc_beta", {[](const Point& p) { return log_i(p.a, p.b, p.c); }, kTriples, 1e-12}},
      {"log_inc_beta_by_a",
       {[](const Point& p) { return slope([&](Real a) { return log_i(a, p.b, p.c); }, p.a); },
        kTriples, 1e-9}},
      {"log_inc_beta_by_b",
       {[](const Point& p) { return slope([&](Real b) { return log_i(p.a, b, p.c); }, p.b); },
        kTriples, 1e-9}},
      {"log_inv_logit", {[](const Point& p) { return -std::log1p(std::exp(-p.a)); }, kReal}},
      {"log_inv_logit_diff",
       {[](const Point& p) { return std::log(sigmoid(p.a) - sigmoid(p.b)); }, kOrdered, 1e-13}},
      {"log_phi", {[](const Point& p) { return std::log(normal_cdf(p.a)); }, kReal}},
      {"log_sum_exp",
       {[](const Point& p) { return std::log(std::exp(p.a) + std::exp(p.b)); }, kSigned}},
      {"mul", {[](const Point& p) { return p.a * p.b; }, kSigned}},
      {"multiply_log",
       {[](const Point& p) { return p.a == 0 ? 0 : p.a * std::log(p.b); },
        {{2.5L, 0.3L, 0}, {0, 0, 0}}}},
      {"neg", {[](const Point& p) { return -p.a; }, kReal}},
      {"pentagamma", {[](const Point& p) { return bm::polygamma(3, p.a); }, kPositive, 1e-13}},
      {"phi", {[](const Point& p) { return normal_cdf(p.a); }, kReal}},
      {"pow", {[](const Point& p) { return std::pow(p.a, p.b); }, kPairs}},
      {"round", {[](const Point& p) { return std::round(p.a); }, kReal}},
      {"scaled_log1p", {[](const Point& p) { return p.a * std::log1p(p.b / p.a); }, kPairs}},
      {"scaled_log1p_exp",
       {[](const Point& p) { return p.a * std::log1p(std::exp(p.b) / p.a); }, kPairs}},
      {"select", {[](const Point& p) { return p.a != 0 ? p.b : p.c; }, {{1, 2, 3}, {0, 2, 3}}}},
      {"sin", {[](const Point& p) { return std::sin(p.a); }, kReal}},
      {"sinh", {[](const Point& p) { return std::sinh(p.a); }, kReal}},
      {"sqrt", {[](const Point& p) { return std::sqrt(p.a); }, kPositive}},
      {"square", {[](const Point& p) { return p.a * p.a; }, kReal}},
      {"sub", {[](const Point& p) { return p.a - p.b; }, kSigned}},
      {"tan", {[](const Point& p) { return std::tan(p.a); }, kReal}},
      {"tanh", {[](const Point& p) { return std::tanh(p.a); }, kReal}},
      {"tetragamma", {[](const Point& p) { return bm::polygamma(2, p.a); }, kPositive, 1e-13}},
      {"trigamma", {[](const Point& p) { return bm::trigamma(p.a); }, kPositive}},
      {"trigamma_excess",
       {[](const Point& p) {
          return bm::trigamma(p.a + p.b) - bm::trigamma(p.a) + p.b / (p.a * p.a);
        },
        kPairs, 1e-13}},
      {"trunc", {[](const Point& p) { return std::trunc(p.a); }, kReal}},
  };
  return table;
}

}  // namespace credo::graph
