// Averages over hyperparameters: points with weights, by which predictions are mixed. All use the priors of the parameters.
#pragma once
#include "models/gp/optima.hpp"

namespace credo::models {

struct HyperPoints {
  std::vector<std::vector<double>> thetas;  // natural units
  std::vector<double> weights;              // their sum is 1
  std::vector<std::string> notes = {};      // sentences
};

// sum over points on a grid in the axes of the curvature at the mode of the posterior [murphy2023, section 18.6.2; rue2009, section 4.1].
// Throws Error(usage) for more than four estimated parameters, Error(evaluation) where the mode has no curvature.
HyperPoints hyper_grid(const GpProblem& problem, GpSolver& solver, const OptimaOptions& options);
// The mode and two points on each axis, 2 d + 1 in all, which are exact for the second moments of a normal posterior; their weights are
// multiplied by the ratio of the posterior to that normal distribution.
HyperPoints hyper_ccd(const GpProblem& problem, GpSolver& solver, const OptimaOptions& options);
// Draws of the posterior by NUTS.
HyperPoints hyper_mcmc(const GpProblem& problem, GpSolver& solver, const OptimaOptions& options);
// The point of a grid around the centres with the largest leave-one-out log density. Dense; for at most three estimated parameters.
HyperPoints hyper_cv(const GpProblem& problem, const OptimaOptions& options);

// Adds a point to the mean and variance of a mixture. `share`: the point's weight divided by the sum of the weights so far, its own
// included. One point alone is the mixture, bit for bit. Only deviations of means are squared, so the variance keeps its digits.
void add_to_mixture(GpMoments& mixture, const GpMoments& part, double share);

// sum_i log N(y_i; mean and variance given the other rows), with an unknown beta: from alpha and the diagonal of P [rasmussen2006, section 5.4.2].
double leave_one_out(const GpProblem& problem, std::span<const double> theta);

}  // namespace credo::models
