// The end of a run as a command prints it: summary, verdict, modes.
#pragma once
#include "cli/run/run_arguments.hpp"
#include "cli/run/summarise.hpp"
#include "verdict/finding.hpp"

namespace credo::cli {

// Clock readings in seconds: the command's begin, begin and end of the chains.
struct RunClock {
  double begun = 0.0, chains_begun = 0.0, chains_ended = 0.0;
  RunTimes times() const;  // until now
};

// Names of the result for other commands: FILE.nc, or the pattern of the CSV files.
std::string result_files(const OutputSpec& out);

struct RunEnd {
  const OutputSpec& out;
  const RunStore& store;
  const RunClock& clock;
  std::function<void()> await_files = {};    // called before the report is printed
  bool no_check = false;                     // the verdict judges the draws alone
  verdict::Verdict::Word* judged = nullptr;  // gets the verdict's word, of draws
  std::span<const std::pair<std::string, std::string>> row_names =
      {};  // rows of the printed table (RunConduct)
};
// The summary of a run's draws; empty where the run is quiet.
Summary summary_of(const RunEnd& end);
// These print the report and return the exit status for --strict.
int report_draws(const RunEnd& end, Summary summary, const verdict::Verdict& judged, bool json,
                 Output& output);
// Draws or modes of a program.
int report_run(const RunEnd& end, const model::Model& model, bool json, Output& output);
// Draws of a model that isn't a program.
int report_own_run(const RunEnd& end, const density::Model& model, bool json, Output& output);

}  // namespace credo::cli
