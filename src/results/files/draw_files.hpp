// The draws of a run as CSV files.
#pragma once
#include "results/files/write_fit.hpp"

namespace credo::results {

// PREFIX_1.csv, ...; "fit.csv" gives fit_1.csv as well.
std::string csv_name(const std::string& prefix, Index chain);

// csv_name() for each chain, in CmdStan's form, with the draws that all chains have; each appears
// only when it is complete.
void write_csv_files(const Fit& fit, const FitOutput& output);

}  // namespace credo::results
