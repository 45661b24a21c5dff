// A run once more, from what its file has kept: `credo sample --like fit.nc`.
#pragma once
#include "cli/options/command_spec.hpp"
#include "cli/results.hpp"
#include "results/files/fit.hpp"
#include "results/files/run_spec.hpp"

namespace credo::cli {

// How the run of a fit was begun. Throws Error(usage) where the fit hasn't kept it.
RunSpec spec_of(const Fit& fit);

// Files that a run like this one reads: those that the fit has kept; files that `now` names are read
// anew. Throws Error(usage) if data are missing and aren't named.
io::InputFiles files_of_repeated(const Fit& fit, const RunSpec& then, const Given& now);

}  // namespace credo::cli
