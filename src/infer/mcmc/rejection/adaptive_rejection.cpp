// Of coordinate d, with h the log density along it and u the hull of the tangents laid so far:
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
constexpr double kProbeScale = 3.0;  // of the Cauchy law of probes, in widths
constexpr const char* kWayOut =
    "correct the draws by a Metropolis step (metropolis = true), or take the sampler slice";
constexpr const char* kHoleHint =
    "take a sampler that finds parts that lie apart: smc or nested (with --from normal, where the "
    "prior can't be drawn from)";
}  // namespace

Step<AdaptiveRejectionInfo> AdaptiveRejection::step(PointState& current, Rng& rng) {
  info_ = {.accept_stat = 0.0};
  const auto probed = static_cast<std::size_t>(rng.index_below(ssize(moves_)));
  for (d_ = 0; d_ < moves_.size(); ++d_) {
    probes_ = d_ == probed && !options.metropolis;
    const double before = current.position[d_];
    co_await draw_coordinate(current, rng);
    moves_[d_] = std::fabs(current.position[d_] - before);
  }
  info_.log_density = current.log_density;
  info_.accept_stat /= static_cast<double>(moves_.size());
  co_return info_;
}

Step<Nothing> AdaptiveRejection::draw_coordinate(PointState& current, Rng& rng) {
  co_await lay_first_tangents(current, rng);
  if (hull_.points().empty()) co_return Nothing{};  // of a Metropolis step, which stays
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
               .centres = std::vector<double>(static_cast<std::size_t>(dimension), 0.0)},
      hull_(kMostTangents),
      candidate_(make_point(dimension, true)),
      moves_(settings.widths.size()) {}

// Around the present point, or around the centre, which isn't where the coordinate is. A probe far out is one more
// tangent, and finds out about modes that are far away.
Step<Nothing> AdaptiveRejection::lay_first_tangents(const PointState& current, Rng& rng) {
  candidate_.position = current.position;
  hull_.clear(-kInfinity, kInfinity);
  base_ = options.metropolis ? settings.centres[d_] : current.position[d_];
  if (options.metropolis) {
    co_await look_at(base_);
    if (at_.value == -kInfinity) co_return Nothing{};
  } else {
    at_ = {base_, current.log_density, current.gradient[d_]};
    require_derivative();
  }
  hull_.add(at_);
  co_await reach_out(-1);
  co_await reach_out(+1);
  if (!probes_) co_return Nothing{};
  const double far = kProbeScale * numerics::tan(std::numbers::pi * (rng.uniform() - 0.5));
  const double x = base_ + far * settings.widths[d_];
  const bool is_beyond = x <= hull_.lower() || x >= hull_.upper();  // of where it is 0
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
  candidate_.position[d_] = x;
  const Evaluation there = co_await evaluate(candidate_.position, candidate_.gradient);
  at_ = {x, there.log_density, candidate_.gradient[d_]};
  is_off_ = false;
  if (at_.value < kLeastLogDensity) at_.value = -kInfinity;
  if (at_.value == -kInfinity) co_return Nothing{};
  require_derivative();
  const bool is_within = x > hull_.lower() && x < hull_.upper();
  if (!options.metropolis && is_within) require_concave();
  co_return Nothing{};
}

// At the point that was looked at. Where the density is 0 it is 0 beyond, too, if it is log-concave.
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

// Without a bound the outermost tangents fall, or e^u has no integral: of a log density that isn't concave a
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
  current.position[d_] = drawn.x;
  current.log_density = at_.value;
  std::swap(current.gradient, candidate_.gradient);
}

double AdaptiveRejection::keep_prob(const PointState& current,
                                    const TangentHull::Drawn& drawn) const {
  const double now = current.log_density, bound = hull_.bound(current.position[d_]);
  return metropolis_prob(at_.value - std::min(at_.value, drawn.bound) -
                         (now - std::min(now, bound)));
}

void AdaptiveRejection::require_concave() {
  const TangentHull::Excess excess = hull_.excess(at_);
  is_off_ = excess.value > options.tolerance;
  if (is_off_ && !hull_.is_negligible(at_))
    refuse(
        fmt::format(
            "it isn't concave: of its points at {} and {} one lies {:.3g} above the tangent at the "
            "other",
            std::min(at_.x, excess.beside.x), std::max(at_.x, excess.beside.x), excess.value),
        kWayOut);
}

void AdaptiveRejection::require_derivative() const {
  if (!std::isfinite(at_.slope))
    refuse(fmt::format("its derivative at {} is {}", at_.x, at_.slope), "take the sampler slice");
}

void AdaptiveRejection::refuse(const std::string& message, const char* hint) const {
  throw Error(ErrorCode::evaluation, "the log density along this value: " + message,
              fmt::format("adaptive_rejection, free value {}", d_ + 1), hint);
}

void tell(const AdaptiveRejectionSettings& settings, ChainResult& result) {
  result.tuned = {{"widths", settings.widths}, {"centres", settings.centres}};
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
