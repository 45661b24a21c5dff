// The points of one time of sequential quasi-Monte Carlo [gerber2015]: Sobol's, scrambled anew each time, so that each is uniform and
// estimates have no bias. Plain data.
#pragma once
#include "base/types.hpp"

namespace credo::infer {

class QuasiPoints {
 public:
  // One for each particle: `elements` coordinates, and with `chooses` one before them, in whose order the points are.
  QuasiPoints(Index num_particles, Index elements, bool chooses, std::uint64_t seed);

  std::span<const double> ascending() const { return first_; }  // coordinate that chooses parents
  // The other coordinates of StateSpace::kBlock particles, [element][kBlock].
  const double* block(Index number) const;

 private:
  Index elements_;
  std::vector<double> first_, blocks_;
};

}  // namespace credo::infer
