// One pass over the rows of the likelihood in their order by fixed points of the online variational problem: the posterior of a batch of rows is
// the prior of the next [zeno2021; murphy2023, 10.3.9]. For q = N(μ, L Lᵀ), the prior N(m, V) with V = A Aᵀ, ℓ = -log p(batch),
// E1 = E[∇ℓ(μ + L ε)] and E2 = E[∇ℓ(μ + L ε) εᵀ], the bound is stationary where
//
//   μ = m - V E1,   V⁻¹ L + E2 = L⁻ᵀ
//
//   foovb   L = A U diag(x) Uᵀ, Aᵀ E2 = U diag(d) Uᵀ, x = √(1 + d²/4) - d/2
//   bgd     σ_i = s_i √(1 + (s_i E2_ii / 2)²) - s_i² E2_ii / 2,   μ_i = m_i - η s_i² E1_i,   s_i² = V_ii
//
// Expectations are those of the parameters before, so that one round is a step. More rounds go to the fixed point: the means' steps are damped
// by (1 + V E[∇²ℓ])⁻¹ then, which the source hasn't, and without which they go away from it where a batch says more than the prior. Draws are pairs
// ε, -ε, with covariance 1 where they are enough.
#pragma once
#include "infer/variational/climbs/bound.hpp"

namespace credo::infer {

// options: optimizer "foovb" or "bgd", batch, step_draws, fixed_points, learning_rate, seed. Throws Error(usage) for a density without
// rows or prior, Error(evaluation) where no draw has a density.
FittedFamily climb_online(const density::LogDensity& density, const BoundOptions& options);
bool is_online(std::string_view optimizer);

}  // namespace credo::infer
