#include "dist/matrix_moments.hpp"

namespace credo::dist {
namespace {
double sum_log_diagonal(const Expr& square) { return sum(log(diagonal(square))).value(); }
}  // namespace

Expr identity(Index size) {
  std::vector<double> values(static_cast<std::size_t>(size * size), 0.0);
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(size) + 1)
    values[i] = 1.0;
  return graph::constant(graph::matrix_shape(size, size), values);
}

double entropy_of_normals(Index count) { return kHalfLog2PiE * static_cast<double>(count); }

Moments elliptical_moments(const Expr& mu, const Expr& root, double variance, double entropy) {
  const Expr product = matmul(root, root, false, true);
  Moments m;
  for (Index i = 0; i < mu.size(); ++i) m.mean.push_back(mu.value(i));
  for (const double c : product.values()) m.covariance.push_back(variance * c);
  m.entropy = entropy + sum_log_diagonal(root);
  return m;
}

std::vector<double> draw_with_root(Rng& rng, const Expr& mu, const Expr& root) {
  std::vector<double> z(static_cast<std::size_t>(mu.size()));
  for (double& x : z) x = rng.normal();
  const Expr moved = matmul(root, graph::constant(graph::vector_shape(ssize(z)), z));
  for (std::size_t i = 0; i < z.size(); ++i)
    z[i] = mu.value(static_cast<Index>(i)) + moved.value(static_cast<Index>(i));
  return z;
}

// Columns are uncorrelated; in column j, Cov(i, k) = sum_{m >= j} L_im L_km v_mj.
Moments triangular_moments(const Expr& factor, std::span<const double> diagonal_means,
                           std::span<const double> variances) {
  const auto n = static_cast<std::size_t>(factor.shape().rows);
  const auto at = [&](std::size_t i, std::size_t j) {
    return i < j ? 0.0 : factor.value(static_cast<Index>(i + j * n));
  };
  Moments out;
  out.covariance.assign(n * n * n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      out.mean.push_back(i < j ? 0.0 : at(i, j) * diagonal_means[j]);
      for (std::size_t k = 0; k < n; ++k) {
        double& covariance = out.covariance[i + j * n + (k + j * n) * n * n];
        for (std::size_t m = j; m < n; ++m) {
          const double both = at(i, m) * at(k, m);
          if (both != 0.0) covariance += both * variances[m + j * n];
        }
      }
    }
  }
  return out;
}

}  // namespace credo::dist
