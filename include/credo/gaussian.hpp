// Normal distributions of several numbers, by themselves.
//
//   const credo::Gaussian given = credo::condition({.mean = {0, 1}, .covariance = {2, 0.6, 0.6, 1}}, {1}, {1.5});
//   given.mean;        // of element 0, given that element 1 is 1.5
//   given.covariance;
#pragma once
#include <cstddef>
#include <vector>

#include "credo/export.hpp"

namespace credo {

struct Gaussian {
  std::vector<double> mean;        // d
  std::vector<double> covariance;  // d x d, symmetric and positive semi-definite
};

// The distribution of the other elements, in their order, given that those at `places` (from 0, each once) have these
// values:   mean_1 + C_12 C_22^-1 (values - mean_2),   C_11 - C_12 C_22^-1 C_21   [murphy2023, 13.4.3]
// by the square roots of the Kalman filter, so that covariances stay positive semi-definite. Throws Error(data) for sizes that don't
// fit, numbers that aren't finite, a covariance that isn't symmetric (to 1e-8) or positive semi-definite, and a C_22 that is singular.
CREDO_API Gaussian condition(const Gaussian& distribution, const std::vector<std::size_t>& places,
                             const std::vector<double>& values);

}  // namespace credo
