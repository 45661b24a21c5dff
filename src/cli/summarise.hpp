// Summaries of draws, as text and JSON, and what to say about a run.
#pragma once
#include "cli/run_store.hpp"
#include "io/summary_table.hpp"

namespace credo::cli {

using Summary = std::vector<io::SummaryRow>;

// lp__ first, then the program's outputs, `names`, of the draws after warm-up.
Summary summarise(std::span<const std::string> names, const RunStore& store);
Summary summarise_columns(std::span<const std::string> columns, const density::Draws& draws);
std::string summary_text(const Summary& summary);

// Divergences, tree depths, refusals, notes, times: plain sentences, each with what to do.
std::string run_text(const model::Model& model, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes, const infer::SampleOptions& options);
std::string run_json(const Summary& summary, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes);

}  // namespace credo::cli
