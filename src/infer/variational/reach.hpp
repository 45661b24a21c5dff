// Evidence on an approximation that looks beyond its own draws: the mass that lies farther out than they reach. Weights show a tail only
// where draws are; Student's t draws with two degrees of freedom are everywhere.
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

inline constexpr Index kReachDraws = 2000;
inline constexpr double kFarShare =
    0.01;  // at 3.6 standard deviations: 6 % of a standard deviation

struct UnreachedMass {
  double share = 0.0, error = 0.0;
  bool is_much() const { return share > kFarShare && share > 4.0 * error; }
};

// Share of the density's mass outside of the ellipsoid within which all but one of `num_draws` draws of a normal distribution with the
// points' mean and covariance lie, by importance sampling from Student's t. Nullopt if there are fewer than ten
// points for each of D dimensions, or they have no covariance. 2000 evaluations.
std::optional<UnreachedMass> unreached_mass(const density::LogDensity& density,
                                            std::span<const std::vector<double>> points,
                                            Index num_draws);

}  // namespace credo::infer
