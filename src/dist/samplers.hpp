// Exact samplers that several distributions use.
#pragma once
#include "base/rng.hpp"

namespace credo::dist {

double draw_gamma(Rng& rng, double shape);      // rate 1; [marsaglia2000]
double draw_log_gamma(Rng& rng, double shape);  // its logarithm, for tiny shapes
double draw_poisson(Rng& rng, double rate);     // [hormann1993ptrs] from 10 on, else by products
double draw_binomial(Rng& rng, double size,
                     double probability);  // [hormann1993btrs], else by inversion
double draw_neg_binomial(Rng& rng, double shape, double mean);  // Poisson with a gamma rate
Index draw_category(Rng& rng,
                    std::span<const double> weights);  // from 0; weights need not sum to 1
// Counts of `total` things in categories of these probabilities: a binomial share of the rest each.
std::vector<double> draw_counts(Rng& rng, std::span<const double> probabilities, double total);

}  // namespace credo::dist
