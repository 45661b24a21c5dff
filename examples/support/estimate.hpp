// Means of independent repetitions, with their errors: what tolerances are made of.
#pragma once
#include "diagnose/autocorrelation.hpp"

namespace credo::examples {

struct Estimate {
  double mean = 0.0, error = 0.0;  // standard error
};

// Of independent values, such as one for each chain.
inline Estimate mean_of(std::span<const double> values) {
  return {diagnose::mean(values),
          std::sqrt(diagnose::variance(values) / static_cast<double>(values.size()))};
}

// Autocorrelations of a stationary chain whose variance is known, from its variogram: precise where
// a chain hardly moves.
inline std::vector<double> autocorrelations(std::span<const double> chain, double variance) {
  std::vector<double> rho = diagnose::variogram({chain, static_cast<Index>(chain.size()), 1});
  for (double& value : rho) value = 1.0 - 0.5 * value / variance;
  return rho;
}

inline double median(std::span<const double> values) { return diagnose::quantile(values, 0.5); }

}  // namespace credo::examples
