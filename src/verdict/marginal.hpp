// The distribution of one coordinate, worked out from the density alone, to hold the draws against: where
// draws have less than the density says, the sampler has been too seldom.
//
//   log m(u) = max over the others of log p + 1/2 log det 2π H^-1 + log of an average of weights
//
// at equally spaced u: a nested Laplace approximation [rue2009, sec. 3], corrected by importance
// sampling from its own normal distribution (the same numbers at each u). It is exact where the others have
// a normal distribution given u, as those of a hierarchy given its scale; where the weights say that it
// isn't good, or climbs from different draws end in different places, there is no result.
#pragma once
#include "verdict/probe.hpp"

namespace credo::verdict {

struct Marginal {
  std::vector<double> grid;    // unconstrained values, equally spaced
  std::vector<double> mass;    // below each of them, of all between the first and the last
  std::vector<double> weight;  // of each, as its density; their sum is 1
  std::vector<std::vector<double>> points;  // points of largest density at each grid value
  // Variances of all coordinates in the normal distribution around that point; 0 for the one that is held.
  std::vector<std::vector<double>> variances;
};

// Marginal distribution of a coordinate, over the range of its draws and two spreads beyond, or the part around the
// middle in which the approximation is good; nullopt if that part is small. About 17 (8 D + 40)
// evaluations.
std::optional<Marginal> marginal_of(const Probe& probe, Index coordinate);

}  // namespace credo::verdict
