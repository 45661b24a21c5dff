// The distribution of a state at each time, as arrays of filters and smoothers.
#pragma once
#include "density/layout.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::results {

// One time: an element for each of the state's; quantiles level by level. Missing figures are empty.
struct StateRow {
  std::span<const double> mean, sd, quantiles = {}, error = {};
};
struct StateRows {
  const density::Layout& state;  // or of an outcome that is forecast
  Index num_times = 0;
  std::function<StateRow(Index time)> row;  // row of a time, from 0 on
  Index first_time = 0;                     // what time 0 is in the data
};

// Observed outcomes, time by time; NaN where one is missing.
struct Outcomes {
  std::string name = {};
  bool is_scalar = true;  // one number per time
  std::vector<double> values = {};
};
// Adds group observed_data: time, NAME_dim_0: NAME. Without outcomes it adds nothing.
void add_outcomes(ArrayList& answer, const Outcomes& outcomes, Index num_times);

// Dimension of the state's elements; none if the state is a scalar.
std::vector<Dimension> state_dimensions(const density::Layout& state);
std::vector<std::string> names_of(std::span<const Dimension> dimensions);

// A group with time (from 1), and x_mean, x_sd, x_q5, x_q50, x_q95, x_mean_error of a state x.
void add_state_rows(ArrayList& answer, const std::string& group, const StateRows& rows,
                    const std::string& key = {});
// Names of the state's elements, in JSON only: files have dimensions.
void add_state_names(ArrayList& answer, const density::Layout& state);
// Group evidence: repeat: log_likelihood.
void add_likelihoods(ArrayList& answer, std::vector<double> log_likelihoods);

}  // namespace credo::results
