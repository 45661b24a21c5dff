// How much a posterior moves where its prior or its likelihood is raised to a power near 1 [kallioinen2024].
#pragma once
#include "base/types.hpp"

namespace credo::diagnose {

// The cumulative Jensen-Shannon distance of the distributions of the same draws under two sets of weights, each of
// which adds up to 1: 0 where they are equal, at most 1 [nguyen2015]; the larger of those of the distribution
// functions and of their complements. It doesn't change with location and scale.
double cumulative_js_distance(std::span<const double> draws, std::span<const double> weights_a,
                              std::span<const double> weights_b);

// Sensitivity of one quantity, per doubling of the power.
struct Sensitivity {
  double distance = kNaN;  // above 0.05: sensitive
  double mean = kNaN;      // change of the mean, in posterior standard deviations
  double sd = kNaN;        // change of the logarithm of the standard deviation
};

// Importance weights of draws for the powers 1 / (1 + step) and 1 + step of a part of the density.
struct PowerScaling {
  std::vector<double> lower, upper;  // smoothed (diagnose/psis.hpp), each adds up to 1
  double pareto_k = kNaN;            // the larger one
  double doublings = kNaN;           // between both powers
};
inline constexpr double kPowerStep = 0.01;
PowerScaling power_scaling(std::span<const double> log_part, double r_eff = 1.0,
                           double step = kPowerStep);

Sensitivity sensitivity_of(std::span<const double> draws, const PowerScaling& scaling);

}  // namespace credo::diagnose
