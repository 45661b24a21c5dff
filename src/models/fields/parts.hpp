// Fields of parts with springs, whose labels are places on a line.
#pragma once
#include "models/fields/field.hpp"

namespace credo::models {

// For each place q the largest values(p) - spring (place_p - place_q)², and p. O(K); places rise, spring > 0.
struct SpringMaximum {
  std::vector<double> values;
  std::vector<Index> from;
};
SpringMaximum spring_maximum(std::span<const double> values, std::span<const double> places,
                             double spring);

// Exact: the best labels by spring_maximum() from the leaves to the roots, sums by forest_engine().
std::unique_ptr<FieldEngine> parts_engine(std::vector<double> places, double spring);

}  // namespace credo::models
