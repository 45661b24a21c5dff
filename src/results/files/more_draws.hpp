// More draws for a run that was begun. Those it has stay, and those that follow are the ones that a run
// started with this number of draws would have had. A run that hasn't ended is extended by a file
// beside its run file, OUTPUT.run.extend, that holds the number: it looks there when its chains are done.
#pragma once
#include "io/run_file.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// `num_draws`: transitions of each chain after warm-up, those it has included. Throws Error(usage) where
// the requested number was larger than that, or the sampler's draws depend on how many there are in all.
void require_can_extend(const FitOrigin& origin, Index num_draws);
// The run of this file has so many from now on. Throws as above, and Error(io).
void extend(io::RunFile& file, Index num_draws);

std::string extend_file_of(const std::string& run_file);
void ask_for_draws(const std::string& run_file, Index num_draws);  // throws Error(io)
// Empty if no file asks for draws. Throws Error(io) if the file doesn't hold such a number.
std::optional<Index> asked_draws(const std::string& run_file);
void forget_asked_draws(const std::string& run_file);  // throws Error(io)

}  // namespace credo::results
