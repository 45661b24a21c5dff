// Result of a filter, and its arrays.
//
//   group filtered      time, x_dim_0: x_mean, x_sd, x_q5, x_q50, x_q95 of the state x, of the first run or of the mixture of all
//   group forecast      the same of the outcome y, of the times after the last one that has an outcome
//   group regimes       time, regime: probability of the regimes; other methods may have other arrays, each a group
//   group filter_stats  repeat, time: ess, max_weight, log_increment, resampled, num_roots; exact, ensemble: log_increment
//   group observed_data time, y_dim_0: the outcomes y
//   group evidence      repeat: log_likelihood
//   attributes          of the file: method, num_particles, ..., log_likelihood, log_likelihood_error
#pragma once
#include "infer/smc/filter_answer.hpp"
#include "results/estimates/state_rows.hpp"

namespace credo::results {

struct FilterRun {
  std::string program, method;
  density::Layout state;
  density::Layout outcome = {};  // outcome at one time
  Index first_forecast = 0;  // the first time whose outcome is forecast; times().size(): none is
  Outcomes outcomes = {};
  bool exact = false;     // no particles: runs have no error of their own
  bool weighed = true;    // particles have weights; members of an ensemble haven't
  bool of_draws = false;  // each run is at the parameters of another draw of a fit
  infer::FilterOptions options;
  std::vector<infer::FilterResult> repeats;
  // Arrays that only this method reports, of the first run, or their mean over draws of a fit.
  std::vector<infer::TimeArray> arrays = {};
  // For draws of a fit: log_likelihood is the mean of the log likelihoods, sd how much they differ.
  infer::LikelihoodEstimate likelihood;
  std::vector<infer::FilteredTime> mixture = {};  // used with draws of a fit
  Index num_checked =
      0;  // for exact filters: points at which the program was found linear and Gaussian

  bool has_forecast() const { return first_forecast < ssize(times()); }
  StateRows state_rows() const;
  StateRows forecast_rows() const;
  // Reported distribution of the state.
  const std::vector<infer::FilteredTime>& times() const {
    return of_draws ? mixture : repeats.front().times;
  }
};

// Levels of the quantiles that each run of a mixture keeps, from which those of the mixture are made: their places are known to
// a hundredth of the probability.
std::vector<double> mixture_levels();

// The distribution of the state as a mixture over runs of equal weight, whose quantiles are those of mixture_levels().
// The mixture's effective particles and roots are the least of the runs, its largest weight is the largest.
std::vector<infer::FilteredTime> mixture_of(std::span<const infer::FilterResult> runs);

// Combines the results of the runs.
void take_repeats(FilterRun& run, std::vector<infer::FilterAnswer> repeats);

ArrayList arrays_of(const FilterRun& run);

}  // namespace credo::results
