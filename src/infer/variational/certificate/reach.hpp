// Evidence on an approximation that looks beyond its own draws: the mass that lies farther out than they reach. Weights show a tail only
// where draws are; Student's t draws with two degrees of freedom are everywhere.
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

inline constexpr Index kReachDraws = 2000;
inline constexpr double kFarShare =
    0.01;  // at 3.6 standard deviations: 6 % of a standard deviation
inline constexpr double kFarSpread =
    0.2;  // share of an output's variance: without it the standard deviation is a tenth too small

struct UnreachedMass {
  double share = 0.0, error = 0.0;
  // Share of an output's variance that lies there, minus its share under a normal distribution that is wider by two errors of the points, for the output whose difference is
  // clearest. -1: no outputs were given, or none varies.
  Index output = -1;
  double spread = 0.0, spread_error = 0.0;
  bool is_much() const { return share > kFarShare && share > 4.0 * error; }
  bool has_spread() const { return spread > kFarSpread && spread > 4.0 * spread_error; }
};

// Outputs at points, a row each; an empty row where they aren't known.
using OutputsOfPoints =
    std::function<std::vector<std::vector<double>>(std::span<const std::vector<double>> points)>;

// Share of the density's mass outside of the ellipsoid within which all but one of `num_draws` draws of a normal distribution with the
// points' mean and covariance lie, by importance sampling from Student's t. Nullopt if there are fewer than ten
// points for each of D dimensions, or they have no covariance. 2000 evaluations. With `outputs`, such as exp(x), a tail with little mass
// may have much of a variance.
std::optional<UnreachedMass> unreached_mass(const density::LogDensity& density,
                                            std::span<const std::vector<double>> points,
                                            Index num_draws, const OutputsOfPoints& outputs = {});

}  // namespace credo::infer
