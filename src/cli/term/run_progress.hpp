// The progress of a command's run on standard error. Notes meanwhile go through it: above
// the drawn lines, or as an event.
#pragma once
#include "cli/command.hpp"
#include "cli/term/progress.hpp"

namespace credo::cli {

class RunProgress final {
 public:
  RunProgress(Output& output, bool quiet, bool json);
  ~RunProgress() { output_.note_sink = nullptr; }
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  // Before the run, whose options it watches; with the files of the plan.
  void begin(infer::SampleOptions& options, RunPlan plan);
  // Called after the run. Views for people rest; views for machines receive warnings and the reason of a stop.
  void ran(const infer::RunResult& result);
  void end(int status) { progress_.end(status); }

 private:
  Output& output_;
  Progress progress_;
};

}  // namespace credo::cli
