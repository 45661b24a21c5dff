// Wishart matrices Y with nu degrees of freedom and scale matrix P^-1: natural parameters (nu - n - 1) / 2 of log|Y| and -P / 2 of Y,
// A = nu n log(2) / 2 - nu log|P| / 2 + log Gamma_n(nu / 2) [kollo2005, ch. 2]. An inverse Wishart matrix is the inverse of one.
#pragma once
#include "dist/families/matrix_form.hpp"
#include "dist/formula.hpp"

namespace credo::dist::wishart_form {
using namespace matrix_form;

struct Arguments {
  double nu;
  RowMatrix p;
};
inline Arguments arguments_of(Params eta) {
  Arguments a{0.0, precision_of(eta.subspan(1))};
  a.nu = 2.0 * eta[0] + static_cast<double>(a.p.rows) + 1.0;
  return a;
}
inline Numbers natural_from(const Arguments& a) {
  Numbers natural{0.5 * (a.nu - static_cast<double>(a.p.rows) - 1.0)};
  const Numbers rest = natural_of(a.p);
  natural.insert(natural.end(), rest.begin(), rest.end());
  return natural;
}
// Sum of f((nu - i) / 2) for i = 0 ... n - 1.
template <class F>
double sum_over_halves(double nu, Index n, F f) {
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += f(0.5 * (nu - static_cast<double>(i)));
  return sum;
}

inline bool is_inside(Params eta) {
  return eta[0] > -1.0 && is_positive(precision_of(eta.subspan(1)));
}
inline double log_partition(Params eta, Params) {
  const auto [nu, p] = arguments_of(eta);
  const auto n = static_cast<double>(p.rows);
  return 0.5 * nu * (n * kLog2 - log_det(p)) + 0.25 * n * (n - 1.0) * kLogPi +
         sum_over_halves(nu, p.rows, numerics::lgamma);
}
inline Numbers mean(Params eta, Params) {
  const auto [nu, p] = arguments_of(eta);
  Numbers mean{sum_over_halves(nu, p.rows, numerics::digamma) +
               static_cast<double>(p.rows) * kLog2 - log_det(p)};
  for (const double s : packed(inverse(p))) mean.push_back(nu * s);
  return mean;
}
inline Numbers fisher(Params eta, Params) {
  const auto [nu, p] = arguments_of(eta);
  const RowMatrix s = inverse(p);
  Numbers all{sum_over_halves(nu, p.rows, numerics::trigamma)};
  const Numbers cross = packed(s);
  for (const double c : cross) all.push_back(2.0 * c);
  for (Index j = 0, row = 0; j < s.cols; ++j)
    for (Index i = 0; i <= j; ++i, ++row) {
      all.push_back(2.0 * cross[static_cast<std::size_t>(row)]);
      for (Index l = 0; l < s.cols; ++l)
        for (Index k = 0; k <= l; ++k) all.push_back(nu * (s(i, k) * s(j, l) + s(i, l) * s(j, k)));
    }
  return all;
}
// nu from log|E Y| - E log|Y|, which falls with it, by bisection of its logarithm.
inline Numbers near_mean(Params mean, Params) {
  RowMatrix s = unpacked(mean.subspan(1));
  const double gap = log_det(s) - mean[0];
  const Index n = s.rows;
  double low = -30.0, high = 30.0;
  const auto nu_at = [&](double u) { return static_cast<double>(n) - 1.0 + std::exp(u); };
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high), nu = nu_at(middle);
    const double there =
        static_cast<double>(n) * std::log(0.5 * nu) - sum_over_halves(nu, n, numerics::digamma);
    (there > gap ? low : high) = middle;
  }
  const double nu = nu_at(0.5 * (low + high));
  for (double& value : s.values) value /= nu;
  return natural_from({nu, inverse(s)});
}

}  // namespace credo::dist::wishart_form
