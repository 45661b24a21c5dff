// A file of credo filter or credo smooth, read back: distribution of the state at each time.
#pragma once
#include "results/estimates/state_rows.hpp"

namespace credo::results {

// A distribution at each time: all elements of time 1, of time 2, ...; quantiles at 5, 50 and 95 %.
struct DistributionSeries {
  density::Layout layout;
  Index num_times = 0, first_time = 0;  // first_time: index in the data of the first time
  std::vector<double> mean, sd;
  std::array<std::vector<double>, 3> quantiles;
  // The numbers of one time. `space` holds the quantiles, level by level.
  StateRow row(Index time, std::vector<double>& space) const;
};

struct StateFile {
  std::string path, program, method;
  bool is_smoothed = false;  // given all outcomes; otherwise those up to each time
  DistributionSeries state;
  std::optional<DistributionSeries> forecast =
      {};  // forecasts of outcomes, after the last time that has one
  Index num_runs = 0;
  Index num_particles = 0;       // 0: no particles
  Index num_fit_draws = 0;       // of a mixture over draws of a fit; 0: no mixture
  double log_likelihood = kNaN;  // mean, for a mixture
  double log_likelihood_error = kNaN, log_likelihood_sd = kNaN;  // NaN if unknown
  std::vector<double> mean_error = {};  // errors of the state, time by time; empty if unknown
  std::vector<double> effective = {};   // particles, or distinct particles on paths, at each time
  std::vector<double> regimes = {};     // probability of each regime, time by time
  Index num_regimes = 0;
  Outcomes outcomes = {};

  Index num_times() const { return state.num_times; }
  StateRow row(Index time, std::vector<double>& space) const;  // row of the state
};

// Recognises a file by its groups, whatever its name; false if it can't be read.
bool is_state_file(const std::string& path);
// Throws Error(io) and Error(data).
StateFile read_state_file(const std::string& path);

}  // namespace credo::results
