// Draws of a parameter without a prior, whose declared range has a finite volume: it is uniform
// there.
#pragma once
#include "lang/trace/constraints.hpp"

namespace credo::model {

class Uniforms;

struct FlatDraw {
  bool is_possible = true;  // false: the range has no finite volume
  bool is_whole = false;    // a vector or matrix was drawn as a whole, not by numbers in (0, 1)
};

// Writes unconstrained values.
FlatDraw draw_flat(const lang::ConstraintPlan& plan, Uniforms& uniforms, std::span<double> free);

// The logarithm of the volume between declared bounds; 0 for other ranges, whose volume is constant.
double log_volume(const lang::ConstraintPlan& plan);

}  // namespace credo::model
