// A mode near a point, to start chains near it, and the curvature there as a metric.
#pragma once
#include <optional>

#include "infer/core/sample.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"

namespace credo::infer {

struct ModeOptions {
  Index max_iterations = 1000;
  double tolerance = 1e-8;  // for the gradient's largest component, relative to 1 + |log density|
  Index history = 10;       // pairs of L-BFGS
  double init_radius = 2.0;
  std::span<const double> start = {};  // D values; empty: drawn within the radius
  std::uint64_t seed = 1;
  Index num_threads = 1;     // threads of an evaluation; no value depends on them
  bool keeps_state = false;  // the search is a stage of a fit (infer/core/fit_stages.hpp)
  // Called after each iteration: the log density, the step (1: as it was proposed), the largest component of the gradient,
  // evaluations so far.
  std::function<void(double log_density, double step, double gradient, Index num_evaluations)>
      on_iteration = nullptr;
};

struct Mode {
  std::vector<double> position, gradient;
  double log_density = -kInfinity;
  bool converged = false;
  Index num_iterations = 0, num_evaluations = 0;
};

// A local maximum of the log density on the unconstrained space by L-BFGS with a backtracking line search
// [nocedal2006, alg. 7.5], from a random initial point. Throws Error(evaluation) if there is no
// initial point.
Mode find_mode(const density::LogDensity& density, const ModeOptions& options);

// Like find_mode(); empty if the start has no finite log density and gradient, as a draw of a wide prior may lack them.
std::optional<Mode> find_mode_if_defined(const density::LogDensity& density,
                                         const ModeOptions& options);

// Initial points for `num_chains` chains: near the mode, not at it, where a gradient of zero
// gives a Hamiltonian kernel no direction: mode + spread · N(0, 1), drawn again until the log
// density is finite. For SampleOptions::init.
std::vector<std::vector<double>> points_near(const density::LogDensity& density, const Mode& mode,
                                             Index num_chains, double spread, std::uint64_t seed);

// (-∇² log p)⁻¹ at a point, from central differences of the gradient, D × D: an inverse metric for
// SampleOptions::inv_metric with a dense metric, the normal approximation's covariance at a mode.
// Throws Error(evaluation) where the Hessian isn't negative definite. O(D) gradients.
std::vector<double> inverse_hessian(const density::LogDensity& density,
                                    std::span<const double> position);

}  // namespace credo::infer
