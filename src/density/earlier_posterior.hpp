// A normal distribution of unconstrained values, known by their names, that was fitted to earlier data: it takes the place of
// the prior for the next data. Σ is a matrix, or diag(scales²) + B Bᵀ.
#pragma once
#include "base/types.hpp"

namespace credo::density {

struct EarlierPosterior {
  std::vector<std::string> names = {};                // D unconstrained values
  std::vector<double> mean = {};                      // D
  std::vector<double> covariance = {};                // D × D; empty: the two below
  std::vector<double> scales = {}, loadings = {};     // D; B by columns, D × r, r >= 0
  std::vector<std::string> data = {};                 // digests of all data that it has seen
  std::vector<std::string> parameters = {};           // names of declared values, with the values
  std::vector<double> at_mean = {}, at_one_off = {};  // at the mean, and where all are 1 above it

  Index dimension() const { return ssize(mean); }
  Index rank() const { return mean.empty() ? 0 : ssize(loadings) / ssize(mean); }
};

}  // namespace credo::density
