// The outer part of a latent Gaussian model: points of the outer coordinates φ with shares of the mass of log p̂(φ), the inner ones f
// integrated out (infer/latent) [rue2009, sec. 3.1 and 6.5]. The approximation is the mixture Σ_k P_k N(f̂(φ_k), H(φ_k)⁻¹) at φ = φ_k.
//
//   mode    one point, φ̂: empirical Bayes
//   grid    φ̂ + V Λ^½ z, z on a grid of the eigenvectors of the covariance C = V Λ V' at φ̂, as far as log p̂ is near its maximum
//   ccd     φ̂, and points at the distance 1.1 √m: two on each axis, and corners of a two-level design of resolution five
#pragma once
#include "infer/latent/collapsed_density.hpp"
#include "infer/variational/approximation.hpp"

namespace credo::infer {

enum class OuterMethod { mode, grid, ccd, sample };
inline constexpr std::array<std::string_view, 4> kOuterMethodNames = {"mode", "grid", "ccd",
                                                                      "sample"};
inline constexpr std::span<const std::string_view> enum_names(OuterMethod) {
  return kOuterMethodNames;
}

struct OuterPoint {
  InnerNormal inner;  // with φ_k and log p̂(φ_k)
  double mass = 0.0;  // P_k
};

struct OuterPoints {
  std::vector<double> mode, covariance;  // φ̂; C, m × m
  std::vector<OuterPoint> points;
  double log_evidence = -kInfinity;  // log ∫ p̂(φ) dφ by the points
};

struct OuterOptions {
  OuterMethod method = OuterMethod::mode;
  double step = 0.75;  // between points of the grid, in standard deviations
};

// Throws Error(evaluation) where p̂ has no peak, and Error(usage) for a grid or design of too many coordinates.
OuterPoints outer_points(const CollapsedDensity& collapsed, const OuterOptions& options);

// Weighted draws of the mixture; the density must outlive it.
std::shared_ptr<const Approximation> mixture_of_outer_points(
    std::shared_ptr<const CollapsedDensity> collapsed, OuterPoints points);

// Corners ±1 of `count` coordinates, one after another: a two-level design in which no two-factor interaction is confounded with another or
// with a main effect [sanchez2005], for at most 16 coordinates.
std::vector<double> corners_of_design(Index count);

}  // namespace credo::infer
