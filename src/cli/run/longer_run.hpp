// More draws than a run was begun for: after its end or a stop by `credo resume --draws`, while it is running
// in another process, through a file beside its run file (results/files/more_draws.hpp).
#pragma once
#include "cli/run/run_arguments.hpp"
#include "results/files/run_store.hpp"

namespace credo::cli {

inline constexpr const char* kKeptFact = "kept";  // the run file stays when its run is done

// True if another process writes the run and received the request. If it ended meanwhile, the run is resumed here.
bool ask_who_writes(const std::string& run_file, Index num_draws, Output& output);
// Takes the request for draws by this command, or an earlier one to a command that was stopped.
void take_request(RunArguments& run, io::RunFile& file);
void forget_request(const RunArguments& run, Output& output);
// The store's file, extended, if more draws were requested while the chains ran; the store is empty then.
std::optional<io::RunFile> extended(RunArguments& run, RunStore& store, Output& output);
// Called when the result exists. A request for more draws that came too late is reported.
void end_run_file(const RunArguments& run, RunStore& store, Output& output);

}  // namespace credo::cli
