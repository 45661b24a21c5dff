// What a filter found, and its NetCDF-4 file.
//
//   group filtered      time, x_dim_0: x_mean, x_sd, x_q5, x_q50, x_q95 of the state x, of the first run
//   group regimes       time, regime: probability of the regimes of a program that has them, of the first run
//   group filter_stats  repeat, time: ess, max_weight, log_increment, resampled, num_roots; of an exact filter log_increment alone
//   group evidence      repeat: log_likelihood
//   attributes          of the file: method, num_particles, ..., log_likelihood, log_likelihood_error
#pragma once
#include "infer/smc/particle_filter.hpp"
#include "results/files/write_fit.hpp"

namespace credo::results {

struct FilterRun {
  std::string program, method;
  density::Layout state;
  bool exact = false;  // no particles: one run, without error of its own
  infer::FilterOptions options;
  std::vector<infer::FilterResult> repeats;
  std::vector<std::vector<double>> regimes =
      {};  // of a program with regimes: their probabilities at each time, first run
  infer::LikelihoodEstimate likelihood;
};

// A NetCDF file that is complete under its name or not there. Throws Error(io) and Stopped.
void write_filter(const FilterRun& run, const FitOutput& to);

}  // namespace credo::results
