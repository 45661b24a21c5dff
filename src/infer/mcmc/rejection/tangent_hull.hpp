// A bound from above, and one from below, of a concave function of one variable that is known with its
// slope at some points [gilks1992, sec. 2]: what adaptive rejection draws from.
//
//   u(x) = min over the points of h(x_i) + h'(x_i) (x - x_i)        the hull of tangents
//   l(x) = the chord between the points beside x, -infinity outside of the outermost ones
//
// u is kept as pieces, one a point: [z_(i-1), z_i] around x_i on the tangent there, from the lower to the
// upper bound of x. For any z_i between x_i and x_(i+1) the pieces bound h from above, because each
// tangent does; where tangents meet only makes them tight. So points of nearly equal slopes, for which
// that place is lost in rounding, cost tries and no correctness.
#pragma once
#include "base/types.hpp"

namespace credo::infer {

// A point of the log density h: x, h(x), h'(x).
struct TangentPoint {
  double x = 0.0, value = 0.0, slope = 0.0;
};

// A log density below this counts as a density of 0: slopes and tangents farther down overflow.
inline constexpr double kLeastLogDensity = -1e100;

// By how much the log density at two points is off that of one concave function: how far the one lies above
// the tangent at the other, the larger of both; at most 0 if they are in order. Points whose
// neighbours all are in order lie on a concave function.
double tangent_excess(const TangentPoint& a, const TangentPoint& b);
// Error that rounding alone may cause.
double tangent_rounding(const TangentPoint& a, const TangentPoint& b);

class TangentHull {
 public:
  // Room for so many points; adding to a full hull does nothing, so that none allocates.
  explicit TangentHull(Index most_points);
  void clear(double lower, double upper);  // bounds of x, infinite ones too

  // A finite point within the bounds. A second one at the same x does nothing.
  void add(const TangentPoint& point);
  // The density is 0 at x and beyond it, as seen from the points; there is one at least.
  void cut(double x);

  // Both true if e^u has a finite integral: the outermost tangents fall on sides without a bound.
  bool falls_left() const { return lower_ > -kInfinity || points_.front().slope > 0.0; }
  bool falls_right() const { return upper_ < kInfinity || points_.back().slope < 0.0; }

  struct Drawn {
    double x, bound;  // u(x)
  };
  // From the distribution ∝ e^u by its inverse distribution function: a piece, and a place in it, from two numbers in
  // (0, 1). The hull falls on both sides.
  Drawn draw(double for_piece, double for_place) const;

  double bound(double x) const;  // u(x); -infinity outside of the bounds
  double chord(double x) const;  // l(x)

  // The worst excess of a point against its neighbours in the hull beyond rounding, and against which.
  struct Excess {
    double value = -kInfinity;
    TangentPoint beside = {};
  };
  Excess excess(const TangentPoint& point) const;

  // True if density and hull there are below the rounding of the highest point's: the error at such a point says
  // nothing about draws, and often that the log density loses its digits far out.
  bool is_negligible(const TangentPoint& point) const;

  std::span<const TangentPoint> points() const { return points_; }
  double lower() const { return lower_; }
  double upper() const { return upper_; }
  bool is_full() const { return points_.size() == points_.capacity(); }

 private:
  std::size_t place_of(double x) const;  // place of the first point that isn't left of x
  std::size_t piece_of(double x) const;
  void update();
  double end_left(std::size_t i) const { return i == 0 ? lower_ : ends_[i - 1]; }
  double end_right(std::size_t i) const { return i + 1 == points_.size() ? upper_ : ends_[i]; }

  double lower_ = -kInfinity, upper_ = kInfinity;
  std::vector<TangentPoint> points_;  // by x
  std::vector<double> ends_;          // z_i, between points i and i + 1
  std::vector<double> log_masses_;    // of e^u over the pieces
};

}  // namespace credo::infer
