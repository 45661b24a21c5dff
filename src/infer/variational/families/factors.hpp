// Products of independent factors, one for each parameter on its own scale [murphy2023, 10.2]:
//
//   q(x) = Π_j q_j(x_j)
//
//   normal      a value without bounds, and everything that isn't below
//   gamma       |θ - bound| of a value with one bound: exp x ~ Gamma(a, b)
//   beta        a value between two bounds, on (0, 1): inv_logit x ~ Beta(a, b)
//   dirichlet   a simplex of K values, which has K - 1 unconstrained ones: θ ~ Dirichlet(α)
//
// Draws of the last three are quantiles of Φ(z), and their derivatives by the shapes are implicit: with F the distribution function and f its
// density, ∂θ/∂a = -(∂F/∂a) / f [figurnov2018].
#pragma once
#include "density/log_density.hpp"
#include "infer/variational/families/distribution_family.hpp"

namespace credo::infer {

enum class FactorKind { normal, gamma, beta, dirichlet };
inline constexpr std::array<std::string_view, 4> kFactorKindNames = {"normal", "gamma", "beta",
                                                                     "dirichlet"};
struct FactorSpec {
  FactorKind kind = FactorKind::normal;
  Index first = 0, size = 1;  // its unconstrained values; K - 1 of a simplex
};

// By the declarations of a program; a density without names has normal factors.
std::vector<FactorSpec> factors_of(const density::LogDensity& density);

// Factors with these means and variances of the unconstrained values, or nearly, at the start.
std::unique_ptr<DistributionFamily> make_factors(std::span<const FactorSpec> factors,
                                                 std::span<const double> mean,
                                                 std::span<const double> variances);

// Parameters of the factors on their own scales, of a family from make_factors: mean and standard deviation of the unconstrained value; shape
// and rate; both shapes; all shapes of a Dirichlet distribution.
std::vector<double> factor_parameters(const DistributionFamily& family);

}  // namespace credo::infer
