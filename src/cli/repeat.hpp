// A run once more, from what its file has kept: `credo sample --like fit.nc`.
#pragma once
#include "cli/runs.hpp"
#include "runs/fit.hpp"

namespace credo::cli {

inline constexpr const char* kLikeOption = "--like";

struct RepeatedRun {
  std::vector<std::string> words;  // behind `credo sample`, without --like
  io::InputFiles files;            // program, includes, data and initial values as they were
};

// The words behind `credo sample` that begin the run that these began. A run of a version that knew
// no starts from the prior began uniformly, and that is said.
std::vector<std::string> words_of_start(std::vector<std::string> words, const FitOrigin& origin);

// Options of the fit's run, each unless `given` has it; not its output, its format, its
// limit of time or its silence.
// Files that `given` names are read anew. Throws Error(usage) where the fit hasn't kept its run.
RepeatedRun repeated_run(const Fit& fit, std::span<const std::string> given);

}  // namespace credo::cli
