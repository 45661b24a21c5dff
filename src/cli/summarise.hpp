// Summaries of draws, as text and JSON, and what to say about a run.
#pragma once
#include "cli/runs.hpp"
#include "io/summary_table.hpp"
#include "runs/run_store.hpp"

namespace credo::cli {

using Summary = std::vector<io::SummaryRow>;

// lp__ first, where it is there, then the program's outputs, of the draws after warm-up.
Summary summarise(const Fit& fit);
// Of these quantities only.
Summary summarise(const Fit& fit, std::span<const Index> quantities);
std::string summary_text(const Summary& summary);

// How many draws, evidence, warnings, notes, times.
std::string run_text(const infer::RunResult& result, std::span<const RunStore::Note> notes);
// `verdict`: members of the object (cli/fit_verdict.hpp).
std::string run_json(const Summary& summary, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes, const std::string& verdict);

}  // namespace credo::cli
