// CSV files of draws, ours or CmdStan's, one a chain, as a fit: all in memory.
#pragma once
#include "results/files/fit.hpp"

namespace credo::results {

// Throws Error(io), and Error(data) where the files aren't of one run.
std::unique_ptr<Fit> open_csv_fit(std::span<const std::string> paths);

}  // namespace credo::results
