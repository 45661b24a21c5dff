// Runs a sampler or an optimiser, with everything around it: the lock on its output, the run file, extension, page and progress,
// ranks, the result, the report.
#pragma once
#include "cli/run/run_arguments.hpp"

namespace credo {
class Ranks;
}
namespace credo::cli {

// These return the exit status.
// `ranks`: those over which the run is dealt; null: this process alone.
int begin_run(RunArguments& run, Output& output, bool json, Ranks* ranks = nullptr);
// With everything from the file.
int resume_run(const std::string& path, RunArguments& run, Output& output, bool json,
               Ranks* ranks = nullptr);
// On a rank other than 0: its share of a run that rank 0 has begun or resumed (docs/mpi.md).
void do_share(RunArguments& run, Ranks& ranks);

}  // namespace credo::cli
