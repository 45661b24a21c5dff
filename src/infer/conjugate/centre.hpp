// A point near the largest density and the scales there, coordinate by coordinate; and steps away from it.
#pragma once
#include "infer/conjugate/conjugate.hpp"

namespace credo::infer::conjugate {

// Rounding of a log density relative to 1 + its size: sums of 10^5 terms err by less than 10^5 half units of the last place.
inline constexpr double kRounding = 1e-11;
inline double rounding_of(double log_density) { return kRounding * (1.0 + std::abs(log_density)); }

// A number's coordinate without bounds: x, log x or logit x.
double to_free(Domain domain, double x);
double from_free(Domain domain, double u);

struct Centre {
  std::vector<double> values;  // declared values
  std::vector<double> scale;   // of each value's coordinate without bounds
  double log_density = kNaN;
};
// The log density there may be infinite or NaN, if no better point is found.
Centre find_centre(const Problem& problem);

// The values with one number moved: its coordinate is u.
std::vector<double> moved(const Problem& problem, const Centre& centre, Index unit, double u);
// L B B' L' for the factor L of a matrix by columns and a random lower B near the identity, by about `width`.
std::vector<double> near_matrix(std::vector<double> matrix, double width, Rng& rng);
// Writes other values of a unit, a few scales away.
void shuffle(const Unit& unit, const Centre& centre, Rng& rng, std::span<double> values);

}  // namespace credo::infer::conjugate
