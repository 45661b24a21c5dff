// A function of a normal vector, made linear by its values at a few points [julier1997; sarkka2013, ch. 5].
#pragma once
#include "numerics/kalman.hpp"

namespace credo::numerics {

// m and m +- sqrt((d + kappa) lambda_k) v_k of the eigenvectors v_k of the covariance: 2 d + 1 points, the centre first, then pairs.
// kappa >= 0: the weight of the centre is kappa / (d + kappa), that of the others 1 / (2 (d + kappa)); kappa = 0 is the cubature
// rule.
struct SigmaPoints {
  std::vector<std::vector<double>> points;
  std::vector<double> weights;
  std::vector<double> scales;  // lambda_k, of pairs
};
SigmaPoints sigma_points(const GaussianState& state, double kappa);

// The distribution of an image given a point.
struct NormalMoments {
  std::vector<double> mean, covariance;
};

// E(image | x) = A x + b with the least expected squared error, and the covariance of the rest: that of the images about the
// line, and the mean of the images' own.
struct LinearNormal {
  std::vector<double> matrix, offset, noise;
};
LinearNormal statistical_linearisation(const SigmaPoints& sigma,
                                       std::span<const NormalMoments> images);

}  // namespace credo::numerics
