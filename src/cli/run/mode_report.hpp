// Modes as commands print them: start by start how the climb ended, then the best mode.
#pragma once
#include "cli/run/summarise.hpp"
#include "results/files/modes.hpp"

namespace credo::cli {

// `model`: for standard deviations; null: without them. Lines are as wide as standard output allows.
// `row_names`: rows of the table in order, by the output's name, with the one that is printed; empty: all.
std::string modes_text(const Fit& fit, const density::Model* model,
                       std::span<const std::pair<std::string, std::string>> row_names = {});
// Line with --quiet: the fault of the best mode, or that it was found.
std::string modes_line(const Fit& fit);
// One object. `times`: those of the run; null if a file is read.
std::string modes_json(const Fit& fit, const density::Model* model,
                       const RunTimes* times = nullptr);
// The exit status with --strict: 8 where no sound mode was found.
int strict_status(const Modes& modes);

}  // namespace credo::cli
