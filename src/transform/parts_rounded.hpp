// Values that were written with a few digits: they stand for a value that obeys its constraint, near them.
#pragma once
#include "transform/transform.hpp"

namespace credo::transform {

// Each moves the values of a unit, column-major, to one that obeys the constraint. `rounding`: relative, half a unit of the last
// digit of 1.00000. What is farther off than that, is moved, too: rounded() looks at it.
using Renew = void (*)(std::span<double> value, const Shape& unit, const Bounds& limits,
                       double rounding);
void renew_sum(std::span<double>, const Shape&, const Bounds&, double);      // to 1
void renew_columns(std::span<double>, const Shape&, const Bounds&, double);  // sums to 1
void renew_rows(std::span<double>, const Shape&, const Bounds&, double);     // sums to 1
void renew_length(std::span<double>, const Shape&, const Bounds&, double);   // to 1
void renew_row_lengths(std::span<double>, const Shape&, const Bounds&, double);
void renew_zero_sum(std::span<double>, const Shape&, const Bounds&, double);
void renew_zero_sums(std::span<double>, const Shape&, const Bounds&,
                     double);  // of rows and columns
void renew_order(std::span<double>, const Shape&, const Bounds&, double);
void renew_within(std::span<double>, const Shape&, const Bounds&, double);
void renew_correlations(std::span<double>, const Shape&, const Bounds&, double);
void renew_covariances(std::span<double>, const Shape&, const Bounds&, double);

// Free values of a unit that was rounded: as Transform::unconstrain where it obeys its constraint and has finite ones, else those of
// the value that renew() makes of it, if that moves nothing by more than the rounding of its largest element.
Result<std::vector<double>, Broken> unconstrain_rounded(const Transform& transform,
                                                        std::span<const double> value,
                                                        const Shape& unit, const Bounds& limits,
                                                        double rounding);

}  // namespace credo::transform
