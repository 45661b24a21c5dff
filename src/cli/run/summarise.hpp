// A summary as text for this terminal, and what to say about a run.
#pragma once
#include "cli/command.hpp"
#include "cli/results.hpp"
#include "results/draws/summary.hpp"
#include "results/files/run_store.hpp"

namespace credo::cli {

// The table. On a terminal as many rows as fit, the first ones, which are the parameters; then how
// to see the others. In a pipe or a file all rows.
struct TableUse {
  int lines_below = 0;          // lines printed behind the table, as far as known
  std::string to_see_all = {};  // a sentence
};
std::string summary_text(const Summary& summary, const TableUse& use = {});
// Summary for a terminal of this size; height 0: no limit.
std::string summary_text(const Summary& summary, const TableUse& use, int width, int height);

// Prints doubts about the fit's files as warnings on standard error.
void note_doubts(const Fit& fit, Output& output);

// Seconds of a command's run: in all, until its chains began, of the chains, of what came then.
struct RunTimes {
  double before = 0.0, chains = 0.0, after = 0.0;
  double total() const { return before + chains + after; }
};

// How many draws, times, evidence, warnings, notes.
std::string run_text(const infer::RunResult& result, std::span<const RunStore::Note> notes,
                     const RunTimes& times = {});
std::string warnings_text(const infer::RunResult& result, std::span<const RunStore::Note> notes);
// `verdict`: members of the object (cli/run/fit_verdict.hpp). `summary`: null: without one.
std::string run_json(const Summary* summary, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes, const std::string& verdict,
                     const RunTimes& times = {});

}  // namespace credo::cli
