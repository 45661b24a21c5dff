// A summary as text for this terminal, and what to say about a run.
#pragma once
#include "cli/command.hpp"
#include "cli/runs.hpp"
#include "runs/run_store.hpp"
#include "runs/summary.hpp"

namespace credo::cli {

std::string summary_text(const Summary& summary);

// What the fit's files leave open, on standard error.
void tell_doubts(const Fit& fit, Output& output);

// How many draws, evidence, warnings, notes, times.
std::string run_text(const infer::RunResult& result, std::span<const RunStore::Note> notes);
// `verdict`: members of the object (cli/fit_verdict.hpp).
std::string run_json(const Summary& summary, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes, const std::string& verdict);

}  // namespace credo::cli
