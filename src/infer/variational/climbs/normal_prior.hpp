// A normal belief of the unconstrained values, and the prior as one.
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

struct NormalBelief {
  std::vector<double> mean;        // D
  std::vector<double> covariance;  // D × D
};

// The prior by its mode and curvature; exact where it is normal. `method`: "the filter", for errors. Throws Error(usage) for a density
// that doesn't know its prior, Error(evaluation) for one without a peak.
NormalBelief normal_prior(const density::LogDensity& density, std::string_view method,
                          std::uint64_t seed);

}  // namespace credo::infer
