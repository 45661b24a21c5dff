// Scales on which a coordinate's conditional may be log-concave: the free value x itself, and those on which
// bounded parameters are declared, up to shift and stretch, under which a function stays concave:
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

// The log density and its slope on the scale, from those along the free value.
TangentPoint on_scale(LineScale scale, const TangentPoint& free);
// By how much two points, given along the free value, are off those of one concave function on the scale beyond rounding; a
// point without a slope there says nothing but its value.
double scale_excess(LineScale scale, const TangentPoint& a, const TangentPoint& b);
// Whether the slope has its digits there: it is divided by dw/dx, which vanishes at the bounds.
bool has_slope(LineScale scale, double w, double typical);

}  // namespace credo::infer
