// Slice sampling along a line through the current point [neal2003]: the common part of all
// slice samplers.
#pragma once
#include "infer/core/point.hpp"
#include "infer/core/step.hpp"

namespace credo::infer {

// How the interval around the point grows until it covers the slice.
enum class SliceGrowth {
  stepping_out,  // by its width at a time [neal2003, fig. 3]
  doubling       // by its length on a random side [neal2003, fig. 4]
};
inline constexpr std::array<std::string_view, 2> kSliceGrowthNames = {"stepping_out", "doubling"};
inline constexpr std::span<const std::string_view> enum_names(SliceGrowth) {
  return kSliceGrowthNames;
}

// Cost of a move along a line.
struct LineMove {
  Index num_evaluations = 0;
  Index num_expansions = 0;    // expansions of the interval
  Index num_contractions = 0;  // points outside the slice, to which the interval shrank
};

// One move along position + t direction. Leaves the target invariant for every width, as long as
// direction, width and growth don't depend on where on the line the point is.
class LineSlicer final : public PooledKernel {
 public:
  explicit LineSlicer(Index dimension);
  Step<LineMove> move(PointState& current, Rng& rng);

  std::vector<double> direction;
  double width = 1.0;  // width of the first interval, in units of the direction
  SliceGrowth growth = SliceGrowth::stepping_out;
  Index max_growth = 100;  // widths of the largest interval; doublings: its logarithm to base 2

 private:
  struct Interval {
    double lo, hi;
    double length() const { return hi - lo; }
  };
  Step<Nothing> step_out(const PointState& current, Rng& rng);    // fig. 3
  Step<Nothing> double_out(const PointState& current, Rng& rng);  // fig. 4
  Step<Nothing> shrink(PointState& current, Rng& rng);            // fig. 5
  Step<bool> could_return(const PointState& current, double t);   // fig. 6
  Evaluate at(const PointState& current, double t);
  void place(const PointState& current, double t);
  Index max_doublings() const;

  // State of the move that is under way.
  double height_ = 0.0;
  Interval interval_{};
  LineMove count_;
  std::vector<double> candidate_;
};

}  // namespace credo::infer
