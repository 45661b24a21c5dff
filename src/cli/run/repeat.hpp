// A run or its model once more, from what its file has kept: `credo sample --like fit.nc`.
#pragma once
#include "cli/options/command_spec.hpp"
#include "cli/results.hpp"
#include "results/files/fit.hpp"
#include "results/files/run_spec.hpp"

namespace credo::model {
class Model;
struct DataFiles;
}  // namespace credo::model

namespace credo::cli {

// How the run of a fit was begun. Throws Error(usage) where the fit hasn't kept it.
RunSpec spec_of(const Fit& fit);

// Files that a run like this one reads: those that the fit has kept; files that `now` names are read
// anew. Throws Error(usage) if data are missing and aren't named.
io::InputFiles files_of_repeated(const Fit& fit, const RunSpec& then, const Given& now);

// The program and the data again, as the run had them. Throws Error(usage) where the fit hasn't
// kept them. `data`: other ones, and those of a fit that lacks its own (--no-data). `may_lack_outcomes`: model/model.hpp.
std::unique_ptr<model::Model> rebuild_model(const Fit& fit, const model::DataFiles* data = nullptr,
                                            bool may_lack_outcomes = false);
bool lacks_data(const Fit& fit);

using io::result_of_run_file;
using io::run_file_of;

}  // namespace credo::cli
