// Mass, mean and variance of a normal distribution that is multiplied by a function, its tilted distribution:
//
//   Z = ∫ N(s; m, v) f(s) ds,   mean and variance of N(s; m, v) f(s) / Z
//
// by closed form for probit and normal factors, else by 32-point Gauss–Hermite at the tilted mode [naylor1982], or by sums over a grid
// where that isn't exact.
#pragma once
#include "base/std.hpp"
#include "base/types.hpp"

namespace credo::numerics {

struct TiltedNormal {
  double log_mass = kNaN, mean = kNaN, variance = kNaN;
};

// f(s) = Φ(slope s + offset) [rasmussen2006, 3.9]
TiltedNormal tilted_by_probit(double mean, double variance, double slope, double offset);
// f(s) = exp(shift s - ½ precision s²); NaN unless 1 / variance + precision > 0.
TiltedNormal tilted_by_normal(double mean, double variance, double shift, double precision);

// log f and its derivative at some points; -infinity and 0 outside of the support.
using LogFactor = std::function<void(std::span<const double> s, std::span<double> log_f,
                                     std::span<double> slopes)>;

// Points z and weights of ∫ N(z; 0, 1) g(z) dz ≈ Σ w g(z), exact for polynomials of degree 63.
struct HermiteRule {
  static constexpr std::size_t kPoints = 32;
  std::array<double, kPoints> points, weights;
};
const HermiteRule& hermite_rule();

// The mode of N(s; m, v) f(s)^power, with the standard deviation that the curvature gives there.
struct TiltedPeak {
  double at = kNaN, width = kNaN;
  bool found() const { return width > 0.0; }
};
// Newton's steps on the slope within a bracket, from `start` (NaN: from the mean). Not found where the slope doesn't change its sign.
TiltedPeak tilted_peak(double mean, double variance, const LogFactor& factor, double power,
                       double start = kNaN);

TiltedNormal tilted_by_hermite(double mean, double variance, const LogFactor& factor, double power,
                               const TiltedPeak& peak);
// The trapezoid rule over the range that has all but e^-40 of the mass, with twice the points until nothing changes: for
// several modes and for kinks.
TiltedNormal tilted_by_grid(double mean, double variance, const LogFactor& factor, double power,
                            const TiltedPeak& peak);

// E f, E f' and E f'' under N(m, v) of a log factor f, the last one as E[f' (s - m)] / v: derivatives of E f by the mean and, halved,
// by the variance (theorems of Bonnet and Price).
struct NormalExpectations {
  double value = kNaN, slope = kNaN, curvature = kNaN;
};
NormalExpectations expectations_by_hermite(double mean, double variance, const LogFactor& factor);
NormalExpectations expectations_by_grid(double mean, double variance, const LogFactor& factor);

}  // namespace credo::numerics
