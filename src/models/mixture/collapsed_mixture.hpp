// Collapsed Gibbs sampling of mixtures: parameters and proportions are summed out, labels are left.
//
//   const NormalInverseWishart prior{...};
//   CollapsedGaussianMixture mixture(points, prior, PartitionPrior::dirichlet_multinomial(1.0, 4));
//   std::vector<Index> labels = mixture.sequential_start(chooser);
//   mixture.sweep(labels, chooser);
//
// With PartitionPrior::chinese_restaurant it is the Dirichlet-process mixture [neal2000, alg. 3],
// whose labels are numbered as first members come.
#pragma once
#include "models/mixture/gaussian_cluster.hpp"
#include "models/mixture/partition_prior.hpp"

namespace credo::models {

class CollapsedGaussianMixture {
 public:
  // points: N x D, one after the other. Throws Error(data) for a wrong size, a prior out of its
  // domain, or a point that isn't finite.
  CollapsedGaussianMixture(std::vector<double> points, NormalInverseWishart prior,
                           PartitionPrior partition);
  CollapsedGaussianMixture(const CollapsedGaussianMixture&) = delete;  // clusters know its prior
  CollapsedGaussianMixture& operator=(const CollapsedGaussianMixture&) = delete;

  // Every point in turn given those before it.
  std::vector<Index> sequential_start(infer::Chooser& chooser);
  // Every point, in random order, leaves its cluster and chooses again, with weight (number of
  // others + a / K) p(x | others). Statistics are made anew at the start, so that rounding doesn't
  // add up and labels are all the state there is. O(N K D^2).
  void sweep(std::vector<Index>& labels, infer::Chooser& chooser);
  // One point; for laboratories and other scans.
  void update_point(std::vector<Index>& labels, Index point, infer::Chooser& chooser);

  // log p(labels) p(points | labels): what the labels' distribution is proportional to.
  double log_joint(std::span<const Index> labels) const;

  Index num_points() const { return num_points_; }
  const NormalInverseWishart& prior() const { return prior_; }
  std::span<const double> point(Index i) const {
    return std::span(points_).subspan(i * prior_.dimension(), prior_.dimension());
  }

 private:
  void load(std::span<const Index> labels);
  void check(std::span<const Index> labels) const;  // throws Error(data)
  GaussianCluster without(std::span<const Index> labels, Index point) const;
  void reseat(std::span<Index> labels, Index point, infer::Chooser& chooser);
  Index seat(Index point, infer::Chooser& chooser);

  std::vector<double> points_;
  NormalInverseWishart prior_;
  PartitionPrior partition_;
  Index num_points_;
  std::vector<GaussianCluster> clusters_;  // a restaurant's: at least one is empty
  std::vector<double> log_weights_;
  std::vector<Index> order_;
};

}  // namespace credo::models
