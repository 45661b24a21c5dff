// One partition for many: the one with the least expected variation of information from the draws of a posterior [wade2018].
//
//   VI(a, b) = H(a) + H(b) - 2 I(a, b), in nats: 0 for equal partitions, at most log N
#pragma once
#include "base/types.hpp"

namespace credo::models {

using Labels = std::vector<Index>;  // a label for each point, from 0

double variation_of_information(const Labels& a, const Labels& b);
// Mean of the variation of information between a partition and the draws.
double expected_variation(const Labels& partition, std::span<const Labels> draws);

// The best draw, improved by moving single points as long as the expectation falls. Labels are numbered from the largest cluster on.
Labels best_partition(std::span<const Labels> draws);

// Share of the draws in which two points have one label, N x N.
std::vector<double> co_clustering(std::span<const Labels> draws, Index num_points);

// For each label of `labels` the label of the reference that is matched with it, so that as many points as possible agree; -1: without a match.
Labels matched_labels(const Labels& labels, const Labels& reference);

}  // namespace credo::models
