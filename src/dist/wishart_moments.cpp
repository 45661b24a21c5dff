// Moments of the Wishart distributions by Bartlett's factors [bartlett1933]: W = L B B' L' with a
// lower B, B_jj^2 chi-square with nu - j + 1 degrees of freedom and standard normals below; the
// inverse Wishart matrix is L M M' L' with M = U^-T, U an upper factor of the same kind, whose
// U_jj^2 has nu - K + j degrees. Below its diagonal, row i of M is b' M_{<i} / U_ii with standard
// normals b. Matrices: [kollo2005, ch. 2].
#include "dist/matrix_moments.hpp"
#include "dist/wishart.hpp"
#include "graph/core/special.hpp"

namespace credo::dist {
namespace nm = numerics;
namespace {

// The expected logarithm of a chi variate with this many degrees of freedom.
double mean_log_chi(double freedom) { return 0.5 * (kLog2 + nm::digamma(0.5 * freedom)); }
double mean_chi(double freedom) {
  return nm::exp(0.5 * kLog2 + nm::lgamma_delta(0.5 * freedom, 0.5));
}
double mean_inverse_chi(double freedom) {
  return freedom > 1.0 ? nm::exp(-0.5 * kLog2 - nm::lgamma_delta(0.5 * freedom - 0.5, 0.5))
                       : kInfinity;
}

struct Setting {
  Setting(Args args, const Expr& lower)
      : nu(args[0].value()), factor(lower), size(lower.shape().rows) {}
  double order() const { return static_cast<double>(size); }
  // degrees of freedom of B_jj and U_jj, j from 0
  double of_lower(Index j) const { return nu - static_cast<double>(j); }
  double of_upper(Index j) const { return nu - order() + 1.0 + static_cast<double>(j); }
  double log_diagonal(Index j) const { return nm::log(factor.value(j + j * size)); }
  double nu;
  Expr factor;
  Index size;
};

double sum_over(Index size, auto&& term) {
  double total = 0.0;
  for (Index j = 0; j < size; ++j) total += term(j);
  return total;
}

// The logarithm of the normaliser of the density with the identity as its scale.
double log_normaliser(const Setting& s) {
  const double k = s.order();
  return 0.5 * kLog2 * k * s.nu + 0.25 * kLogPi * k * (k - 1.0) +
         sum_over(s.size, [&](Index j) { return nm::lgamma(0.5 * s.of_lower(j)); });
}
double entropy_of_matrix(const Setting& s) {
  const double log_scale = sum_over(s.size, [&](Index j) { return s.log_diagonal(j); });
  const double log_root =
      log_scale + sum_over(s.size, [&](Index j) { return mean_log_chi(s.of_lower(j)); });
  return log_normaliser(s) + s.nu * log_scale - (s.nu - s.order() - 1.0) * log_root +
         0.5 * s.nu * s.order();
}
double entropy_of_inverse(const Setting& s) {
  const double log_scale = sum_over(s.size, [&](Index j) { return s.log_diagonal(j); });
  const double log_root =
      log_scale - sum_over(s.size, [&](Index j) { return mean_log_chi(s.of_lower(j)); });
  return log_normaliser(s) - s.nu * log_scale + (s.nu + s.order() + 1.0) * log_root +
         0.5 * s.nu * s.order();
}
// The expected logarithm of the volume of a matrix by its factor: 2^K prod L_jj^(K - j), j from 0.
double log_volume(const Setting& s, auto&& mean_log) {
  return kLog2 * s.order() + sum_over(s.size, [&](Index j) {
           return (s.order() - static_cast<double>(j)) * (s.log_diagonal(j) + mean_log(j));
         });
}

// mean c S; covariance of (i, j) and (k, l): a S_ij S_kl + b (S_ik S_jl + S_il S_jk).
Moments symmetric_moments(const Expr& scale, double c, double a, double b) {
  const Index n = scale.shape().rows;
  const auto at = [&](Index i, Index j) { return scale.value(i + j * n); };
  Moments out;
  for (const double x : scale.values()) out.mean.push_back(c * x);
  for (Index kl = 0; kl < n * n; ++kl) {
    for (Index ij = 0; ij < n * n; ++ij) {
      const Index i = ij % n, j = ij / n, k = kl % n, l = kl / n;
      out.covariance.push_back(a * at(i, j) * at(k, l) +
                               b * (at(i, k) * at(j, l) + at(i, l) * at(j, k)));
    }
  }
  return out;
}
}  // namespace

Moments wishart_moments(Args args) {
  const Setting s(args, cholesky(args[1]));
  Moments m = symmetric_moments(args[1], s.nu, 0.0, s.nu);
  m.entropy = entropy_of_matrix(s);
  return m;
}

Moments inv_wishart_moments(Args args) {
  const Setting s(args, cholesky(args[1]));
  const double rest = s.nu - s.order() - 1.0;
  const double b = 1.0 / ((rest + 1.0) * rest * (rest - 2.0));
  Moments m = symmetric_moments(args[1], rest > 0.0 ? 1.0 / rest : kNaN,
                                rest > 2.0 ? 2.0 * b / rest : kNaN, rest > 2.0 ? b : kNaN);
  m.entropy = entropy_of_inverse(s);
  return m;
}

Moments wishart_cholesky_moments(Args args) {
  const Setting s(args, lower_triangle(args[1]));
  std::vector<double> means, variances(static_cast<std::size_t>(s.size * s.size), 1.0);
  for (Index j = 0; j < s.size; ++j) {
    means.push_back(mean_chi(s.of_lower(j)));
    variances[static_cast<std::size_t>(j + j * s.size)] =
        s.of_lower(j) - means.back() * means.back();
  }
  Moments m = triangular_moments(s.factor, means, variances);
  m.entropy =
      entropy_of_matrix(s) - log_volume(s, [&](Index j) { return mean_log_chi(s.of_lower(j)); });
  return m;
}

Moments inv_wishart_cholesky_moments(Args args) {
  const Setting s(args, lower_triangle(args[1]));
  const auto n = static_cast<std::size_t>(s.size);
  std::vector<double> means, squares(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double freedom = s.of_upper(static_cast<Index>(i));
    means.push_back(mean_inverse_chi(freedom));
    squares[i + i * n] = freedom > 2.0 ? 1.0 / (freedom - 2.0) : kInfinity;
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = j; k < i; ++k)
        squares[i + j * n] += squares[i + i * n] * squares[k + j * n];
    }
  }
  for (std::size_t i = 0; i < n; ++i) squares[i + i * n] -= means[i] * means[i];
  Moments m = triangular_moments(s.factor, means, squares);
  m.entropy =
      entropy_of_inverse(s) - log_volume(s, [&](Index j) { return -mean_log_chi(s.of_upper(j)); });
  return m;
}

}  // namespace credo::dist
