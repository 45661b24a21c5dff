// Scales on which the conditional of a coordinate may be log-concave: the unconstrained value x itself, and the
// scales on which bounded parameters are declared, up to shift and stretch, which keep a function concave:
//
//   one bound    w = e^x             h_w(w) = h(x) - x
//   two bounds   w = inv_logit(x)    h_w(w) = h(x) - log(w (1 - w))
#pragma once
#include "infer/mcmc/rejection/tangent_hull.hpp"

namespace credo::infer {

enum class LineScale : std::uint8_t { free, one_bound, two_bounds };
inline constexpr std::array kLineScales{LineScale::free, LineScale::one_bound,
                                        LineScale::two_bounds};

double to_scale(LineScale scale, double x);
double from_scale(LineScale scale, double w);  // within the scale's range, its ends excluded
struct ScaleRange {
  double lower, upper;
};
ScaleRange range_of(LineScale scale);

// The log density and its slope on the scale, from those on the unconstrained scale.
TangentPoint on_scale(LineScale scale, const TangentPoint& free);
// Largest amount by which one of two points (given on the unconstrained scale) lies above the tangent at the other
// one on `scale`, less rounding. A positive value shows that the function isn't concave. Points without an accurate
// slope have no tangent.
double scale_excess(LineScale scale, const TangentPoint& a, const TangentPoint& b);
// True if the slope at w is accurate: it is divided by dw/dx, which vanishes at the bounds.
bool has_slope(LineScale scale, double w, double typical);

}  // namespace credo::infer
