#include "models/mixture/collapsed_mixture.hpp"

#include <fmt/format.h>

namespace credo::models {
using infer::Chooser;

CollapsedGaussianMixture::CollapsedGaussianMixture(std::vector<double> points,
                                                   NormalInverseWishart prior,
                                                   PartitionPrior partition)
    : points_(std::move(points)), prior_(std::move(prior)), partition_(partition) {
  prior_.check();
  num_points_ = ssize(points_) / prior_.dimension();
  if (num_points_ * prior_.dimension() != ssize(points_))
    throw Error(ErrorCode::data,
                fmt::format("{} numbers aren't points of {} dimensions", points_.size(),
                            prior_.dimension()),
                "points");
  for (const double x : points_) {
    if (!std::isfinite(x))
      throw Error(ErrorCode::data, fmt::format("must be finite, one is {}", x), "points");
  }
  order_.resize(static_cast<std::size_t>(num_points_));
}

// A restaurant keeps an empty cluster behind the others.
void CollapsedGaussianMixture::load(std::span<const Index> labels) {
  const Index used = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
  const Index size = partition_.is_finite() ? partition_.num_components() : used + 1;
  clusters_.assign(static_cast<std::size_t>(size), GaussianCluster(prior_));
  for (Index i = 0; i < ssize(labels); ++i) clusters_[labels[i]].add(point(i));
}

// The first of a restaurant's empty clusters is the new one.
Index CollapsedGaussianMixture::seat(Index i, Chooser& chooser) {
  log_weights_.clear();
  bool has_new = false;
  for (GaussianCluster& cluster : clusters_) {
    const bool is_new = cluster.count() == 0 && !partition_.is_finite();
    const double prior =
        is_new ? (has_new ? 0.0 : partition_.new_weight()) : partition_.weight(cluster.count());
    has_new |= is_new;
    log_weights_.push_back(prior > 0.0 ? std::log(prior) + cluster.log_predictive(point(i))
                                       : -kInfinity);
  }
  const Index chosen = chooser.choose_log(log_weights_);
  clusters_[chosen].add(point(i));
  if (!partition_.is_finite() && clusters_.back().count() > 0) clusters_.emplace_back(prior_);
  return chosen;
}

// A point far from its cluster takes most digits with it: then the cluster is made anew.
void CollapsedGaussianMixture::reseat(std::span<Index> labels, Index i, Chooser& chooser) {
  if (!clusters_[labels[i]].remove(point(i))) clusters_[labels[i]] = without(labels, i);
  labels[i] = seat(i, chooser);
}

GaussianCluster CollapsedGaussianMixture::without(std::span<const Index> labels, Index i) const {
  GaussianCluster cluster(prior_);
  for (Index j = 0; j < num_points_; ++j)
    if (j != i && labels[j] == labels[i]) cluster.add(point(j));
  return cluster;
}

void CollapsedGaussianMixture::check(std::span<const Index> labels) const {
  if (ssize(labels) != num_points_)
    throw Error(ErrorCode::data, fmt::format("{} labels for {} points", labels.size(), num_points_),
                "labels");
  const Index end = partition_.is_finite() ? partition_.num_components() : num_points_;
  for (const Index label : labels)
    if (label < 0 || label >= end)
      throw Error(ErrorCode::data, fmt::format("must be 0 .. {}, one is {}", end - 1, label),
                  "labels");
}

std::vector<Index> CollapsedGaussianMixture::sequential_start(Chooser& chooser) {
  load({});
  std::vector<Index> labels;
  for (Index i = 0; i < num_points_; ++i) labels.push_back(seat(i, chooser));
  return labels;
}

void CollapsedGaussianMixture::update_point(std::vector<Index>& labels, Index i, Chooser& chooser) {
  check(labels);
  load(labels);
  reseat(labels, i, chooser);
  if (!partition_.is_finite()) labels = by_first_member(labels);
}

void CollapsedGaussianMixture::sweep(std::vector<Index>& labels, Chooser& chooser) {
  check(labels);
  load(labels);
  std::iota(order_.begin(), order_.end(), Index{0});
  for (Index left = num_points_; left > 0; --left) {
    std::swap(order_[left - 1], order_[chooser.uniform_index(left)]);
    reseat(labels, order_[left - 1], chooser);
  }
  if (!partition_.is_finite()) labels = by_first_member(labels);
}

double CollapsedGaussianMixture::log_joint(std::span<const Index> labels) const {
  std::map<Index, GaussianCluster> clusters;
  for (Index i = 0; i < ssize(labels); ++i)
    clusters.try_emplace(labels[i], prior_).first->second.add(point(i));
  double sum = partition_.log_prob(labels);
  for (const auto& [label, cluster] : clusters) sum += cluster.log_marginal();
  return sum;
}

}  // namespace credo::models
