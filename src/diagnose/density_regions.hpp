// The density of a quantity from its draws, and its mode, intervals, regions of highest density.
#pragma once
#include "diagnose/chains.hpp"

namespace credo::diagnose {

// A sum of normal densities at the draws, on a grid from the least to the largest, at which kernels are reflected. The
// bandwidth is the mean of Silverman's rule [silverman1986] and of the one of Botev, Grotowski and Kroese, which
// several modes don't widen [botev2010].
struct KernelDensity {
  double from = kNaN, step = kNaN, bandwidth = kNaN;
  std::vector<double> values;  // at from + k step; they integrate to 1
  double at(double x) const;   // linear between; 0 outside
  double mode() const;         // of the grid
};

// `weights` add up to 1; empty: all count the same. Empty grid for draws that are all the same, or not finite.
KernelDensity kernel_density(std::span<const double> draws, std::span<const double> weights = {});

// Densities of all chains together, then of each chain by itself, on the same grid with the same bandwidth, so that they are
// compared by eye. `weights` as those of all draws. Empty where kernel_density is.
std::vector<KernelDensity> chain_densities(const Chains& chains,
                                           std::span<const double> weights = {});

struct Interval {
  double lower = kNaN, upper = kNaN;
};

// With (1 - mass) / 2 of the draws beyond each end.
Interval equal_tailed_interval(std::span<const double> draws, double mass,
                               std::span<const double> weights = {});
// The shortest one between two draws that holds the mass.
Interval narrowest_interval(std::span<const double> draws, double mass,
                            std::span<const double> weights = {});
// Intervals in which the density is above the level that leaves the mass above it [hyndman1996]: several intervals where modes are
// apart. For whole numbers the most frequent ones, neighbours as one interval.
std::vector<Interval> highest_density_region(std::span<const double> draws, double mass,
                                             std::span<const double> weights = {});
// The point of highest density; for whole numbers the most frequent one.
double mode_of(std::span<const double> draws, std::span<const double> weights = {});

}  // namespace credo::diagnose
