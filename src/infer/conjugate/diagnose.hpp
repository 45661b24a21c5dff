// The statement that keeps a posterior from being conjugate, and what would make it so.
#pragma once
#include "infer/conjugate/blocks.hpp"

namespace credo::infer::conjugate {

// Change of the log density by one unit's move that depends on the other's, beyond rounding, at two random pairs of points.
bool do_meet(const Problem& problem, const LogDensityAt& log_density, const Centre& centre,
             std::pair<Index, Index> units);

// No kind of block holds these units.
Refusal why_they_meet(const Meeting& meeting);
// The log density isn't finite at these values.
Refusal why_not_finite(const Problem& problem, Index unit, std::span<const double> values);
// The units' posterior isn't of their kind of block.
Refusal why_not_conjugate(const Meeting& meeting);
// The form is right, but the integral isn't finite.
Refusal why_improper(const Meeting& meeting);

}  // namespace credo::infer::conjugate
