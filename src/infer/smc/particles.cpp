#include "infer/smc/particles.hpp"

#include "diagnose/weights.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/resampling_schemes.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {

Particles::Particles(Index num_particles, Index dimension)
    : population(num_particles, dimension),
      log_weights_(static_cast<std::size_t>(num_particles),
                   -numerics::log(static_cast<double>(num_particles))),
      ancestors_(static_cast<std::size_t>(num_particles)) {
  std::iota(ancestors_.begin(), ancestors_.end(), Index{0});
}

// Each particle was drawn until it had a likelihood: (n - 1) / (draws - 1) is the share of such draws, without
// bias [haldane1945], and (1 - share) / n the variance of its logarithm to first order.
void Particles::begin_with(Index num_drawn) {
  if (num_drawn == size()) return;
  const double n = static_cast<double>(size());
  const double share = (n - 1.0) / (static_cast<double>(num_drawn) - 1.0);
  log_evidence_ += numerics::log(share);
  start_variance_ = (1.0 - share) / n;
}

bool Particles::reweight(std::span<const double> log_increments) {
  std::vector<double> weights = log_weights_;
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += log_increments[i];
  const double log_mean = normalise_log_weights(weights);
  if (!std::isfinite(log_mean)) return false;
  log_weights_ = std::move(weights);
  log_evidence_ += log_mean;
  return true;
}

double Particles::ess() const {
  return diagnose::weight_ess(log_weights_) / static_cast<double>(size());
}

void Particles::resample(double u) { become(systematic_parents(log_weights_, u)); }

void Particles::resample_chains(double u, Index length) {
  std::vector<Index> parents;
  for (const Index parent : systematic_parents(log_weights_, u, size() / length))
    parents.insert(parents.end(), static_cast<std::size_t>(length), parent);
  become(parents);
}

void Particles::become(std::span<const Index> parents) {
  const PopulationState before = population;
  const std::vector<Index> ancestors = ancestors_;
  for (Index i = 0; i < size(); ++i) {
    const auto parent = parents[static_cast<std::size_t>(i)];
    std::ranges::copy(before.position(parent), population.position(i).begin());
    population.log_density(i) = before.log_density(parent);
    ancestors_[static_cast<std::size_t>(i)] = ancestors[static_cast<std::size_t>(parent)];
  }
  log_weights_.assign(log_weights_.size(), -numerics::log(static_cast<double>(size())));
}

double Particles::log_evidence_error(Index most_groups) const {
  const Index num_groups = std::min(most_groups, size());
  std::vector<double> shares(static_cast<std::size_t>(num_groups), 0.0);
  for (std::size_t i = 0; i < ancestors_.size(); ++i)
    shares[static_cast<std::size_t>(ancestors_[i] * num_groups / size())] +=
        numerics::exp(log_weights_[i]);
  const double count = static_cast<double>(num_groups);
  double squares = 0.0;
  for (const double share : shares) squares += share * share;
  constexpr double kFewest = 10.0;  // effective groups
  if (squares * std::min(kFewest, 0.5 * count) > 1.0) return kInfinity;
  const double spread = std::max(0.0, squares - 1.0 / count);  // 0 up to rounding: equal shares
  return std::sqrt(spread * count / (count - 1.0) + start_variance_);
}

Index Particles::num_ancestors() const {
  Index count = 0;
  for (std::size_t i = 0; i < ancestors_.size(); ++i)
    if (i == 0 || ancestors_[i] != ancestors_[i - 1]) ++count;
  return count;
}

}  // namespace credo::infer
