#include "infer/mcmc/walk/independence.hpp"

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer {

Step<MetropolisInfo> Independence::step(PointState& current, Rng& rng) {
  const std::span<const double> centre = settings.walks ? current.position : settings.mean;
  for (double& z : noise_) z = rng.normal();
  settings.metric.shape_move(noise_, candidate_);
  for (std::size_t d = 0; d < candidate_.size(); ++d)
    candidate_[d] = centre[d] + settings.scale * candidate_[d];
  const double log_density = (co_await evaluate(candidate_)).log_density;
  const double log_ratio_of_proposals = settings.walks ? 0.0 : log_ratio(current.position);
  co_return decide(current, candidate_, log_density,
                   log_density - current.log_density + log_ratio_of_proposals, rng);
}

Independence::Independence(const IndependenceOptions& options_, Index dimension)
    : options(options_),
      settings{.scale = options_.inflate,
               .metric = Metric(MetricKind::dense, dimension),
               .mean = std::vector<double>(static_cast<std::size_t>(dimension))},
      noise_(settings.mean.size()),
      candidate_(noise_.size()),
      off_(noise_.size()) {}

// log q(from) - log q(candidate): the candidate lies at the noise, in the factor's coordinates.
double Independence::log_ratio(std::span<const double> from) {
  for (std::size_t d = 0; d < off_.size(); ++d)
    off_[d] = (from[d] - settings.mean[d]) / settings.scale;
  settings.metric.unshape_move(off_);
  double there = 0.0, here = 0.0;
  for (std::size_t d = 0; d < off_.size(); ++d)
    there += noise_[d] * noise_[d], here += off_[d] * off_[d];
  return 0.5 * (there - here);
}

void report_settings(const IndependenceSettings& settings, ChainResult& result) {
  const std::span<const double> covariance = settings.metric.inverse();
  result.tuned = {{"scale", {settings.scale}},
                  {"mean", settings.mean},
                  {"covariance", {covariance.begin(), covariance.end()}}};
}

IndependenceAdaptation::IndependenceAdaptation(const SampleOptions& options, Independence& kernel)
    : num_warmup_(options.num_warmup),
      num_before_(std::min(kernel.options.num_before, options.num_warmup / 2)),
      moments_(MetricKind::dense, kernel.settings.metric.dimension()),
      late_(moments_) {
  if (!options.adapt.engaged || options.num_warmup == 0) return;
  kernel.settings.walks = true;
  kernel.settings.scale = kernel.options.scale > 0.0
                              ? kernel.options.scale
                              : optimal_walk_scale(kernel.settings.metric.dimension());
}

bool IndependenceAdaptation::learn(Index iteration, const MetropolisInfo&, const PointState& state,
                                   Independence& kernel) {
  moments_.add(state.position);
  if (2 * iteration >= num_warmup_) late_.add(state.position);
  if (iteration + 1 >= num_before_ && moments_.count() >= 2)
    (void)!kernel.settings.metric.set_inverse(moments_.with_jitter(kernel.options.jitter));
  return false;
}

void IndependenceAdaptation::finish(Independence& kernel) {
  kernel.settings.walks = false;
  kernel.settings.scale = kernel.options.inflate;
  kernel.settings.mean.assign(late_.mean().begin(), late_.mean().end());
  if (late_.count() >= 2)
    (void)!kernel.settings.metric.set_inverse(late_.with_jitter(kernel.options.jitter));
}

extern const SamplerSpec kIndependence;
const SamplerSpec kIndependence = sampler_row<Independence, IndependenceAdaptation>(
    {.name = "independence",
     .summary = "proposals from a normal distribution that warm-up fits",
     .reference = "tierney1994"});

}  // namespace credo::infer
