// The sleep phase (amortised_fit.hpp): networks learn from parameters and data that the program simulates. The network of local values reads the
// features of their rows; that of all other values reads the features of all rows, or their means and standard deviations if these are
// many.
#pragma once
#include "infer/variational/fits/amortised_fit.hpp"
#include "infer/variational/climbs/local_rows.hpp"

namespace credo::infer {

inline constexpr std::string_view kSleep = "sleep";

// Parameters, and the data that the program has drawn at them.
struct SimulatedPair {
  std::vector<double> position;
  std::vector<density::ObservedVariable> data;  // all data, with the outcomes replaced
};

// Throws Error(usage) where the priors or the outcomes can't be drawn, or none of the features is an outcome.
std::vector<SimulatedPair> simulate_pairs(const density::LogDensity& density,
                                          std::span<const std::string> features, Index count,
                                          std::uint64_t seed);

// One row with all values of a table, if they are few, else the mean and the log of the standard deviation of each column.
FeatureTable pooled(const FeatureTable& features);

BestNormal fit_by_simulations(const density::LogDensity& density, const AmortizedOptions& options);

}  // namespace credo::infer
