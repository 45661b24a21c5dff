// Evidence on an approximation that looks beyond its own draws: where NUTS moves them. A transition keeps mean and spread of draws of
// the posterior itself, so a drift shows that they aren't, also where all weights are alike because no draw sees the rest.
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

inline constexpr Index kDriftDraws = 64, kDriftTransitions = 10;
inline constexpr double kFarDrift = 0.2;     // standard deviations, or of the log of one
inline constexpr double kClearErrors = 4.0;  // standard errors

struct PointMoments {
  std::vector<double> mean, covariance;  // D, D × D
};
PointMoments moments_of(std::span<const std::vector<double>> points);  // two at least

// |drift| over the larger of the two limits: above 1 it is far and clear. 0 without an error.
double clearness(double drift, double error);

struct Drift {
  Index coordinate = -1;   // the clearest; -1: none was measured
  bool of_spread = false;  // the log standard deviation; else the mean, in standard deviations
  double drift = 0.0, error = 0.0;
  double clear() const { return clearness(drift, error); }
};

// The clearest drift of up to kDriftDraws of the points, D values each, by kDriftTransitions of NUTS with the points' covariance. Points are
// at least 10. Throws what the run throws.
Drift clearest_drift(const density::LogDensity& density,
                     std::span<const std::vector<double>> points);

}  // namespace credo::infer
