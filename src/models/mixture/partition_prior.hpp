// Distributions of partitions of N things into clusters: Dirichlet-multinomial with K components, and the
// Chinese restaurant, its limit for ever more components.
#pragma once
#include "base/error.hpp"
#include "base/types.hpp"
#include "infer/compose/chooser.hpp"

namespace credo::models {

class PartitionPrior {
 public:
  // Proportions from a Dirichlet distribution with concentration / K for each of K components, summed out.
  // Throws Error(data) unless concentration > 0 and num_components >= 1.
  static PartitionPrior dirichlet_multinomial(double concentration, Index num_components);
  // Any number of clusters: a new one with weight `concentration`.
  static PartitionPrior chinese_restaurant(double concentration);

  bool is_finite() const { return num_components_ > 0; }
  Index num_components() const { return num_components_; }  // 0: any number
  double concentration() const { return concentration_; }

  // Weight of a cluster that `count` others are in; they sum to concentration + number of others
  // when a restaurant's new cluster has new_weight().
  double weight(Index count) const;
  double new_weight() const { return concentration_; }

  // Log probability of the labels: as numbers of components, or of the partition irrespective of the labels
  // (restaurant).
  double log_prob(std::span<const Index> labels) const;

 private:
  PartitionPrior(double concentration, Index num_components);
  double concentration_;
  Index num_components_;
};

// Labels of num_things from the prior, one after the other; a restaurant's clusters are numbered as
// they come.
std::vector<Index> draw_labels(const PartitionPrior& prior, Index num_things,
                               infer::Chooser& chooser);

// Clusters numbered as their first members come: equal for equal partitions.
std::vector<Index> by_first_member(std::span<const Index> labels);

}  // namespace credo::models
