#include "cli/term/run_progress.hpp"

#include "cli/term/progress_views.hpp"
#include "cli/term/stop.hpp"
#include "infer/core/recorder.hpp"

namespace credo::cli {

namespace {
constexpr double kTick = 0.1;  // seconds: the views' own periods are multiples of it
}

RunProgress::RunProgress(Output& output, bool quiet, bool json)
    : output_(output), progress_(standard_view(quiet, json), infer::clock_seconds, kTick) {
  if (!quiet) output_.note_sink = [this](std::string_view text) { progress_.note(text); };
}

void RunProgress::begin(infer::SampleOptions& options, RunPlan plan) {
  constexpr double kPeriod = 0.05;  // seconds; views take less
  plan.sampler = options.sampler;
  plan.num_chains = options.num_chains;
  plan.num_warmup = options.num_warmup;
  plan.num_draws = options.num_draws;
  plan.seed = options.seed;
  progress_.begin(plan);
  if (!output_.note_sink) return;  // quiet
  options.progress_every = 0;
  options.progress_seconds = kPeriod;
  options.on_progress = [this](const infer::Progress& p) { progress_.update(p); };
  options.on_fit = [this](const infer::FitProgress& p) { progress_.update(p); };
}

void RunProgress::ran(const infer::RunResult& result) {
  progress_.rest();
  for (const std::string& warning : result.warnings) progress_.warn(warning);
  if (!result.interrupted) return;
  progress_.stop(stop_reason() == StopReason::time ? "time" : "signal");
}

}  // namespace credo::cli
