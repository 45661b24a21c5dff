// Integrators of Hamilton's equations, as data: strings of kicks and drifts.
//
//   kick a:   momentum += a h ∇log π(position)        drift b:   position += b h M⁻¹ momentum
//
// A splitting a₁ b₁ a₂ b₂ … aₙ with Σa = Σb = 1 preserves volume exactly; a palindrome is
// reversible, too, and may propose for Hamiltonian Monte Carlo. A gradient at the same place is
// computed once.
#pragma once
#include "infer/core/step.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer {

enum class IntegratorKind { leapfrog, two_stage, three_stage, forest_ruth };
inline constexpr std::array<std::string_view, 4> kIntegratorNames = {"leapfrog", "two_stage",
                                                                     "three_stage", "forest_ruth"};
inline constexpr std::span<const std::string_view> enum_names(IntegratorKind) {
  return kIntegratorNames;
}

struct Integrator {
  std::string_view name;
  Index order;                            // order of the error at a fixed time
  std::span<const double> kicks, drifts;  // one kick more than drifts
  bool reversible;
  std::string_view reference;
  Index num_gradients() const { return ssize(drifts); }  // a step
};

const Integrator& integrator(IntegratorKind kind);

// Kick, then drift: symplectic, of first order, not reversible; a baseline.
const Integrator& symplectic_euler();

// One step of an integrator in place: the point must have its gradient; it has the one at the end
// afterwards. `scratch` is a second point.
Step<Nothing> integrate(PhasePoint& point, PhasePoint& scratch, const Integrator& by,
                        double step_size, const Metric& metric);

// Euler's step, both halves from the old point: neither symplectic nor reversible, its energy grows
// in every step; kept as a baseline. The end lacks log density and gradient.
void euler_step(const PhasePoint& from, PhasePoint& to, double step_size, const Metric& metric);

// Leapfrog with the square root of the inverse metric, M⁻¹ = L Lᵀ, and velocities v ~ N(0, I):
//   v += h/2 Lᵀ∇log π;  position += h L v;  v += h/2 Lᵀ∇log π.
// The same positions as leapfrog's with v = L⁻¹ M⁻¹ momentum; no solve. Here: the first kick and
// the drift; then the last kick.
void sqrt_metric_first_half(PhasePoint& point, double step_size, const Metric& metric);
void sqrt_metric_second_half(PhasePoint& point, double step_size, const Metric& metric);

}  // namespace credo::infer
