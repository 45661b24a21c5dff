// The result of a run as a NetCDF-4 file in the layout of ArviZ' InferenceData.
//
//   groups      posterior, sample_stats, log_likelihood (a generated quantity log_lik), the same of
//               warm-up where it was saved, observed_data, constant_data, adaptation, divergences
//               (results/files/adaptation_groups.hpp), inputs: the files of the run as texts
//               each table of the run (results/files/table_groups.hpp)
//   dimensions  chain, draw, and of a variable x: x_dim_0, x_dim_1, …, from 0
//   attributes  of the file: schema, program, data_hash, arguments, sampler, seed, version, and
//               each setting by its name
//
// Memory: a batch of quantities, whatever the number of draws.
#pragma once
#include "results/files/write_fit.hpp"

namespace credo::results {

// The group of predictions, in the place of "posterior".
inline constexpr const char* kPredictionsGroup = "predictions";

inline constexpr Index kResultSchema = 1;

inline constexpr const char* kLogLikelihood = "log_lik";  // a variable with a group of its own

void write_netcdf(const Fit& fit, const FitOutput& output);

}  // namespace credo::results
