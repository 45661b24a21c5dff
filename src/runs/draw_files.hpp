// The draws of a run as CSV files.
#pragma once
#include "runs/fit.hpp"

namespace credo::runs {

// PREFIX_1.csv, ... in CmdStan's form, one for each chain of the run, with the draws that all
// chains have; each appears only when it is complete.
void write_csv_files(const std::string& prefix, const Fit& fit, Index sig_figs);

}  // namespace credo::runs
