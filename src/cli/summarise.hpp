// Summaries of draws, as text and JSON, and what to say about a run.
#pragma once
#include "cli/run_store.hpp"
#include "io/summary_table.hpp"

namespace credo::cli {

using Summary = std::vector<io::SummaryRow>;

// lp__ first, where it is there, then the program's outputs, of the draws after warm-up.
Summary summarise(const Fit& fit);
// Of these quantities only.
Summary summarise(const Fit& fit, std::span<const Index> quantities);
std::string summary_text(const Summary& summary);

// Divergences, tree depths, refusals, notes, times: plain sentences, each with what to do.
std::string run_text(const model::Model& model, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes, const infer::SampleOptions& options);
std::string run_json(const Summary& summary, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes);

}  // namespace credo::cli
