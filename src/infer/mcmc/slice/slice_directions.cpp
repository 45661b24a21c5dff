#include "infer/mcmc/slice/slice_directions.hpp"

#include "infer/core/chain.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::infer {
namespace {
constexpr double kTwoPi = 6.28318530717958647693;

// Adds a draw of warm-up to its window; true at the end of one.
bool window_ends(const WarmupSchedule& schedule, std::size_t& window, Index iteration,
                 std::span<const double> position, Welford& moments) {
  if (iteration < schedule.metric_begin || window >= schedule.window_ends.size()) return false;
  moments.add(position);
  if (iteration + 1 != schedule.window_ends[window]) return false;
  ++window;
  return true;
}
}  // namespace

// ---- hit and run ----

Step<SliceInfo> HitAndRun::step(PointState& current, Rng& rng) {
  draw_direction(rng);
  line_.width = settings.width;
  SliceInfo info;
  info.add(co_await line_.move(current, rng));
  info.log_density = current.log_density;
  co_return info;
}

HitAndRun::HitAndRun(const HitAndRunOptions& options_, Index dimension)
    : options(options_),
      settings{.width = options_.width, .metric = Metric(options_.metric, dimension)},
      line_(dimension),
      noise_(static_cast<std::size_t>(dimension)) {
  line_.growth = options.growth;
  line_.max_growth = options.max_growth;
}

void HitAndRun::draw_direction(Rng& rng) {
  double square = 0.0;
  for (double& z : noise_) z = rng.normal(), square += z * z;
  for (double& z : noise_) z /= std::sqrt(square);
  settings.metric.shape_move(noise_, line_.direction);
}

void report_settings(const HitAndRunSettings& settings, ChainResult& result) {
  const std::span<const double> covariance = settings.metric.inverse();
  result.tuned = {{"width", {settings.width}},
                  {"covariance", {covariance.begin(), covariance.end()}}};
}

HitAndRunAdaptation::HitAndRunAdaptation(const SampleOptions& options, const HitAndRun& kernel)
    : moments_(kernel.settings.metric.kind(), kernel.settings.metric.dimension()) {
  if (kernel.settings.metric.kind() != MetricKind::unit)
    schedule_ = warmup_schedule(options.num_warmup, options.adapt.schedule);
}

bool HitAndRunAdaptation::learn(Index iteration, const SliceInfo& info, const PointState& state,
                                HitAndRun& kernel) {
  count_ += 1.0;
  HitAndRunSettings& settings = kernel.settings;
  settings.width *= width_factor(count_, info.num_expansions, info.num_contractions);
  if (!window_ends(schedule_, window_, iteration, state.position, moments_)) return false;
  const bool usable = moments_.count() >= 2 && settings.metric.set_inverse(moments_.regularised());
  if (usable && window_ == 1) settings.width = kernel.options.width, count_ = 0.0;
  moments_.restart();
  return false;
}

// ---- factor slice ----

Step<SliceInfo> FactorSlice::step(PointState& current, Rng& rng) {
  SliceInfo info;
  const std::size_t n = moves_.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::copy_n(settings.axes.begin() + static_cast<std::ptrdiff_t>(k * n), n,
                line_.direction.begin());
    line_.width = settings.widths[k];
    moves_[k] = co_await line_.move(current, rng);
    info.add(moves_[k]);
  }
  info.log_density = current.log_density;
  co_return info;
}

FactorSlice::FactorSlice(const FactorSliceOptions& options_, Index dimension)
    : options(options_),
      settings{.axes = std::vector<double>(static_cast<std::size_t>(dimension * dimension)),
               .widths = std::vector<double>(static_cast<std::size_t>(dimension), options_.width)},
      line_(dimension),
      moves_(settings.widths.size()) {
  for (std::size_t d = 0; d < moves_.size(); ++d) settings.axes[d * (moves_.size() + 1)] = 1.0;
  line_.growth = options.growth;
  line_.max_growth = options.max_growth;
}

void report_settings(const FactorSliceSettings& settings, ChainResult& result) {
  result.tuned = {{"axes", settings.axes}, {"widths", settings.widths}};
}

FactorSliceAdaptation::FactorSliceAdaptation(const SampleOptions& options,
                                             const FactorSlice& kernel)
    : schedule_(warmup_schedule(options.num_warmup, options.adapt.schedule)),
      moments_(MetricKind::dense, ssize(kernel.settings.widths)),
      matrix_(kernel.settings.axes.size()),
      values_(kernel.settings.widths.size()),
      work_(2 * values_.size()) {}

bool FactorSliceAdaptation::learn(Index iteration, const SliceInfo&, const PointState& state,
                                  FactorSlice& kernel) {
  count_ += 1.0;
  FactorSliceSettings& settings = kernel.settings;
  for (std::size_t k = 0; k < settings.widths.size(); ++k) {
    const LineMove& move = kernel.moves()[k];
    settings.widths[k] *= width_factor(count_, move.num_expansions, move.num_contractions);
  }
  if (!window_ends(schedule_, window_, iteration, state.position, moments_)) return false;
  if (moments_.count() >= 2) {
    take_axes(settings);
    std::fill(settings.widths.begin(), settings.widths.end(), kernel.options.width);
    count_ = 0.0;
  }
  moments_.restart();
  return false;
}

void FactorSliceAdaptation::take_axes(FactorSliceSettings& settings) {
  const std::span<const double> covariance = moments_.regularised();
  std::copy(covariance.begin(), covariance.end(), matrix_.begin());
  const std::size_t n = values_.size();
  numerics::symmetric_eigen(static_cast<Index>(n), matrix_.data(), values_.data(), work_.data());
  const bool positive = std::all_of(values_.begin(), values_.end(),
                                    [](double v) { return v > 0.0 && std::isfinite(v); });
  if (!positive) return;  // the last axes stay
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t d = 0; d < n; ++d)
      settings.axes[k * n + d] = std::sqrt(values_[k]) * matrix_[k * n + d];
}

// ---- elliptical ----

// [murray2010, fig. 2], with r(x) = π(x) / N(x; mean, Σ) in the place of the likelihood
// [nishihara2014, sec. 3].
Step<SliceInfo> EllipticalSlice::step(PointState& current, Rng& rng) {
  SliceInfo info;
  for (double& z : noise_) z = rng.normal();
  settings.metric.shape_move(noise_, other_);
  const double height = current.log_density - log_normal(current.position) - rng.exponential();
  double angle = rng.uniform(0.0, kTwoPi);
  for (double lo = angle - kTwoPi, hi = angle;;) {
    place(current, angle);
    const double log_density = (co_await evaluate(candidate_)).log_density;
    ++info.num_evaluations;
    if (log_density > -kInfinity && log_density - log_normal(candidate_) >= height) {
      std::copy(candidate_.begin(), candidate_.end(), current.position.begin());
      current.log_density = log_density;
      break;
    }
    ++info.num_contractions;
    (angle < 0.0 ? lo : hi) = angle;
    if (hi - lo < 1e-14) break;  // rounding of the height: stays
    angle = rng.uniform(lo, hi);
  }
  info.log_density = current.log_density;
  co_return info;
}

EllipticalSlice::EllipticalSlice(const EllipticalOptions& options_, Index dimension)
    : options(options_),
      settings{.scale = options_.inflate,
               .metric = Metric(MetricKind::dense, dimension),
               .mean = std::vector<double>(static_cast<std::size_t>(dimension))},
      noise_(settings.mean.size()),
      other_(noise_.size()),
      candidate_(noise_.size()),
      off_(noise_.size()) {}

double EllipticalSlice::log_normal(std::span<const double> position) {
  double square = 0.0;
  for (std::size_t d = 0; d < off_.size(); ++d)
    off_[d] = (position[d] - settings.mean[d]) / settings.scale;
  settings.metric.unshape_move(off_);
  for (const double z : off_) square += z * z;
  return -0.5 * square;
}

void EllipticalSlice::place(const PointState& current, double angle) {
  const double cosine = numerics::cos(angle), sine = settings.scale * numerics::sin(angle);
  for (std::size_t d = 0; d < candidate_.size(); ++d)
    candidate_[d] =
        settings.mean[d] + cosine * (current.position[d] - settings.mean[d]) + sine * other_[d];
}

void report_settings(const EllipticalSettings& settings, ChainResult& result) {
  const std::span<const double> covariance = settings.metric.inverse();
  result.tuned = {{"scale", {settings.scale}},
                  {"mean", settings.mean},
                  {"covariance", {covariance.begin(), covariance.end()}}};
}

EllipticalAdaptation::EllipticalAdaptation(const SampleOptions& options,
                                           const EllipticalSlice& kernel)
    : jitter_(kernel.options.jitter),
      num_before_(std::min(kernel.options.num_before, options.num_warmup / 2)),
      moments_(MetricKind::dense, kernel.settings.metric.dimension()) {}

bool EllipticalAdaptation::learn(Index iteration, const SliceInfo&, const PointState& state,
                                 EllipticalSlice& kernel) {
  moments_.add(state.position);
  if (iteration + 1 < num_before_ || moments_.count() < 2) return false;
  if (kernel.settings.metric.set_inverse(moments_.with_jitter(jitter_)))
    kernel.settings.mean.assign(moments_.mean().begin(), moments_.mean().end());
  return false;
}

extern const SamplerSpec kHitAndRun;
const SamplerSpec kHitAndRun = sampler_row<HitAndRun, HitAndRunAdaptation>(
    {.name = "hit_and_run",
     .summary = "slice sampling along random directions, adaptive width and metric",
     .reference = "neal2003"});

extern const SamplerSpec kFactorSlice;
const SamplerSpec kFactorSlice = sampler_row<FactorSlice, FactorSliceAdaptation>(
    {.name = "factor_slice",
     .summary = "slice sampling along the axes of the covariance",
     .reference = "tibbits2014"});

extern const SamplerSpec kEllipticalSlice;
const SamplerSpec kEllipticalSlice = sampler_row<EllipticalSlice, EllipticalAdaptation>(
    {.name = "elliptical_slice",
     .summary = "slice sampling on ellipses of a normal distribution that warm-up fits",
     .reference = "murray2010"});

}  // namespace credo::infer
