// More draws than a run was begun for: after its end or a stop by `credo resume --draws`, while it is running
// in another process, through a file beside its run file (results/files/more_draws.hpp).
#include <fmt/format.h>

#include "cli/run/sample_run.hpp"
#include "model/model.hpp"
#include "results/files/more_draws.hpp"

namespace credo::cli {

// True if another process writes the run and received the request. If it ended meanwhile, the run is resumed here.
bool SampleRun::ask_who_writes(const std::string& path, Output& output) const {
  if (io::holder_of(path) == 0) return false;
  ask_for_draws(path, *more_draws);
  if (io::holder_of(path) == 0) {
    forget_asked_draws(path);
    return false;
  }
  output.note(
      fmt::format("{} is running: when its chains are done, they continue to {} draws each\n", path,
                  *more_draws));
  return true;
}

// Takes the request for draws by this command, or an earlier one to a command that was stopped.
void SampleRun::take_request(io::RunFile& file) {
  const std::optional<Index> asked = asked_draws(file.path());
  if (more_draws || asked) {
    options_.num_draws = std::max({options_.num_draws, more_draws.value_or(0), asked.value_or(0)});
    extend(file, options_.num_draws);
    forget_asked_draws(file.path());
  }
  if (keeps_run) file.set_fact(kKeptFact, "true");
  keeps_run = file.facts().contains(kKeptFact);
}

// A request that can't be read, or met, costs nobody a result.
std::optional<Index> SampleRun::request(const RunStore& store, Output& output) const {
  try {
    const std::optional<Index> asked = out.file.empty() ? std::nullopt : asked_draws(run_file());
    if (asked) require_can_extend(store.origin(), *asked);
    return asked;
  } catch (const Error& error) {
    output.note(fmt::format("{}\n", error.what()));
    return std::nullopt;
  }
}

void SampleRun::forget_request(Output& output) const {
  if (out.file.empty()) return;
  try {
    forget_asked_draws(run_file());
  } catch (const Error& error) {
    output.note(fmt::format("{}\n", error.what()));
  }
}

// True if more draws were requested while the chains ran. Then the store is one that continues their file.
bool SampleRun::goes_on(std::unique_ptr<RunStore>& store, const model::Model& model,
                        Output& output) {
  if (ranks != nullptr) return false;  // the other ranks have ended
  const std::optional<Index> asked = request(*store, output);
  if (!asked || *asked <= options_.num_draws || !store->is_kept()) return false;
  io::RunFile file = store->take_file();
  extend(file, *asked);
  forget_asked_draws(file.path());
  options_.num_draws = *asked;
  options_.states = states_of(file);
  done_.clear();
  for (Index c = 0; c < file.num_chains(); ++c) done_.push_back(file.state(c).iteration);
  store = std::make_unique<RunStore>(model, options_, std::move(file));
  watch(*store, output);
  return true;
}

// Called when the result exists. A request for more draws that came too late is reported.
void SampleRun::end_run_file(RunStore& store, Output& output) const {
  const std::optional<Index> asked = request(store, output);
  forget_request(output);
  if (asked && *asked > options_.num_draws)
    output.note(fmt::format(
        "{} draws for each chain were requested when the run was at its end{}\n", *asked,
        keeps_run ? fmt::format(": credo resume {} --draws {}", run_file(), *asked) : ""));
  if (!keeps_run || !store.is_kept()) return store.remove_file();
  output.note(fmt::format("{} is kept: credo resume {} --draws N\n", run_file(), run_file()));
}

}  // namespace credo::cli
