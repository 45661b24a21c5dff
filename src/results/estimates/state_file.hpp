// A file of credo filter or credo smooth, read back: where the state was at each time.
#pragma once
#include "results/estimates/state_rows.hpp"

namespace credo::results {

// A law by times, of all elements one after another; quantiles at 5, 50 and 95 %.
struct LawSeries {
  density::Layout layout;
  Index num_times = 0, first_time = 0;  // first_time: what time 0 is in the data
  std::vector<double> mean, sd;
  std::array<std::vector<double>, 3> quantiles;
  // The numbers of a time; `space` keeps the quantiles, level by level.
  StateRow row(Index time, std::vector<double>& space) const;
};

struct StateFile {
  std::string path, program, method;
  bool is_smoothed = false;  // given all outcomes; else those up to the time
  LawSeries state;
  std::optional<LawSeries> forecast = {};  // of the outcome, after the last time that has one
  Index num_runs = 0;
  Index num_particles = 0;       // 0: none
  Index num_fit_draws = 0;       // of a mixture over draws of a fit; 0: none
  double log_likelihood = kNaN;  // of a mixture its mean
  double log_likelihood_error = kNaN, log_likelihood_sd = kNaN;  // NaN: there is none
  std::vector<double> mean_error = {};  // of the state, time by time; empty: none
  std::vector<double> effective = {};   // particles at each time, or those that paths go through
  std::vector<double> regimes = {};     // time by time, the probability of each
  Index num_regimes = 0;
  Outcomes outcomes = {};

  Index num_times() const { return state.num_times; }
  StateRow row(Index time, std::vector<double>& space) const;  // of the state
};

// By its groups, whatever it is called; false where it can't be read.
bool is_state_file(const std::string& path);
// Throws Error(io) and Error(data).
StateFile read_state_file(const std::string& path);

}  // namespace credo::results
