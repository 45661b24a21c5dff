// Runs a sampler or an optimiser, with everything around it: the lock on its output, the run file, extension, page and progress,
// ranks, the result, the report.
#pragma once
#include "cli/run/run_arguments.hpp"
#include "io/run_file.hpp"

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

// A run of a model that isn't a program and has algorithms of its own.
struct OwnRun {
  std::shared_ptr<const density::Model> model;
  std::function<infer::RunResult(const infer::SampleOptions&, infer::DrawSink&)> run_chains;
  io::RunFile::Facts facts;  // with the command's specification (results::kSpecFact)
};
// Begins this run, or continues the same one if its run file is beside the output. `run` has the options of the run and the
// output, and its program has no path. Throws Error(usage) if the run file is of another run.
int begin_own_run(RunArguments& run, OwnRun own, Output& output, bool json);

// On a rank other than 0: its share of a run that rank 0 has begun or resumed (docs/mpi.md).
void do_share(RunArguments& run, Ranks& ranks);

}  // namespace credo::cli
