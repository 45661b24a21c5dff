// Weights of several models that predict the same rows, from the log predictive density of each row by each
// model: N x K, a row for each row [yao2018].
#pragma once
#include "base/types.hpp"

namespace credo::diagnose {

// The mixture of predictions that is best for rows left out: maximises sum_i log sum_k w_k exp(elpd_ik) over
// weights that add up to 1.
std::vector<double> stacking_weights(std::span<const double> elpd, Index num_models);

// Proportional to exp(elpd_k), elpd_k a model's sum, averaged over `num_draws` Bayesian bootstraps of the rows,
// which regularises them; 0: without bootstrap.
std::vector<double> pseudo_bma_weights(std::span<const double> elpd, Index num_models,
                                       Index num_draws = 1000, std::uint64_t seed = 1);

}  // namespace credo::diagnose
