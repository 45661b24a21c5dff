// A mixture to draw from in the place of a posterior: Student's t distributions at its modes, and a wide normal that
// keeps the weights bounded where these have nothing (a defensive mixture [hesterberg1995; owen2000]).
//
//   q(x) = a N(x; 0, sd² I) + (1 - a) Σ_k p_k t_ν(x; m_k, s² Σ_k),   Σ_k = (-∇² log p(m_k))⁻¹,   p_k ∝ p(m_k) |Σ_k|^½
#pragma once
#include "infer/core/columns.hpp"
#include "infer/ensemble/tempered.hpp"

namespace credo::infer {

struct ModeMixtureOptions {
  Index num_climbs = 10;         // to modes, from points that the seed draws
  double defensive_share = 0.1;  // a
  double defensive_sd = 5.0;     // of the unconstrained space
  double scale = 1.2;            // s
  Index dof = 5;                 // ν
};

// A mixture for a density with a gradient. Climbs that end within a tenth of a standard deviation of a mode that is known are that
// mode. Throws Error(evaluation) where no climb converges, or the curvature at a mode isn't that of a peak.
std::shared_ptr<const Reference> mode_mixture(const density::LogDensity& density,
                                              const ModeMixtureOptions& options);

}  // namespace credo::infer
