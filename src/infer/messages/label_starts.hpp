// Starts of coordinate ascent for programs that sum over labels: k-means++ [arthur2007] by the program's own densities.
#pragma once
#include "infer/messages/factors.hpp"

namespace credo::infer {

// Statistics to begin at, made of others: all rows share the labels at first; then one row after the other becomes the only one of its
// label, with a probability proportional to its distance in log density from those before; then each row takes its nearest label. The
// other statistics if the program has no labels.
std::vector<double> label_start(const density::MomentForm& form, std::vector<double> statistics,
                                Rng& rng);

}  // namespace credo::infer
