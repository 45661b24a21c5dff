#include "infer/mcmc/walk/metropolis.hpp"

#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer {

Step<MetropolisInfo> Metropolis::step(PointState& current, Rng& rng) {
  options.proposal->draw(current.position, candidate_, rng);
  const double log_density = (co_await evaluate(candidate_)).log_density;
  const double log_ratio =
      log_density - current.log_density + options.proposal->log_ratio(current.position, candidate_);
  co_return decide(current, candidate_, log_density, log_ratio, rng);
}

Metropolis::Metropolis(const MetropolisOptions& options_, Index dimension)
    : options(options_), candidate_(static_cast<std::size_t>(dimension)) {
  if (!options.proposal) throw Error(ErrorCode::usage, "there is no proposal", "metropolis");
  options.proposal->check(dimension);
}

MetropolisInfo decide(PointState& current, std::span<const double> candidate, double log_density,
                      double log_ratio, Rng& rng) {
  const double accept_prob = log_density == -kInfinity ? 0.0 : metropolis_prob(log_ratio);
  const bool accepted = rng.uniform() < accept_prob;
  if (accepted) {
    std::copy(candidate.begin(), candidate.end(), current.position.begin());
    current.log_density = log_density;
  }
  return {.log_density = current.log_density, .accept_stat = accept_prob, .accepted = accepted};
}

}  // namespace credo::infer
