// The weights of a fit's draws after warm-up, where it has some: the column log_weight of its sampler.
#pragma once
#include "results/files/fit.hpp"

namespace credo::results {

// Draws of one chain after another, as density::Draws::quantity has them; empty: all count the same.
std::vector<double> log_weights_of(const Fit& fit);

// For each draw of a chain, the draw that takes its place so that all count the same:
// systematic resampling of each chain by its own weights. Ordered like log_weights_of(); empty without weights.
std::vector<Index> equally_weighted(const Fit& fit);

}  // namespace credo::results
