// CSV files of draws, ours or CmdStan's, one a chain, as a fit: all in memory.
#pragma once
#include "runs/fit.hpp"

namespace credo::runs {

// Throws Error(io), and Error(data) where the files aren't of one run.
std::unique_ptr<Fit> open_csv_fit(std::span<const std::string> paths);

}  // namespace credo::runs
