// Summaries of draws, as text and JSON, and what to say about a run.
#pragma once
#include "cli/draw_files.hpp"
#include "io/summary_table.hpp"

namespace credo::cli {

using Summary = std::vector<io::SummaryRow>;

// lp__ first, then the columns. draws: S x C x columns, log_density: S x C x 1.
Summary summarise(std::span<const std::string> columns, const density::Draws& draws,
                  const density::Draws& log_density);
Summary summarise_columns(std::span<const std::string> columns, const density::Draws& draws);
std::string summary_text(const Summary& summary);

// Divergences, tree depths, refusals, notes, times: plain sentences, each with what to do.
std::string run_text(const model::Model& model, const infer::RunResult& result,
                     std::span<const DrawStore::Note> notes, const infer::SampleOptions& options);
std::string run_json(const Summary& summary, const infer::RunResult& result,
                     std::span<const DrawStore::Note> notes);

}  // namespace credo::cli
