// Hyperparameters by maximal evidence: climbs from several starts, and the different optima that they find.
#pragma once
#include "density/log_density.hpp"
#include "models/gp/gp_problem.hpp"

namespace credo::models {

struct GpOptimum {
  std::vector<double> theta;  // all parameters, natural units
  double evidence = -kInfinity;
  Index num_starts = 0;  // climbs that ended here
  bool has_converged = false;
  std::vector<Index> at_limit =
      {};  // parameters that ended at the end of their range: the data don't bound them
  // Standard deviations of the unconstrained estimated parameters by the curvature; empty where it isn't that of a peak.
  std::vector<double> free_sds = {};
};

struct OptimaOptions {
  Index num_starts = 5;
  std::uint64_t seed = 1;
  std::vector<double> known = {};  // hyperparameters from which a climb begins, beside the starts
  bool with_prior = false;         // maximises evidence times prior
  // More rows than this: starts are climbed on so many rows first, half of them adjacent, and from the best optima on all rows.
  Index num_screened = 600;
  Index num_refined = 2;
};

// Numbers of the parameters that are estimated.
std::vector<Index> estimated_parameters(const Covariance& covariance);
std::vector<double> centre_of(const Covariance& covariance);  // fixed ones at their values

// The log evidence over the unconstrained estimated parameters; refuses points far beyond the scale of the table. The solver
// outlives it, and it is used by one thread at a time.
std::unique_ptr<density::LogDensity> evidence_density(const GpProblem& problem, GpSolver& solver,
                                                      bool with_prior);

// Sorted, the best first. Empty if no start has an evidence.
// `was_screened`: set to true if starts were climbed on part of the rows.
std::vector<GpOptimum> find_optima(const GpProblem& problem, GpSolver& solver,
                                   const OptimaOptions& options, bool* was_screened = nullptr);

}  // namespace credo::models
