// The law of a state at each time, as tables of filters and smoothers have it.
#pragma once
#include "density/layout.hpp"
#include "io/netcdf_file.hpp"
#include "results/files/write_fit.hpp"

namespace credo::results {

// One time: an element for each of the state's; quantiles level by level. What there isn't is empty.
struct StateRow {
  std::span<const double> mean, sd, quantiles = {}, error = {};
};
struct StateRows {
  const density::Layout& state;  // or of an outcome that is forecast
  Index num_times = 0;
  std::function<StateRow(Index time)> row;  // of times from 0 on
  Index first_time = 0;                     // what time 0 is in the data
};

// Observed outcomes, time by time; NaN where one is missing.
struct Outcomes {
  std::string name = {};
  bool is_scalar = true;  // one number per time
  std::vector<double> values = {};
};
// Writes group observed_data: time, NAME_dim_0: NAME. Without outcomes it writes nothing.
void write_outcomes(io::NetcdfFile& file, const Outcomes& outcomes, Index num_times);

// Dimensions of the state's elements in a group, made where they aren't there: none of a scalar.
std::vector<std::string> state_dimensions(io::NetcdfFile& file, io::NetcdfFile::Group group,
                                          const density::Layout& state);

// A group with time (from 1), and x_mean, x_sd, x_q5, x_q50, x_q95, x_mean_error of a state x.
void write_state_rows(io::NetcdfFile& file, const std::string& group, const StateRows& rows);
// Group evidence: repeat: log_likelihood.
void write_likelihoods(io::NetcdfFile& file, std::span<const double> log_likelihoods);

// A NetCDF file that is complete under its name or not there. Throws Error(io) and Stopped.
void write_netcdf_apart(const FitOutput& to, const std::function<void(io::NetcdfFile&)>& write);

}  // namespace credo::results
