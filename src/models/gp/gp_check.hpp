// A Gaussian process seen in other ways: eigenvalues of its covariance at the rows, the same prediction by weights of features and by weights
// of outcomes, and the spectra of its stationary terms.
#pragma once
#include "models/gp/gp_table.hpp"

namespace credo::models {

struct GpCheck {
  std::vector<double>
      eigenvalues;  // eigenvalues of the covariance of f at the rows, the largest first
  Index rank = 0;  // eigenvalues above 1e-12 of the largest: features sqrt(value) times eigenvector
  bool is_positive = true;  // all eigenvalues are above -1e-10 of the largest
  double effective =
      0.0;  // sum of value / (value + noise variance): effective number of parameters
  // Largest difference between the mean by the N weights of the rows and that by the weights of the features.
  double feature_error = 0.0;
  // The prediction at a point as a weighted sum of outcomes, those of largest weight first.
  std::vector<Index> rows = {};  // from 0
  std::vector<double> row_weights = {};
  double weight_sum = 0.0;
  // Kolmogorov's conditions: means and covariances at some of the points, in reverse order, against those of the joint distribution; largest
  // difference. 0 points: not computed.
  Index num_joint = 0, num_marginal = 0;
  double marginal_error = 0.0;
};
// `at`: the point, one of `points`, whose weights are computed. Dense: N³. Throws Error(usage) for more than 2,000 rows.
GpCheck check_gp(const GpTable& table, std::span<const double> theta, const GpPoints& points,
                 Index at);

// Spectral density of a term, a single stationary kernel of one input, times its variance: K(f) = int k(r) exp(2 pi i f r) dr.
struct GpSpectrum {
  std::string term;
  std::vector<double> frequency, density;  // cycles per unit of the input
  double half = 0.0,
         most = 0.0;  // half of the variance is below this frequency, 95 % below this one
};
std::vector<GpSpectrum> spectra_of(const Covariance& covariance, std::span<const double> theta);

}  // namespace credo::models
