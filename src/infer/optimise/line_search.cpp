#include "infer/optimise/line_search.hpp"

#include "infer/core/vectors.hpp"

namespace credo::infer {
namespace {
constexpr double kGrowth = 4.0;       // growth of the step as long as the line rises
constexpr Index kMaxExpansions = 24;  // to a step 3e14 times the first
constexpr Index kMaxZooms = 60;
constexpr double kRounding = 1e-14;  // relative, for a log density: a sum of many terms

// The top of the cubic with these values and slopes at both ends, kept off the ends; the middle where
// an end has none.
double top_between(const LinePoint& a, const LinePoint& b) {
  const double middle = 0.5 * (a.step + b.step);
  if (!std::isfinite(a.value) || !std::isfinite(b.value)) return middle;
  // [nocedal2006, (3.59)] of -phi, whose minimum is sought: all signs of values and slopes turn.
  const double d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.step - b.step);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0.0)) return middle;
  const double d2 = std::copysign(std::sqrt(square), b.step - a.step);
  const double top =
      b.step - (b.step - a.step) * (d2 + d1 - b.slope) / (a.slope - b.slope + 2.0 * d2);
  const double low = std::min(a.step, b.step), width = std::fabs(b.step - a.step);
  constexpr double kMargin = 0.1;
  return std::isfinite(top) ? std::clamp(top, low + kMargin * width, low + (1.0 - kMargin) * width)
                            : middle;
}
}  // namespace

LineSearch::LineSearch(Index dimension, WolfeOptions options)
    : options_(options), tried_(make_point(dimension, true)), found_(tried_) {}

Step<LinePoint> LineSearch::at(double step) {
  for (std::size_t d = 0; d < direction_.size(); ++d)
    tried_.position[d] = from_->position[d] + step * direction_[d];
  const Evaluation at = co_await evaluate(tried_.position, tried_.gradient);
  tried_.log_density = at.log_density;
  LinePoint point{.step = step, .value = at.log_density};
  if (at.status.ok()) point.slope = dot(tried_.gradient, direction_);
  if (!std::isfinite(point.slope)) point = {.step = step};
  co_return point;
}

bool LineSearch::climbs(const LinePoint& point) const {
  return point.value >= from_->log_density + options_.climb * point.step * slope_;
}

bool LineSearch::is_good(const LinePoint& point) const {
  if (climbs(point) && std::fabs(point.slope) <= options_.slope * slope_) return true;
  const bool is_level = std::fabs(point.value - from_->log_density) <= rounding_;
  return is_level && point.slope <= options_.slope * slope_ &&
         point.slope >= -(1.0 - 2.0 * options_.climb) * slope_;
}

void LineSearch::keep(const LinePoint& point) {
  best_ = point;
  std::swap(found_, tried_);
}

Step<bool> LineSearch::run(const PointState& from, std::span<const double> direction,
                           double first_step) {
  from_ = &from;
  direction_ = direction;
  slope_ = dot(from.gradient, direction);
  rounding_ = kRounding * (1.0 + std::fabs(from.log_density));
  is_wolfe_ = rises_on_ = false;
  best_ = {.step = 0.0, .value = from.log_density, .slope = slope_};
  double step = first_step;
  for (Index k = 0; k < kMaxExpansions; ++k, step *= kGrowth) {  // alg. 3.5
    const LinePoint now = co_await at(step);
    if (is_good(now)) {
      keep(now);
      co_return is_wolfe_ = true;
    }
    if (!climbs(now) || now.value < best_.value) co_return co_await zoom(best_, now);
    const LinePoint before = best_;
    keep(now);
    if (now.slope <= 0.0) co_return co_await zoom(now, before);
  }
  co_return rises_on_ = true;
}

// Alg. 3.6. `low` is the best so far, found() its point; a step with both conditions lies between. If
// the search finds none, since a refused region begins there or rounding hides it, the best that climbs counts.
Step<bool> LineSearch::zoom(LinePoint low, LinePoint high) {
  constexpr double kClose = 1e-15;
  for (Index k = 0; k < kMaxZooms; ++k) {
    const double step = top_between(low, high);
    if (std::fabs(high.step - low.step) <= kClose * step) break;
    const LinePoint now = co_await at(step);
    if (is_good(now)) {
      keep(now);
      co_return is_wolfe_ = true;
    }
    if (!climbs(now) || now.value <= low.value) {
      high = now;
      continue;
    }
    if (now.slope * (high.step - low.step) <= 0.0) high = low;
    low = now;
    keep(now);
  }
  co_return best_.step > 0.0;
}

}  // namespace credo::infer
