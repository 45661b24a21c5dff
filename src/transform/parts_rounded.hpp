// Values that were written with a few digits may break their constraint by their rounding. These functions find a
// value nearby that obeys it.
#pragma once
#include "transform/transform.hpp"

namespace credo::transform {

// Moves the values of a unit, column-major, to values that obey the constraint. `rounding`: relative, half a unit of
// the last digit of 1.00000. The distance isn't limited here; unconstrain_rounded() checks it.
using Renew = void (*)(std::span<double> value, const Shape& unit, const Bounds& limits,
                       double rounding);
void renew_sum(std::span<double>, const Shape&, const Bounds&, double);      // to 1
void renew_columns(std::span<double>, const Shape&, const Bounds&, double);  // sums to 1
void renew_rows(std::span<double>, const Shape&, const Bounds&, double);     // sums to 1
void renew_length(std::span<double>, const Shape&, const Bounds&, double);   // to 1
void renew_row_lengths(std::span<double>, const Shape&, const Bounds&, double);
void renew_zero_sum(std::span<double>, const Shape&, const Bounds&, double);
void renew_zero_sums(std::span<double>, const Shape&, const Bounds&,
                     double);  // numbers of rows and columns
void renew_order(std::span<double>, const Shape&, const Bounds&, double);
void renew_within(std::span<double>, const Shape&, const Bounds&, double);
void renew_correlations(std::span<double>, const Shape&, const Bounds&, double);
void renew_covariances(std::span<double>, const Shape&, const Bounds&, double);

// Unconstrained values of a unit that was rounded: as Transform::unconstrain if the unit obeys its constraint and the
// result is finite, else those of the value that renew() makes of it, if no element moves by more than twice the
// rounding of the largest element.
Result<std::vector<double>, Broken> unconstrain_rounded(const Transform& transform,
                                                        std::span<const double> value,
                                                        const Shape& unit, const Bounds& limits,
                                                        double rounding);

}  // namespace credo::transform
