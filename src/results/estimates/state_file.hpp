// A file of credo filter or credo smooth, read back: where the state was at each time.
#pragma once
#include "results/estimates/state_rows.hpp"

namespace credo::results {

struct StateFile {
  std::string path, program, method;
  bool is_smoothed = false;  // given all outcomes; else those up to the time
  density::Layout state;
  Index num_times = 0, num_runs = 0;
  Index num_particles = 0;       // 0: none
  Index num_fit_draws = 0;       // of a mixture over draws of a fit; 0: none
  double log_likelihood = kNaN;  // of a mixture its mean
  double log_likelihood_error = kNaN, log_likelihood_sd = kNaN;  // NaN: there is none
  // Time by time, of each all elements; quantiles at 5, 50 and 95 %.
  std::vector<double> mean, sd;
  std::array<std::vector<double>, 3> quantiles;
  std::vector<double> mean_error = {};  // empty: none
  std::vector<double> effective = {};   // particles at each time, or those that paths go through
  std::vector<double> regimes = {};     // time by time, the probability of each
  Index num_regimes = 0;
  Outcomes outcomes = {};

  // The numbers of a time; `space` keeps the quantiles, level by level.
  StateRow row(Index time, std::vector<double>& space) const;
};

// By its groups, whatever it is called; false where it can't be read.
bool is_state_file(const std::string& path);
// Throws Error(io) and Error(data).
StateFile read_state_file(const std::string& path);

}  // namespace credo::results
