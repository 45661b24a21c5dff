// Draw of coordinate d, with h the log density along it and u the hull of the tangents laid so far:
//
//   0  tangents around the present point, and farther out until the outermost two fall off
//   1  x ~ e^u, and h(x), h'(x)
//   2  with the probability e^(h(x) - u(x)): x is the draw
//   3  else a tangent is laid at x, and 1 again
//
// The lower bound of [gilks1992], which saves evaluations, saves none here: the next coordinate asks for the
// density where this one went, anyway.
//
// With Metropolis [gilks1995] u bounds h or doesn't. Line 2 accepts with min(1, e^(h - u)), and from x0, where the
// coordinate was, x is kept with the probability
//
//   A = min(1, e^(h(x) + min(h, u)(x0) - h(x0) - min(h, u)(x)))
//
// u may not depend on x0 then, so that the tangents of line 0 lie around a centre that warm-up learned.
#include "infer/mcmc/rejection/adaptive_rejection.hpp"

#include <fmt/format.h>

#include <numbers>

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostTries = 1000;                        // a concave density takes some five
constexpr Index kMostDoublings = 60;                      // of the way to where a density falls off
constexpr Index kMostTangents = 2 * kMostDoublings + 64;  // on both sides, and of tries
// By how much the outermost tangents fall over their distance, at least: flat ones draw from far out.
constexpr double kLeastFall = 0.5;
constexpr double kProbeScale = 3.0;  // scale of the Cauchy distribution of probes, in widths
constexpr const char* kWayOut =
    "correct the draws by a Metropolis step (metropolis = true), or take the sampler slice";
constexpr const char* kHoleHint =
    "take a sampler that finds parts that lie apart: smc or nested (with --from normal, where the "
    "prior can't be drawn from)";
}  // namespace

// ---- scales

namespace {
double declared_share(double x) {
  const double e = numerics::exp(-std::fabs(x));
  return x < 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
}
}  // namespace

double to_scale(LineScale scale, double x) {
  if (scale == LineScale::one_bound) return numerics::exp(x);
  return scale == LineScale::two_bounds ? declared_share(x) : x;
}

double from_scale(LineScale scale, double w) {
  constexpr double kLeast = std::numeric_limits<double>::min(),
                   kMost = 1.0 - std::numeric_limits<double>::epsilon();
  if (scale == LineScale::one_bound) return numerics::log(std::max(w, kLeast));
  if (scale == LineScale::free) return w;
  const double p = std::clamp(w, kLeast, kMost);
  return numerics::log(p) - numerics::log1p(-p);
}

ScaleRange range_of(LineScale scale) {
  return {scale == LineScale::free ? -kInfinity : 0.0,
          scale == LineScale::two_bounds ? 1.0 : kInfinity};
}

TangentPoint on_scale(LineScale scale, const TangentPoint& free) {
  if (scale == LineScale::free) return free;
  const double w = to_scale(scale, free.x);
  if (scale == LineScale::one_bound) return {w, free.value - free.x, (free.slope - 1.0) / w};
  const double rest = declared_share(-free.x);
  return {w, free.value - numerics::log(w) - numerics::log(rest),
          (free.slope - rest + w) / (w * rest)};
}

bool has_slope(LineScale scale, double w, double typical) {
  constexpr double kLeast = 1e-8;
  if (scale == LineScale::free) return true;
  if (scale == LineScale::one_bound) return w > kLeast * typical && w < kInfinity;
  return w > kLeast && w < 1.0 - kLeast;
}

double scale_excess(LineScale scale, const TangentPoint& a, const TangentPoint& b) {
  const TangentPoint p = on_scale(scale, a), q = on_scale(scale, b);
  const auto above = [&](const TangentPoint& at, const TangentPoint& other) {
    if (!has_slope(scale, at.x, other.x)) return -kInfinity;
    const double fall = at.slope * (other.x - at.x);
    constexpr double kRelative = 1e-11;  // rounding, as in tangent_rounding()
    const double most = std::max({std::fabs(at.value), std::fabs(other.value), std::fabs(fall)});
    return other.value - at.value - fall - kRelative * most;
  };
  return std::max(above(p, q), above(q, p));
}

// ---- the kernel

Step<AdaptiveRejectionInfo> AdaptiveRejection::step(PointState& current, Rng& rng) {
  info_ = {.accept_stat = 0.0};
  const auto probed = static_cast<std::size_t>(rng.index_below(ssize(moves_)));
  for (d_ = 0; d_ < moves_.size(); ++d_) {
    probes_ = d_ == probed && !options.metropolis;
    const double before = current.position[d_];
    co_await draw_coordinate(current, rng);
    moves_[d_] = std::fabs(to_scale(scale_, current.position[d_]) - to_scale(scale_, before));
  }
  info_.log_density = current.log_density;
  info_.accept_stat /= static_cast<double>(moves_.size());
  co_return info_;
}

// Draws on the first scale that isn't refuted. If a point refutes it, the draw begins again on the next scale.
Step<Nothing> AdaptiveRejection::draw_coordinate(PointState& current, Rng& rng) {
  for (bool is_drawn = false; !is_drawn;) {
    scale_ = scale_of(d_);
    seen_.clear();
    try {
      co_await draw_on_scale(current, rng);
      is_drawn = true;
    } catch (const ScaleRefuted&) {
      settings.widths[d_] = options.width * to_scale(scale_of(d_), current.position[d_]);
    }
  }
  co_return Nothing{};
}

LineScale AdaptiveRejection::scale_of(std::size_t d) const {
  for (const LineScale scale : kLineScales) {
    if ((settings.refuted[d] >> static_cast<int>(scale) & 1) == 0) return scale;
  }
  return kLineScales.back();
}

Step<Nothing> AdaptiveRejection::draw_on_scale(PointState& current, Rng& rng) {
  co_await lay_first_tangents(current, rng);
  if (hull_.points().empty()) co_return Nothing{};  // a Metropolis step that stays
  for (Index tries = 0; tries < kMostTries; ++tries) {
    const TangentHull::Drawn drawn = hull_.draw(rng.uniform(), rng.uniform());
    const double height = drawn.bound + numerics::log(rng.uniform());
    co_await look_at(drawn.x);
    if (height <= at_.value) {
      settle(current, drawn, rng);
      co_return Nothing{};
    }
    ++info_.num_rejections;
    lay_tangent();
  }
  refuse(fmt::format("{} tries gave no draw", kMostTries),
         "either its gradient isn't its own, or it isn't log-concave: take the sampler slice");
}

AdaptiveRejection::AdaptiveRejection(const AdaptiveRejectionOptions& options_, Index dimension)
    : options(options_),
      settings{.widths = std::vector<double>(static_cast<std::size_t>(dimension), options_.width),
               .centres = std::vector<double>(static_cast<std::size_t>(dimension), 0.0),
               .refuted = std::vector<std::int32_t>(static_cast<std::size_t>(dimension), 0),
               .is_warm = false},
      hull_(kMostTangents),
      candidate_(make_point(dimension, true)),
      moves_(settings.widths.size()) {}

// Around the present point, or around the centre, which isn't where the coordinate is. A probe far out is one more
// tangent, and finds out about modes that are far away.
Step<Nothing> AdaptiveRejection::lay_first_tangents(const PointState& current, Rng& rng) {
  candidate_.position = current.position;
  const ScaleRange range = range_of(scale_);
  hull_.clear(range.lower, range.upper);
  base_ = options.metropolis ? settings.centres[d_] : to_scale(scale_, current.position[d_]);
  if (options.metropolis) {
    co_await look_at(base_);
    if (at_.value == -kInfinity) co_return Nothing{};
  } else {
    free_ = {current.position[d_], current.log_density, current.gradient[d_]};
    at_ = on_scale(scale_, free_);
    require_derivative();
    compare_scales();
  }
  hull_.add(at_);
  co_await reach_out(-1);
  co_await reach_out(+1);
  if (!probes_) co_return Nothing{};
  const double far = kProbeScale * numerics::tan(std::numbers::pi * (rng.uniform() - 0.5));
  const double x = base_ + far * settings.widths[d_];
  if (x <= range.lower || x >= range.upper) co_return Nothing{};
  const bool is_beyond = x <= hull_.lower() || x >= hull_.upper();  // the density is 0 there
  co_await look_at(x);
  if (!is_beyond)
    lay_tangent();
  else if (at_.value > -kInfinity)
    refuse(fmt::format("it is finite at {}, and minus infinity on the way there from {}", at_.x,
                       base_),
           kHoleHint);
}

// Tangents at distances that double, until the outermost one falls away from the base.
Step<Nothing> AdaptiveRejection::reach_out(int side) {
  double reach = settings.widths[d_];
  for (Index doublings = 0; !falls_off(side); ++doublings, reach *= 2.0) {
    if (doublings == kMostDoublings)
      refuse(fmt::format("it doesn't fall off towards {} infinity: its derivative is {} at {}",
                         side < 0 ? "minus" : "plus", at_.slope, at_.x),
             "is it a proper density? bounds or priors of its parameters make it one");
    co_await look_at(base_ + side * reach);
    lay_tangent();
  }
}

bool AdaptiveRejection::falls_off(int side) const {
  if (side < 0 ? hull_.lower() > -kInfinity : hull_.upper() < kInfinity) return true;
  const TangentPoint& end = side < 0 ? hull_.points().front() : hull_.points().back();
  const double distance = std::max(settings.widths[d_], std::fabs(end.x - base_));
  return -side * end.slope * distance >= kLeastFall;
}

Step<Nothing> AdaptiveRejection::look_at(double x) {
  ++info_.num_evaluations;
  candidate_.position[d_] = from_scale(scale_, x);
  const Evaluation there = co_await evaluate(candidate_.position, candidate_.gradient);
  free_ = {candidate_.position[d_], there.log_density, candidate_.gradient[d_]};
  is_off_ = false;
  if (free_.value < kLeastLogDensity) free_.value = -kInfinity;
  at_ = on_scale(scale_, free_);
  at_.x = x;
  if (at_.value == -kInfinity) co_return Nothing{};
  compare_scales();
  is_off_ = !has_slope(scale_, x, base_);
  if (!is_off_) require_derivative();
  const bool is_within = x > hull_.lower() && x < hull_.upper();
  if (!options.metropolis && is_within) require_concave();
  co_return Nothing{};
}

// Lays a tangent at the evaluated point. If the density is 0 there, it is 0 beyond, too, if it is log-concave.
void AdaptiveRejection::lay_tangent() {
  const std::span<const TangentPoint> points = hull_.points();
  if (at_.value > -kInfinity) {
    if (!is_off_ && keeps_falling()) hull_.add(at_);
  } else if (at_.x < points.front().x || at_.x > points.back().x) {
    hull_.cut(at_.x);
  } else if (!options.metropolis) {
    refuse(fmt::format("it is minus infinity at {}, and finite on both sides of it", at_.x),
           kHoleHint);
  }
}

// Without a bound the outermost tangents fall, or e^u has no integral: with a log density that isn't concave a
// point farther out may rise, and be left out.
bool AdaptiveRejection::keeps_falling() const {
  const std::span<const TangentPoint> points = hull_.points();
  if (!options.metropolis) return true;
  if (at_.x < points.front().x)
    return at_.slope > 0.0 || !hull_.falls_left() || hull_.lower() > -kInfinity;
  if (at_.x > points.back().x)
    return at_.slope < 0.0 || !hull_.falls_right() || hull_.upper() < kInfinity;
  return true;
}

void AdaptiveRejection::settle(PointState& current, const TangentHull::Drawn& drawn, Rng& rng) {
  const double prob = options.metropolis ? keep_prob(current, drawn) : 1.0;
  info_.accept_stat += prob;
  if (options.metropolis && !(rng.uniform() < prob)) return;
  current.position[d_] = candidate_.position[d_];
  current.log_density = free_.value;
  std::swap(current.gradient, candidate_.gradient);
}

double AdaptiveRejection::keep_prob(const PointState& current,
                                    const TangentHull::Drawn& drawn) const {
  const double now = current.log_density, bound = hull_.bound(current.position[d_]);
  return metropolis_prob(at_.value - std::min(at_.value, drawn.bound) -
                         (now - std::min(now, bound)));
}

void AdaptiveRejection::require_concave() {
  TangentHull::Excess excess;
  if (is_off_) {  // the point has no slope, so only its value is compared
    excess = {at_.value - hull_.bound(at_.x), hull_.points().front()};
  } else {
    excess = hull_.excess(at_);
  }
  is_off_ = is_off_ || excess.value > options.tolerance;
  if (!(excess.value > options.tolerance) || hull_.is_negligible(at_)) return;
  refute(scale_);
  const bool others = !is_refuted(scale_of(d_));
  if (others && !settings.is_warm) throw ScaleRefuted{};
  refuse(fmt::format(
             "it isn't concave{}: of its points at {} and {} one lies {:.3g} above the tangent at "
             "the other",
             scale_ == LineScale::free
                 ? ""
                 : ", neither along the unconstrained value nor on the scale of bounds",
             std::min(at_.x, excess.beside.x), std::max(at_.x, excess.beside.x), excess.value),
         others ? "a longer warm-up finds the scale on which it is concave (--warmup)" : kWayOut);
}

// Tests the points evaluated so far on the other scales, too, so that a scale on which the density isn't log-concave
// is refuted before it is needed.
void AdaptiveRejection::compare_scales() {
  if (options.metropolis || settings.is_warm) return;
  const auto place =
      std::lower_bound(seen_.begin(), seen_.end(), free_.x,
                       [](const TangentPoint& point, double x) { return point.x < x; });
  for (const LineScale scale : kLineScales) {
    if (scale == scale_ || is_refuted(scale)) continue;
    const auto look = [&](const TangentPoint& beside) {
      if (scale_excess(scale, free_, beside) > options.tolerance && !is_far_below(beside))
        refute(scale);
    };
    if (place != seen_.end()) look(*place);
    if (place != seen_.begin()) look(*std::prev(place));
  }
  seen_.insert(place, free_);
}

// True if one of the two points lies so far below the highest one that rounding makes the comparison meaningless.
bool AdaptiveRejection::is_far_below(const TangentPoint& free) const {
  constexpr double kNegligible = 36.0;  // e^-36 is the unit roundoff
  double most = free_.value;
  for (const TangentPoint& point : seen_) most = std::max(most, point.value);
  return std::min(free_.value, free.value) < most - kNegligible;
}

void AdaptiveRejection::require_derivative() const {
  if (!std::isfinite(at_.slope))
    refuse(fmt::format("its derivative at {} is {}", at_.x, at_.slope), "take the sampler slice");
}

void AdaptiveRejection::refuse(const std::string& message, const char* hint) const {
  throw Error(ErrorCode::evaluation, "the log density along this value: " + message,
              fmt::format("adaptive_rejection, unconstrained value {}", d_ + 1), hint);
}

void report_settings(const AdaptiveRejectionSettings& settings, ChainResult& result) {
  std::vector<double> scales;
  for (const std::int32_t refuted : settings.refuted)
    scales.push_back((refuted & 1) == 0 ? 0.0 : (refuted & 2) == 0 ? 1.0 : 2.0);
  result.tuned = {{"widths", settings.widths}, {"centres", settings.centres}, {"scales", scales}};
}

bool TangentAdaptation::learn(Index, const AdaptiveRejectionInfo&, const PointState& state,
                              AdaptiveRejection& kernel) {
  // Two independent draws of a normal lie 1.13 standard deviations apart on average.
  constexpr double kWidthOfMove = 1.4;
  const double gain = numerics::pow(count_ + 2.0, -0.6);
  count_ += 1.0;
  AdaptiveRejectionSettings& settings = kernel.settings;
  for (std::size_t d = 0; d < settings.widths.size(); ++d) {
    settings.widths[d] += gain * (kWidthOfMove * kernel.moves()[d] - settings.widths[d]);
    settings.centres[d] += gain * (state.position[d] - settings.centres[d]);
  }
  return false;
}

extern const SamplerSpec kAdaptiveRejection;
const SamplerSpec kAdaptiveRejection = sampler_row<AdaptiveRejection, TangentAdaptation>(
    {.name = "adaptive_rejection",
     .summary = "draws each coordinate from its full conditional, where that is log-concave",
     .reference = "gilks1992"});

}  // namespace credo::infer
