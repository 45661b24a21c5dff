// A search along a line for a step with the strong Wolfe conditions [nocedal2006, algs. 3.5, 3.6], uphill.
//
//   phi(a) = log p(x + a d), phi'(0) = d·∇log p(x) > 0. It finds a step a > 0 with
//     phi(a) >= phi(0) + c1 a phi'(0)    it climbs enough
//     |phi'(a)| <= c2 phi'(0)            and has come near the top of the line
//
// If phi changes by less than its rounding, the slopes alone decide [hager2005, sec. 2].
#pragma once
#include "infer/core/point.hpp"
#include "infer/core/step.hpp"

namespace credo::infer {

struct WolfeOptions {
  double climb = 1e-4;  // c1
  double slope = 0.9;   // c2, in (c1, 1); smaller: more exact, more evaluations
};

// A point of the line: phi and its slope.
struct LinePoint {
  double step = 0.0, value = -kInfinity, slope = 0.0;
};

class LineSearch final : public PooledKernel {
 public:
  explicit LineSearch(Index dimension, WolfeOptions options = {});

  // From a point with its gradient, along a direction with a positive slope there. True where a step
  // that climbs was found: it is found(). Points that are refused count as log density -infinity.
  Step<bool> run(const PointState& from, std::span<const double> direction, double first_step);

  const PointState& found() const { return found_; }
  double step() const { return best_.step; }
  bool is_wolfe() const { return is_wolfe_; }  // both conditions hold there
  bool rises_on() const { return rises_on_; }  // at the longest step that is tried, it rises

 private:
  Step<LinePoint> at(double step);
  Step<bool> zoom(LinePoint low, LinePoint high);
  bool climbs(const LinePoint& point) const;
  bool is_good(const LinePoint& point) const;
  void keep(const LinePoint& point);

  WolfeOptions options_;
  const PointState* from_ = nullptr;
  std::span<const double> direction_;
  double slope_ = 0.0, rounding_ = 0.0;  // slope at the beginning; rounding of the log density
  LinePoint best_;
  PointState tried_, found_;
  bool is_wolfe_ = false, rises_on_ = false;
};

}  // namespace credo::infer
