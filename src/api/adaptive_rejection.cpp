// [gilks1992, sec. 2.2], with u the hull of tangents and l the chords between their points:
//
//   1  x ~ e^u, w uniform
//   2  squeezing test: log w <= l(x) - u(x): x is the draw, h isn't evaluated
//   3  rejection test: log w <= h(x) - u(x): x is the draw
//   4  after line 3 a tangent is laid at x in both cases; rejected: 1
#include "credo/adaptive_rejection.hpp"

#include <fmt/format.h>

#include "base/types.hpp"
#include "infer/mcmc/rejection/tangent_hull.hpp"
#include "numerics/elementary.hpp"

namespace credo {

struct AdaptiveRejection::Impl {
  Function log_density;
  AdaptiveRejectionOptions options;
  infer::TangentHull hull;
  Index num_evaluations = 0;

  infer::TangentPoint look_at(double x);
  void lay(const infer::TangentPoint& at);
  void lay_at(double x) { lay(look_at(x)); }
  void lay_first();
  void reach_out(int side, double base);
};

namespace {
constexpr const char* kAdaptiveRejection = "AdaptiveRejection";
constexpr Index kMostTries = 10'000;
constexpr Index kMostDoublings = 60;

[[noreturn]] void refuse(ErrorCode code, const std::string& message, const char* hint = "") {
  throw Error(code, message, kAdaptiveRejection, hint);
}

void check(const AdaptiveRejection::Function& log_density, const AdaptiveRejectionOptions& o) {
  if (!log_density) refuse(ErrorCode::usage, "there is no log density");
  if (!(o.lower < o.upper))
    refuse(ErrorCode::usage, fmt::format("the bounds {} and {} are no interval", o.lower, o.upper));
  if (!(o.tolerance >= 0.0))
    refuse(ErrorCode::usage, fmt::format("tolerance must be at least 0, is {}", o.tolerance));
  if (o.max_tangents < 2)
    refuse(ErrorCode::usage, fmt::format("max_tangents must be at least 2, is {}", o.max_tangents));
  for (const double x : o.start)
    if (!(x > o.lower && x < o.upper && std::isfinite(x)))
      refuse(ErrorCode::usage, fmt::format("a start must be between the bounds {} and {}, is {}",
                                           o.lower, o.upper, x));
  if (ssize(o.start) > o.max_tangents)
    refuse(ErrorCode::usage, fmt::format("there are {} starts, and at most {} tangents",
                                         o.start.size(), o.max_tangents));
}
}  // namespace

double AdaptiveRejection::draw(Random& random) {
  infer::TangentHull& hull = impl_->hull;
  for (Index tries = 0; tries < kMostTries; ++tries) {
    const infer::TangentHull::Drawn drawn = hull.draw(random.uniform(), random.uniform());
    const double height = drawn.bound + numerics::log(random.uniform());
    if (height <= hull.chord(drawn.x)) return drawn.x;
    const infer::TangentPoint at = impl_->look_at(drawn.x);
    impl_->lay(at);
    if (height <= at.value) return drawn.x;
  }
  refuse(ErrorCode::evaluation, fmt::format("{} tries gave no draw", kMostTries),
         "is its derivative right?");
}

AdaptiveRejection::AdaptiveRejection(Function log_density, AdaptiveRejectionOptions options) {
  check(log_density, options);
  const Index most = options.max_tangents;
  impl_ = std::make_unique<Impl>(
      Impl{std::move(log_density), std::move(options), infer::TangentHull(most)});
  impl_->lay_first();
}
AdaptiveRejection::~AdaptiveRejection() = default;
AdaptiveRejection::AdaptiveRejection(AdaptiveRejection&& other) noexcept = default;
AdaptiveRejection& AdaptiveRejection::operator=(AdaptiveRejection&& other) noexcept = default;

double AdaptiveRejection::above(double x) const { return impl_->hull.bound(x); }
double AdaptiveRejection::below(double x) const { return impl_->hull.chord(x); }
Index AdaptiveRejection::num_evaluations() const { return impl_->num_evaluations; }

// ---- tangents

void AdaptiveRejection::Impl::lay_first() {
  hull.clear(options.lower, options.upper);
  for (const double x : options.start) lay_at(x);
  double base = 0.0;
  if (options.start.empty()) {
    const bool has_lower = options.lower > -kInfinity, has_upper = options.upper < kInfinity;
    const double width = options.upper - options.lower;
    base = has_lower && has_upper ? options.lower + 0.5 * width
           : has_lower            ? options.lower + 1.0
           : has_upper            ? options.upper - 1.0
                                  : 0.0;
    lay_at(base);
  }
  if (hull.points().empty())
    refuse(ErrorCode::evaluation, fmt::format("the density is 0 at the first point, {}", base),
           "give a start where it is positive");
  reach_out(-1, hull.points().front().x);
  reach_out(+1, hull.points().back().x);
}

// The first tangents at distances that double, until the outermost one falls away.
void AdaptiveRejection::Impl::reach_out(int side, double base) {
  double reach = 1.0;
  for (Index k = 0; side < 0 ? !hull.falls_left() : !hull.falls_right(); ++k, reach *= 2.0) {
    if (k == kMostDoublings || hull.is_full())
      refuse(ErrorCode::evaluation,
             fmt::format("the density doesn't fall off towards {} infinity: the tangent that is "
                         "farthest out is at {}",
                         side < 0 ? "minus" : "plus",
                         side < 0 ? hull.points().front().x : hull.points().back().x),
             "give its bounds, or a start on the other side of its mode");
    lay_at(base + side * reach);
  }
}

infer::TangentPoint AdaptiveRejection::Impl::look_at(double x) {
  ++num_evaluations;
  const LogSlope there = log_density(x);
  infer::TangentPoint at{x, there.log_density, there.derivative};
  if (at.value < infer::kLeastLogDensity) at.value = -kInfinity;
  if (at.value == -kInfinity) return at;
  if (!std::isfinite(at.value) || !std::isfinite(at.slope))
    refuse(ErrorCode::evaluation,
           fmt::format("the log density and its derivative must be numbers, are {} and {} at {}",
                       at.value, at.slope, x));
  return at;
}

void AdaptiveRejection::Impl::lay(const infer::TangentPoint& at) {
  const std::span<const infer::TangentPoint> points = hull.points();
  if (at.value == -kInfinity) {
    if (points.empty()) return;
    if (at.x > points.front().x && at.x < points.back().x)
      refuse(ErrorCode::evaluation,
             fmt::format(
                 "the log density isn't concave: it is minus infinity at {}, and finite on both "
                 "sides of it",
                 at.x));
    hull.cut(at.x);
    return;
  }
  const infer::TangentHull::Excess excess = hull.excess(at);
  if (excess.value > options.tolerance) {
    if (hull.is_negligible(at)) return;
    refuse(
        ErrorCode::evaluation,
        fmt::format(
            "the log density isn't concave, or its derivative is wrong: of its points at {} and {} "
            "one lies {:.3g} above the tangent at the other",
            std::min(at.x, excess.beside.x), std::max(at.x, excess.beside.x), excess.value));
  }
  hull.add(at);
}

}  // namespace credo
