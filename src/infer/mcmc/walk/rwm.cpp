#include "infer/mcmc/walk/rwm.hpp"

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr double kScaleDecay = 0.6;  // in (1/2, 1]: steps whose sum diverges, squares converge

MetricKind shape_of(const RwmOptions& options) { return options.metric; }
MetricKind shape_of(const HaarioOptions&) { return MetricKind::dense; }
MetricKind shape_of(const RamOptions&) { return MetricKind::dense; }

double target_or_default(double target, Index dimension) {
  return target > 0.0 ? target : optimal_walk_acceptance(dimension);
}
}  // namespace

template <class WalkOptions>
Step<MetropolisInfo> GaussianWalk<WalkOptions>::step(PointState& current, Rng& rng) {
  for (double& z : noise_) z = rng.normal();
  settings.metric.shape_move(noise_, candidate_);
  for (std::size_t d = 0; d < candidate_.size(); ++d)
    candidate_[d] = current.position[d] + settings.scale * candidate_[d];
  const Evaluation at = co_await evaluate(std::span<const double>(candidate_));
  const double log_ratio = at.log_density - current.log_density;
  co_return decide(current, candidate_, at.log_density, log_ratio, rng);
}

template <class WalkOptions>
GaussianWalk<WalkOptions>::GaussianWalk(const WalkOptions& options_, Index dimension)
    : options(options_),
      settings{.scale = options_.scale > 0.0 ? options_.scale : optimal_walk_scale(dimension),
               .metric = Metric(shape_of(options_), dimension)},
      noise_(static_cast<std::size_t>(dimension)),
      candidate_(noise_.size()) {}

template class GaussianWalk<RwmOptions>;
template class GaussianWalk<HaarioOptions>;
template class GaussianWalk<RamOptions>;

void report_settings(const WalkSettings& settings, ChainResult& result) {
  const std::span<const double> covariance = settings.metric.inverse();
  result.tuned = {{"scale", {settings.scale}},
                  {"covariance", {covariance.begin(), covariance.end()}}};
}

double optimal_walk_scale(Index dimension) {
  return 2.38 / std::sqrt(static_cast<double>(std::max<Index>(dimension, 1)));
}

// Acceptance at the optimal scale on a standard normal: exact in one dimension, (2/π) atan(2/2.38),
// and its limit; between them what simulation gives, within 0.005.
double optimal_walk_acceptance(Index dimension) {
  if (dimension <= 1) return 0.44;
  return 0.234 + 0.24 / static_cast<double>(dimension);
}

ScaleAdaptation::ScaleAdaptation(const SampleOptions& options, const Metric& metric,
                                 double target_accept)
    : target_(target_or_default(target_accept, metric.dimension())),
      moments_(metric.kind(), metric.dimension()) {
  if (metric.kind() != MetricKind::unit)
    schedule_ = warmup_schedule(options.num_warmup, options.adapt.schedule);
}

void ScaleAdaptation::learn_from(Index iteration, double accept_stat,
                                 std::span<const double> position, WalkSettings& settings) {
  count_ += 1.0;
  settings.scale *= numerics::exp(numerics::pow(count_, -kScaleDecay) * (accept_stat - target_));
  if (iteration < schedule_.metric_begin || window_ >= schedule_.window_ends.size()) return;
  moments_.add(position);
  if (iteration + 1 != schedule_.window_ends[window_]) return;
  ++window_;
  const bool usable = moments_.count() >= 2 && settings.metric.set_inverse(moments_.regularised());
  if (usable && window_ == 1) {  // later metrics have about the scale of the one before
    settings.scale = optimal_walk_scale(settings.metric.dimension());
    count_ = 0.0;
  }
  moments_.restart();
}

void HaarioAdaptation::learn_from(Index iteration, std::span<const double> position,
                                  WalkSettings& settings) {
  moments_.add(position);
  if (iteration + 1 < num_before_ || moments_.count() < 2) return;
  (void)!settings.metric.set_inverse(moments_.with_jitter(jitter_));  // else the last one stays
}

RobustAdaptation::RobustAdaptation(const SampleOptions&, const RobustMetropolis& kernel)
    : target_(target_or_default(kernel.options.target_accept, kernel.settings.metric.dimension())),
      decay_(kernel.options.decay),
      direction_(kernel.noise().size()) {}

bool RobustAdaptation::learn(Index iteration, const MetropolisInfo& info, const PointState&,
                             RobustMetropolis& kernel) {
  const std::span<const double> z = kernel.noise();
  const auto n = static_cast<double>(z.size());
  const double rate = std::min(1.0, n * numerics::pow(static_cast<double>(iteration + 1), -decay_));
  double square = 0.0;
  for (const double value : z) square += value * value;
  kernel.settings.metric.shape_move(z, direction_);  // L z
  const double weight = rate * (info.accept_stat - target_) / square;
  // I + η (α - α*) z zᵀ / |z|² has eigenvalues 1 and 1 + η (α - α*) > 0: only rounding can fail
  (void)!kernel.settings.metric.add_rank_one(weight, direction_);
  return false;
}

extern const SamplerSpec kRwm;
const SamplerSpec kRwm = sampler_row<Rwm, ScaleAdaptation>(
    {.name = "rwm",
     .summary = "random-walk Metropolis, adaptive scale and metric",
     .reference = "roberts2001"});

extern const SamplerSpec kAdaptiveMetropolis;
const SamplerSpec kAdaptiveMetropolis = sampler_row<AdaptiveMetropolis, HaarioAdaptation>(
    {.name = "adaptive_metropolis",
     .summary = "random-walk Metropolis with the covariance of its warm-up",
     .reference = "haario2001"});

extern const SamplerSpec kRam;
const SamplerSpec kRam = sampler_row<RobustMetropolis, RobustAdaptation>(
    {.name = "ram",
     .summary = "robust adaptive Metropolis: shape by the acceptance along each try",
     .reference = "vihola2012"});

}  // namespace credo::infer
