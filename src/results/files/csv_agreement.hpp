// Checks by headers, rows and draws that CSV files are whole, and the chains of one run.
#pragma once
#include "io/stan_csv.hpp"

namespace credo::results {

// Throws Error(usage) where two paths lead to one file.
void require_different_files(std::span<const std::string> paths);

// The rows of warm-up of a file that doesn't mark their end, as those of samplers that adapt no
// step size: by the numbers in its header.
void settle_warmup(io::StanCsv& file);

// Remarks on the files: facts that they leave open, and settings that may differ on purpose.
// Throws Error(data) for a file that isn't whole, files that aren't of one run, and two with the
// same draws.
std::vector<std::string> judge_csv_files(std::span<const io::StanCsv> files,
                                         std::span<const std::string> paths);

}  // namespace credo::results
