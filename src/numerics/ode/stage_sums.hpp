// Sums of the stages of a Runge-Kutta step.
#pragma once
#include "numerics/ode/lane_group.hpp"

namespace credo::numerics {

// Sizes are whole groups; elements after the last one are zero.

// out[i] = start[i] + steps[i % 8] sum_s weights[s] stages[s][i], without `start` where it is null.
// Stages whose weight is 0 aren't read.
struct StageSum {
  std::span<double* const> stages;
  const double* weights = nullptr;
  const double* steps = nullptr;
  const double* start = nullptr;
  Index size = 0;
  double* out = nullptr;
};
void sum_stages(const StageSum& sum);

// worst[j] = max over i = j modulo 8 of |error[i]| / (absolute + relative max(|a[i]|, |b[i]|)); NaN
// counts as infinite.
struct StepErrors {
  const double *error = nullptr, *a = nullptr, *b = nullptr;
  double absolute = 0.0, relative = 0.0;
  Index size = 0;
  double* worst = nullptr;
};
void measure_step(const StepErrors& errors);

}  // namespace credo::numerics
