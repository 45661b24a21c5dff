// Result of a smoother, and its arrays.
//
//   group smoothed      time, x_dim_0: x_mean, x_sd, x_q5, x_q50, x_q95 of the state x given all outcomes; particles: x_mean_error
//   group posterior     chain (a run each), draw, time, x_dim_0: x, paths of equal weights
//   group sums          x_dim_0, x_dim_0_next: x_sum, x_squares, x_neighbours and the errors of each (x_sum_error), of paris: sums over
//                       times of x_t, x_t x_t' and x_t x_{t+1}', as they are expected given all outcomes
//   group smooth_stats  repeat, time: num_distinct, with particles
//   group observed_data time, y_dim_0: the outcomes y
//   group evidence      repeat: log_likelihood
//   attributes          of the file: method, num_particles, ..., log_likelihood, log_likelihood_error
#pragma once
#include "infer/smc/smoother.hpp"
#include "results/estimates/state_rows.hpp"

namespace credo::results {

struct SmoothRun {
  std::string program, method;
  density::Layout state;
  Outcomes outcomes = {};
  bool exact = false;  // no particles: one run, without error of its own
  infer::FilterOptions options;
  Index num_paths = 0;  // paths of each run
  std::vector<infer::SmootherResult> repeats;
  std::vector<infer::CombinedTime> times;
  std::optional<infer::CombinedSums> sums = {};  // sums of the method paris
  infer::LikelihoodEstimate likelihood;
  Index num_checked =
      0;  // for kalman and two-filter: points at which the program was found linear and Gaussian
};

ArrayList arrays_of(const SmoothRun& run);

}  // namespace credo::results
