// Lower and upper bounds, elementwise.
//
//   lower a:      x = a + exp(y)                      log Jacobian  y
//   upper b:      x = b - exp(y)                                    y
//   both:         x = a + (b - a) inv_logit(y)                      log(b - a) - y - 2
//   log1p_exp(-y) an infinite bound counts as none; with none x = y               0
//
// The last Jacobian keeps its digits and derivatives of every order for any y; log(x - a) +
// log(b - x) would not. The case of an element is decided when its bounds are known, and by
// select rows otherwise; the other cases compute with harmless arguments, so that their
// derivative is 0 and not 0 times infinity.
#include <fmt/format.h>

#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::bounds_row {
namespace {

struct Sides {
  Expr lower, upper;          // finite stand-ins for missing bounds
  Expr has_lower, both, one;  // masks; one: exactly one of them is there
  Expr has_upper;
};

Sides sides_of(const Bounds& bounds) {
  const Expr lower = bounds.first.empty() ? Expr(-kInfinity) : bounds.first;
  const Expr upper = bounds.second.empty() ? Expr(kInfinity) : bounds.second;
  Sides s;
  s.has_lower = 1.0 - graph::equal(lower, -kInfinity);  // NaN is a bound: it shows in the value
  s.has_upper = 1.0 - graph::equal(upper, kInfinity);
  s.both = s.has_lower * s.has_upper;
  s.one = graph::abs(s.has_lower - s.has_upper);
  s.lower = choose(s.has_lower, lower, 0.0);
  s.upper = choose(s.has_upper, upper, 0.0);
  return s;
}

// If the lower bound has a derivative, 1 - inv_logit(y) must not cancel.
Expr between(const Sides& s, const Expr& width, const Expr& y, bool differentiable) {
  if (s.lower.is_constant() || !differentiable) return s.lower + width * graph::inv_logit(y);
  return s.lower * graph::inv_logit(-y) + s.upper * graph::inv_logit(y);
}

Constrained constrain(const Expr& free, const Shape& unit, const Bounds& bounds) {
  const Expr y = free.reshaped(unit);
  const Sides s = sides_of(bounds);
  const Expr y_one = choose(s.one, y, 0.0), y_both = choose(s.both, y, 0.0);
  const Expr width = choose(s.both, s.upper - s.lower, 1.0);
  const Expr distance = graph::exp(y_one);
  const Expr one_sided = choose(s.has_lower, s.lower + distance, s.upper - distance);
  const Expr two_sided = between(s, width, y_both, bounds.differentiable);
  const Expr slope = choose(s.both, -y_both - 2.0 * graph::log1p_exp(-y_both), 0.0);
  const std::array terms{total(y_one, unit.size()), total(slope, unit.size()),
                         total(graph::log(width), unit.size())};
  return {choose(s.both, two_sided, choose(s.one, one_sided, y)), sum_of(terms)};
}

double free_value(double x, double lower, double upper) {
  if (lower == -kInfinity && upper == kInfinity) return x;
  if (upper == kInfinity) return std::log(x - lower);
  if (lower == -kInfinity) return std::log(upper - x);
  return std::log(x - lower) - std::log(upper - x);  // logit of the share
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape&,
                                                const Bounds& bounds) {
  std::vector<double> free;
  for (Index e = 0; e < ssize(value); ++e) {
    const double x = value[static_cast<std::size_t>(e)];
    const double lower = bound_at(bounds.first, e, -kInfinity);
    const double upper = bound_at(bounds.second, e, kInfinity);
    const bool below = !(x >= lower);
    if (below || !(x <= upper)) {
      return Unexpected{fmt::format("element {} is {}, but must be at {} {}", e + 1, x,
                                    below ? "least" : "most", below ? lower : upper)};
    }
    free.push_back(free_value(x, lower, upper));
  }
  return free;
}

void check(const Expr& value, const Shape&, const Bounds& bounds, std::string_view variable,
           Checks& checks) {
  if (!bounds.first.empty()) {
    checks.greater_equal(value, bounds.first, {variable, "value", "at least the lower bound"});
  }
  if (!bounds.second.empty()) {
    checks.less_equal(value, bounds.second, {variable, "value", "at most the upper bound"});
  }
}

void require(const Expr&, const Bounds& bounds, std::string_view variable, Checks& checks) {
  if (bounds.first.empty() || bounds.second.empty()) return;
  const bool repeat = bounds.first.is_scalar() && !bounds.second.is_scalar();
  const Shape shape = bounds.second.shape();
  std::string rule = "less than the upper bound";
  if (bounds.second.is_constant() && bounds.second.is_scalar())
    rule += fmt::format(" {}", bounds.second.value());
  checks.less(repeat ? graph::broadcast(shape, bounds.first) : bounds.first, bounds.second,
              {variable, "lower bound", rule});
}
}  // namespace

const Transform bounds{.name = "bounds",
                       .elementwise = true,
                       .free_size = [](const Shape& unit) { return unit.size(); },
                       .constrain = constrain,
                       .unconstrain = unconstrain,
                       .check = check,
                       .require = require,
                       .renew = renew_within};

}  // namespace credo::transform::bounds_row

namespace credo::transform {

double bound_at(const Expr& bound, Index element, double absent) {
  if (bound.empty()) return absent;
  return bound.value(bound.is_scalar() ? 0 : element);
}

}  // namespace credo::transform
