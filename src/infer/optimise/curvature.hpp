// The curvature of a log density at a point: second derivatives, and the kind of mode by them.
#pragma once
#include "infer/core/point.hpp"
#include "infer/core/step.hpp"

namespace credo::infer {

// Curvature A = -∇² log p. Coordinates are scaled by the diagonal of A before anything is called small, so
// that units don't matter.
struct Curvature {
  enum class Shape {
    unknown,  // it wasn't requested, or is refused there
    peaked,   // A is positive definite
    flat,     // in some directions log p doesn't change to second order, in none it rises
    uphill    // in some it rises: no maximum
  };
  Shape shape = Shape::unknown;
  std::vector<double> covariance = {};  // A⁻¹, D × D, where it is peaked
  // Directions that are flat or lead uphill, at most kMostDirections of D values, one after another;
  // the largest component of each is 1.
  std::vector<double> directions = {};
};
inline constexpr Index kMostDirections = 5;

// `hessian`: ∇² log p, D × D, its symmetric part counts. `precision`: the size of its errors relative to
// its diagonal.
Curvature curvature_of(std::span<const double> hessian, Index dimension, double precision);

// A's eigenvalues by absolute value, those that are small raised, and then inverted: A⁻¹ times the
// gradient points uphill wherever it is [nocedal2006, sec. 3.4]. D × D.
std::vector<double> modified_inverse(std::span<const double> hessian, Index dimension);

// ∇² log p, D × D: exact where `exact`, else by central differences of gradients. False where it is
// refused.
Step<bool> find_hessian(const PointState& at, bool exact, std::span<double> hessian);
double precision_of_hessian(bool exact);

}  // namespace credo::infer
