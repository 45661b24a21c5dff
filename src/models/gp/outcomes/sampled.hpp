// Draws of the posterior of f at the rows together with the hyperparameters, by NUTS on whitened values: f = L(theta) z, z ~ N(0, 1)
// [murray2010; rasmussen2006, section 3.1]. For likelihoods of any form; N³ for each derivative.
#pragma once
#include "models/gp/outcomes/gp_outcome.hpp"

namespace credo::models {

constexpr double kSampledJitter = 1e-8;  // share of the mean variance that is added to that of f
constexpr Index kMostSampledRows = 500;

struct SampledGpOptions {
  Index num_chains = 4, num_warmup = 400, num_draws = 250;
  Index num_kept = 200;  // draws that predictions are averaged over
  std::uint64_t seed = 1;
};

struct SampledGp {
  // The solver answers posterior() for these points only: behind the parameters of each stands the number of its draw.
  HyperPoints points;
  std::unique_ptr<GpSolver> solver;
  double r_hat = kNaN, ess = kNaN;  // the worst of the hyperparameters and of f at the rows
  Index num_divergences = 0;
};
// Both must outlive the result. Throws Error(usage) for more than kMostSampledRows rows.
SampledGp sample_gp(const GpProblem& problem, const GpOutcome& outcome,
                    const SampledGpOptions& options);

// Log density of (unconstrained hyperparameters, z) with its derivatives.
std::unique_ptr<density::LogDensity> sampled_density(const GpProblem& problem,
                                                     const GpOutcome& outcome);

}  // namespace credo::models
