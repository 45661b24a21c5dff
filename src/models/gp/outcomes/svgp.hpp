// Stochastic variational Gaussian processes: q by natural-gradient steps, hyperparameters and inducing inputs by Adam, on batches of the rows
// [hensman2015; salimbeni2018; kingma2015].
#pragma once
#include "models/gp/outcomes/svgp_bound.hpp"

namespace credo::models {

struct SvgpOptions {
  Index num_inducing = 200;
  Index batch = 1000;  // rows of a step; at least the number of rows: all of them in each step
  Index num_steps = 1500;
  std::uint64_t seed = 1;
  double adam_rate = 0.03;    // falls to a tenth over the last third of the steps
  double natural_step = 0.1;  // after the first kGrowingSteps steps, in which it grows from 1e-3
  bool moves_inputs = true;   // inducing inputs are moved, too, in each fourth step
  std::function<void(Index step, double bound)> on_progress = {};  // each 100 steps
};

struct SvgpFit {
  std::unique_ptr<SvgpBound> bound;  // at the end of the climb
  std::vector<double> theta;
  InputColumns z;
  double value = -kInfinity;   // the bound with all rows
  double late_rise = 0.0;      // rise of the batches' mean bound over the last fifth of the steps
  double late_error = 0.0;     // its standard error
  bool has_converged = false;  // q of the last passes over all rows
  std::vector<std::string> notes;  // sentences
};

// Numbers that Z may be moved along: none where a kernel restricts its inputs or they are levels.
bool may_move_inputs(const Covariance& covariance, std::span<const Index> factor_inputs);

// `columns`: inputs of the rows; `factor_inputs`: those that are levels. All must outlive the fit.
SvgpFit fit_svgp(const GpProblem& problem, const GpOutcome& outcome, const InputColumns& columns,
                 std::span<const Index> factor_inputs, const SvgpOptions& options);

// The fit as a solver, whose posterior is always that of the fit's hyperparameters.
std::unique_ptr<GpSolver> make_svgp_solver(const SvgpFit& fit);

}  // namespace credo::models
