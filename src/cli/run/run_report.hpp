// The end of a run as a command prints it: summary, verdict, modes.
#pragma once
#include "cli/run/run_arguments.hpp"
#include "cli/run/summarise.hpp"

namespace credo::cli {

// Clock readings in seconds: the command's begin, begin and end of the chains.
struct RunClock {
  double begun = 0.0, chains_begun = 0.0, chains_ended = 0.0;
  RunTimes times() const;  // until now
};

// Where the run's result is, for other commands: FILE.nc, or the pattern of the CSV files.
std::string result_files(const RunArguments& run);

struct RunEnd {
  const RunArguments& run;
  const model::Model& model;
  const RunStore& store;
  const RunClock& clock;
};
// Prints the report; returns the exit status for --strict.
int report_run(const RunEnd& end, bool json, Output& output);

}  // namespace credo::cli
