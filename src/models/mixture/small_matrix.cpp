#include "models/mixture/small_matrix.hpp"

namespace credo::models {

SmallMatrix diagonal_matrix(Index n, double value) {
  SmallMatrix matrix(n);
  for (Index i = 0; i < n; ++i) matrix(i, i) = value;
  return matrix;
}

SmallMatrix cholesky_of(const SmallMatrix& a) {
  const Index n = a.size();
  SmallMatrix factor(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (Index k = 0; k < j; ++k) sum -= factor(i, k) * factor(j, k);
      factor(i, j) = i == j ? std::sqrt(sum) : sum / factor(j, j);
    }
  }
  return factor;
}

SmallMatrix inverse_from_factor(const SmallMatrix& factor) {
  const Index n = factor.size();
  SmallMatrix inverse(n);
  std::vector<double> column(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) {
    std::fill(column.begin(), column.end(), 0.0);
    column[j] = 1.0;
    solve_factor(factor, column);
    solve_factor_transposed(factor, column);
    for (Index i = 0; i < n; ++i) inverse(i, j) = column[i];
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) inverse(j, i) = inverse(i, j);
  }
  return inverse;
}

double log_determinant_of_factor(const SmallMatrix& factor) {
  double sum = 0.0;
  for (Index i = 0; i < factor.size(); ++i) sum += std::log(factor(i, i));
  return 2.0 * sum;
}

void solve_factor(const SmallMatrix& factor, std::span<double> x) {
  for (Index i = 0; i < factor.size(); ++i) {
    for (Index k = 0; k < i; ++k) x[i] -= factor(i, k) * x[k];
    x[i] /= factor(i, i);
  }
}

void solve_factor_transposed(const SmallMatrix& factor, std::span<double> x) {
  for (Index i = factor.size() - 1; i >= 0; --i) {
    for (Index k = i + 1; k < factor.size(); ++k) x[i] -= factor(k, i) * x[k];
    x[i] /= factor(i, i);
  }
}

std::vector<double> times_factor(const SmallMatrix& factor, std::span<const double> x) {
  std::vector<double> out(x.size(), 0.0);
  for (Index i = 0; i < factor.size(); ++i) {
    for (Index k = 0; k <= i; ++k) out[i] += factor(i, k) * x[k];
  }
  return out;
}

double update_factor(SmallMatrix& factor, std::span<double> v, double sign) {
  const Index n = factor.size();
  double least = 1.0;
  for (Index k = 0; k < n; ++k) {
    const double old = factor(k, k), pivot = std::sqrt(old * old + sign * v[k] * v[k]);
    const double cosine = pivot / old, sine = v[k] / old;
    factor(k, k) = pivot;
    if (!(cosine * cosine >= least)) least = cosine * cosine;
    for (Index i = k + 1; i < n; ++i) {
      factor(i, k) = (factor(i, k) + sign * sine * v[i]) / cosine;
      v[i] = cosine * v[i] - sine * factor(i, k);
    }
  }
  return least;
}

}  // namespace credo::models
