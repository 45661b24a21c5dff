#include "cli/run/run_report.hpp"

#include <fmt/format.h>

#include "base/memory.hpp"
#include "cli/fit/level_labels.hpp"
#include "cli/run/fit_verdict.hpp"
#include "cli/run/mode_report.hpp"
#include "infer/core/recorder.hpp"
#include "model/model.hpp"

namespace credo::cli {

RunTimes RunClock::times() const {
  return {.before = chains_begun - begun,
          .chains = chains_ended - chains_begun,
          .after = infer::clock_seconds() - chains_ended};
}

std::string result_files(const RunArguments& run) {
  return run.is_netcdf() ? run.out.file : run.out.file + "_*.csv";
}

namespace {
constexpr MemoryUse kSummary{"the summary", "--drop leaves outputs out"};

// Notes that verdict and summary of many draws take seconds or minutes, because no other output appears meanwhile.
void tell_last_work(const RunArguments& run, const RunStore& store, Output& output) {
  constexpr Index kLong = 10'000'000;  // values: a few seconds of one processor
  const Index draws = store.num_draws(false) * store.num_chains(), outputs = store.layout().size();
  if (run.out.quiet || draws * outputs < kLong) return;
  output.note(fmt::format(
      "working out the verdict and the summary of {} draws of {} outputs{}\n", draws, outputs,
      run.out.file.empty() ? "" : "; the result is written, Ctrl-C leaves the rest"));
}

int report_modes(const RunEnd& end, bool json, Output& output) {
  const auto& [run, model, store, clock] = end;
  const RunTimes spent = clock.times();
  output.print(json            ? modes_json(store, run.out.quiet ? nullptr : &model, &spent) + "\n"
               : run.out.quiet ? modes_line(store)
                               : modes_text(store, &model));
  return run.out.strict ? strict_status(modes_of(store)) : 0;
}

// Place of the table's remaining rows: the result, or none yet.
TableUse table_use(const RunArguments& run, const std::string& below) {
  const auto lines = std::count(below.begin(), below.end(), '\n');
  return {
      .lines_below = static_cast<int>(lines),
      .to_see_all = run.out.file.empty()
                        ? "with -o fit.nc the draws are kept: credo summary fit.nc | less"
                        : fmt::format("all of them: credo summary {} | less", result_files(run))};
}

}  // namespace

int report_run(const RunEnd& end, bool json, Output& output) {
  const auto& [run, model, store, clock] = end;
  const MemoryScope memory(kSummary);
  if (run.climbs()) return report_modes(end, json, output);
  tell_last_work(run, store, output);
  // Someone who stopped a run isn't made to wait for more evaluations.
  const verdict::Verdict judged = verdict_of(store, store.result().interrupted ? nullptr : &model);
  const int status = run.out.strict ? strict_status(judged) : 0;
  const infer::RunResult& result = store.result();
  if (run.out.quiet && !json) {
    output.print(warnings_text(result, store.notes()) + verdict_text(judged));
    return status;
  }
  Summary summary = run.out.quiet ? Summary() : summarise(store);
  if (json) {
    output.print(run_json(run.out.quiet ? nullptr : &summary, result, store.notes(),
                          verdict_json(judged), clock.times()) +
                 "\n");
    return status;
  }
  label_levels(summary, store);
  const std::string below = run_text(result, store.notes(), clock.times()) + verdict_text(judged);
  output.print(summary_text(summary, table_use(run, below)) + below);
  return status;
}

}  // namespace credo::cli
