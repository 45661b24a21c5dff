#include "numerics/unscented.hpp"

#include "numerics/linear_algebra/matrix.hpp"

namespace credo::numerics {

SigmaPoints sigma_points(const GaussianState& state, double kappa) {
  const auto d = state.mean.size();
  const double spread = static_cast<double>(d) + kappa;
  const SymmetricEigen eigen({ssize(state.mean), ssize(state.mean), state.covariance()});
  SigmaPoints sigma{.points = {state.mean}, .weights = {kappa / spread}, .scales = eigen.values};
  for (std::size_t k = 0; k < d; ++k) {
    sigma.scales[k] = std::max(sigma.scales[k], 0.0);
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> x = state.mean;
      for (std::size_t i = 0; i < d; ++i)
        x[i] += sign * std::sqrt(spread * sigma.scales[k]) * eigen.vector(k)[i];
      sigma.points.push_back(std::move(x));
      sigma.weights.push_back(0.5 / spread);
    }
  }
  return sigma;
}

// With D_k = f(x_k+) - f(x_k-), A = cov(f, x) P^-1 = sum of D_k (x_k+ - x_k-)' w_k / (2 lambda_k): directions without spread say
// nothing.
LinearNormal statistical_linearisation(const SigmaPoints& sigma,
                                       std::span<const NormalMoments> images) {
  const std::size_t d = sigma.points[0].size(), m = images[0].mean.size();
  std::vector<double> mean(m, 0.0);
  for (std::size_t p = 0; p < images.size(); ++p)
    for (std::size_t i = 0; i < m; ++i) mean[i] += sigma.weights[p] * images[p].mean[i];
  LinearNormal distribution{.matrix = std::vector<double>(m * d, 0.0),
                            .offset = mean,
                            .noise = std::vector<double>(m * m, 0.0)};
  const double least = 1e-14 * *std::max_element(sigma.scales.begin(), sigma.scales.end());
  for (std::size_t k = 0; k < d; ++k) {
    if (!(sigma.scales[k] > least)) continue;
    const std::size_t plus = 1 + 2 * k, minus = plus + 1;
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t i = 0; i < m; ++i)
        distribution.matrix[i + j * m] += (images[plus].mean[i] - images[minus].mean[i]) *
                                          (sigma.points[plus][j] - sigma.points[minus][j]) *
                                          (0.5 * sigma.weights[plus] / sigma.scales[k]);
  }
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t i = 0; i < m; ++i)
      distribution.offset[i] -= distribution.matrix[i + j * m] * sigma.points[0][j];
  for (std::size_t p = 0; p < images.size(); ++p) {
    std::vector<double> left = images[p].mean;  // rest of the image about the line
    for (std::size_t i = 0; i < m; ++i) {
      left[i] -= distribution.offset[i];
      for (std::size_t j = 0; j < d; ++j)
        left[i] -= distribution.matrix[i + j * m] * sigma.points[p][j];
    }
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t i = 0; i < m; ++i)
        distribution.noise[i + j * m] +=
            sigma.weights[p] * (left[i] * left[j] + images[p].covariance[i + j * m]);
  }
  return distribution;
}

}  // namespace credo::numerics
