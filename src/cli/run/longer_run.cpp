#include "cli/run/longer_run.hpp"

#include <fmt/format.h>

#include "io/lock_file.hpp"
#include "results/files/more_draws.hpp"

namespace credo::cli {

bool ask_who_writes(const std::string& run_file, Index num_draws, Output& output) {
  if (io::holder_of(run_file) == 0) return false;
  ask_for_draws(run_file, num_draws);
  if (io::holder_of(run_file) == 0) {
    forget_asked_draws(run_file);
    return false;
  }
  output.note(
      fmt::format("{} is running: when its chains are done, they continue to {} draws each\n",
                  run_file, num_draws));
  return true;
}

void take_request(RunArguments& run, io::RunFile& file) {
  const std::optional<Index> more = run.conduct.more_draws, asked = asked_draws(file.path());
  if (more || asked) {
    Index& num_draws = run.options.num_draws;
    num_draws = std::max({num_draws, more.value_or(0), asked.value_or(0)});
    extend(file, num_draws);
    forget_asked_draws(file.path());
  }
  if (run.conduct.keeps_run) file.set_facts({{kKeptFact, "true"}});
  run.conduct.keeps_run = file.facts().contains(kKeptFact);
}

void forget_request(const RunArguments& run, Output& output) {
  if (run.out.file.empty()) return;
  try {
    forget_asked_draws(run.run_file());
  } catch (const Error& error) {
    output.note(fmt::format("{}\n", error.what()));
  }
}

namespace {
// A request that can't be read, or met, costs nobody a result.
std::optional<Index> request(const RunArguments& run, const RunStore& store, Output& output) {
  try {
    const std::optional<Index> asked =
        run.out.file.empty() ? std::nullopt : asked_draws(run.run_file());
    if (asked) require_can_extend(store.origin(), *asked);
    return asked;
  } catch (const Error& error) {
    output.note(fmt::format("{}\n", error.what()));
    return std::nullopt;
  }
}
}  // namespace

std::optional<io::RunFile> extended(RunArguments& run, RunStore& store, Output& output) {
  const std::optional<Index> asked = request(run, store, output);
  if (!asked || *asked <= run.options.num_draws || !store.is_kept()) return std::nullopt;
  io::RunFile file = store.take_file();
  extend(file, *asked);
  forget_asked_draws(file.path());
  run.options.num_draws = *asked;
  return file;
}

void end_run_file(const RunArguments& run, RunStore& store, Output& output) {
  const std::optional<Index> asked = request(run, store, output);
  forget_request(run, output);
  const std::string path = run.run_file();
  if (asked && *asked > run.options.num_draws)
    output.note(fmt::format(
        "{} draws for each chain were requested when the run was at its end{}\n", *asked,
        run.conduct.keeps_run ? fmt::format(": credo resume {} --draws {}", path, *asked) : ""));
  if (!run.conduct.keeps_run || !store.is_kept()) return store.remove_file();
  output.note(fmt::format("{} is kept: credo resume {} --draws N\n", path, path));
}

}  // namespace credo::cli
