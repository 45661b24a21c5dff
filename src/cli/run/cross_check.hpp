// The second run of `credo sample --cross-check`, behind the first. It has a run file of its own beside that of the first, so
// that it resumes where it was stopped or killed, as the first one does.
#pragma once
#include "cli/run/run_arguments.hpp"
#include "results/files/run_store.hpp"

namespace credo::cli {

void describe_cross_check(CrossCheckSpec& cross, Arguments& arguments);
// Replaces "auto" by an algorithm. Throws Error(usage).
void check_cross_check(CrossCheckSpec& cross, const infer::SampleOptions& run);

std::string cross_run_file_of(const std::string& output);  // for instance "fit.nc.cross.run"

// Runs it, if requested, and writes its findings to the fit of the first run. `watch` is called with its store before it begins.
void cross_check(RunArguments& run, const model::Model& model, RunStore& first, Output& output,
                 const std::function<void(RunStore&)>& watch);

}  // namespace credo::cli
