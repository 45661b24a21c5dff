// A fit as result files.
#pragma once
#include "runs/fit.hpp"

namespace credo::runs {

struct FitOutput {
  std::string path;  // FILE.nc, or the beginning of the names of CSV files
  bool netcdf = true;
  Index sig_figs = 0;  // in CSV files; 0: all
};

// Complete under their names or not there, also where netCDF crashes. Throws Error(io) and Stopped.
void write_fit(Fit& fit, const FitOutput& output);

}  // namespace credo::runs
