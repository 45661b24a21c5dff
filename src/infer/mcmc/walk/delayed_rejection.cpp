// With θ0 the current point, θ1 and θ2 the tries, t1 the density of the first step and α1(a, b) the
// probability of accepting a from b at the first try [tierney1999, eq. 3]:
//
//   α2 = min(1, π(θ2) t1(θ1 | θ2) (1 - α1(θ1, θ2)) / (π(θ0) t1(θ1 | θ0) (1 - α1(θ1, θ0))))
//
// The second step is around θ0 whatever θ1 was, so that its own density cancels.
#include "infer/mcmc/walk/delayed_rejection.hpp"

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {

Step<DelayedRejectionInfo> DelayedRejection::step(PointState& current, Rng& rng) {
  DelayedRejectionInfo info;
  propose(current, first_noise_, settings.scale, rng);
  const double first = (co_await evaluate(candidate_)).log_density;
  const MetropolisInfo first_try =
      decide(current, candidate_, first, first - current.log_density, rng);
  info.accept_stat = first_try.accept_stat;
  info.accepted = first_try.accepted;
  if (!info.accepted) {
    info.num_tries = 2;
    propose(current, second_noise_, options.shrink * settings.scale, rng);
    const double second = (co_await evaluate(candidate_)).log_density;
    const double back = first == -kInfinity ? 0.0 : metropolis_prob(first - second);  // α1(θ1, θ2)
    const double log_ratio = second - current.log_density + log_ratio_of_first_steps() +
                             numerics::log1p(-back) - numerics::log1p(-info.accept_stat);
    info.accepted = decide(current, candidate_, second, log_ratio, rng).accepted;
  }
  info.log_density = current.log_density;
  co_return info;
}

DelayedRejection::DelayedRejection(const DelayedRejectionOptions& options_, Index dimension)
    : options(options_),
      settings{.scale = options_.scale > 0.0 ? options_.scale : optimal_walk_scale(dimension),
               .metric = Metric(MetricKind::dense, dimension)},
      first_noise_(static_cast<std::size_t>(dimension)),
      second_noise_(first_noise_.size()),
      candidate_(first_noise_.size()) {}

void DelayedRejection::propose(const PointState& current, std::span<double> noise, double scale,
                               Rng& rng) {
  for (double& z : noise) z = rng.normal();
  settings.metric.shape_move(noise, candidate_);
  for (std::size_t d = 0; d < candidate_.size(); ++d)
    candidate_[d] = current.position[d] + scale * candidate_[d];
}

// log t1(θ1 | θ2) - log t1(θ1 | θ0), in units of the noise: θ1 lies at z1, θ2 at shrink z2.
double DelayedRejection::log_ratio_of_first_steps() const {
  double from_second = 0.0, from_start = 0.0;
  for (std::size_t d = 0; d < first_noise_.size(); ++d) {
    const double off = first_noise_[d] - options.shrink * second_noise_[d];
    from_second += off * off;
    from_start += first_noise_[d] * first_noise_[d];
  }
  return -0.5 * (from_second - from_start);
}

extern const SamplerSpec kDram;
const SamplerSpec kDram = sampler_row<DelayedRejection, HaarioAdaptation>(
    {.name = "dram",
     .summary = "delayed rejection: a second, smaller try; with the covariance of its warm-up",
     .reference = "haario2006"});

}  // namespace credo::infer
