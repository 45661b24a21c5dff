// Trajectories of Hamilton's equations by the integrators of Hamiltonian Monte Carlo, and by others for comparison.
//
//   const auto normal = [](std::span<const double> x, std::span<double> gradient) { gradient[0] = -x[0]; return -x[0] * x[0] / 2; };
//   for (const credo::PhaseState& at : credo::trajectory(normal, {1.0}, {0.0}, {.integrator = "two_stage", .step_size = 0.5}))
//     at.energy;
//
// The energy is H = -log density(position) + momentumᵀ M⁻¹ momentum / 2. An exact path keeps it; the error of a path decides how often
// Hamiltonian Monte Carlo accepts its end.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credo/export.hpp"

namespace credo {
using Index = std::ptrdiff_t;

struct IntegratorRow {
  std::string_view name, summary, reference;
  Index order = 2;            // the error at a fixed time falls with this power of the step size
  bool is_reversible = true;  // with the momentum turned around it leads back
  bool preserves_volume = true;
};
CREDO_API std::span<const IntegratorRow> integrators();  // by name

struct PhaseState {
  std::vector<double> position, momentum;
  double energy = 0.0;
};

struct TrajectoryOptions {
  std::string integrator = "leapfrog";
  double step_size = 0.1;
  Index num_steps = 100;
  std::vector<double> inverse_metric =
      {};  // M⁻¹: D variances or D x D, column by column; none: ones
};

// The start and the points after 1, 2, ..., num_steps steps. `log_density` returns its value and writes the gradient. Throws
// Error(usage) for an integrator that isn't there, sizes that don't fit, and a metric that isn't positive definite.
CREDO_API std::vector<PhaseState> trajectory(
    const std::function<double(std::span<const double> position, std::span<double> gradient)>&
        log_density,
    const std::vector<double>& position, const std::vector<double>& momentum,
    const TrajectoryOptions& options = {});

}  // namespace credo
