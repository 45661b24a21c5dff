// Data on a run that a NetCDF file holds beside the draws, for later checks.
//
//   adaptation    by chain of the run (not walker): step_size, inv_metric, initial_point, counts,
//                 tuned_NAME; attributes metric, free_names, refusals, warnings, notes
//   divergences   chain, iteration, warmup, energy_error, start, end of each that was kept;
//                 positions are unconstrained values; no group without divergences
//
// No times: equal runs make equal files.
#pragma once
#include "io/netcdf_file.hpp"
#include "io/netcdf_reader.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

void write_adaptation(io::NetcdfFile& file, const Fit& fit);

struct Adaptation {
  infer::RunResult result;
  std::vector<FitNote> notes;
  std::vector<std::string> free_names;
};
Adaptation read_adaptation(const io::NetcdfReader& file);  // empty where the file has none

}  // namespace credo::results
