#include "cli/run/run_report.hpp"

#include <fmt/format.h>

#include "base/kept_memory.hpp"
#include "base/memory.hpp"
#include "cli/fit/level_labels.hpp"
#include "cli/run/fit_verdict.hpp"
#include "cli/run/mode_report.hpp"
#include "infer/core/recorder.hpp"
#include "model/model.hpp"
#include "verdict/report.hpp"

namespace credo::cli {

RunTimes RunClock::times() const {
  return {.before = chains_begun - begun,
          .chains = chains_ended - chains_begun,
          .after = infer::clock_seconds() - chains_ended};
}

std::string result_files(const OutputSpec& out) {
  return is_netcdf(out) ? out.file : out.file + "_*.csv";
}

namespace {
constexpr MemoryUse kSummary{"the summary", "--drop leaves outputs out"};

// Notes that verdict and summary of many draws take seconds or minutes, because no other output appears meanwhile.
void note_last_work(const OutputSpec& out, const RunStore& store, Output& output) {
  constexpr Index kLong = 10'000'000;  // values: a few seconds of one processor
  const Index draws = store.num_draws(false) * store.num_chains(), outputs = store.layout().size();
  if (out.quiet || draws * outputs < kLong) return;
  output.note(fmt::format("working out the verdict and the summary of {} draws of {} outputs{}\n",
                          draws, outputs, out.file.empty() ? "" : " while the result is written"));
}

int report_modes(const RunEnd& end, const model::Model& model, bool json, Output& output) {
  const OutputSpec& out = end.out;
  const RunStore& store = end.store;
  if (end.await_files) end.await_files();
  const RunTimes spent = end.clock.times();
  output.print(json        ? modes_json(store, out.quiet ? nullptr : &model, &spent)
               : out.quiet ? modes_line(store)
                           : modes_text(store, &model, end.row_names));
  return out.strict ? strict_status(modes_of(store)) : 0;
}

// The named rows in their order; levels that stand behind a name are left out.
void take_rows(Summary& summary, std::span<const std::pair<std::string, std::string>> names) {
  Summary taken;
  for (const auto& [element, name] : names)
    for (io::SummaryRow& row : summary) {
      if (row.name != element && !row.name.starts_with(element + " ")) continue;
      taken.push_back(std::move(row));
      taken.back().name = name;
      break;
    }
  summary = std::move(taken);
}

// Place of the table's remaining rows: the result, or none yet.
TableUse table_use(const OutputSpec& out, const std::string& below) {
  const auto lines = std::count(below.begin(), below.end(), '\n');
  return {
      .lines_below = static_cast<int>(lines),
      .to_see_all = out.file.empty()
                        ? "with -o fit.nc the draws are kept: credo summary fit.nc | less"
                        : fmt::format("all of them: credo summary {} | less", result_files(out))};
}

}  // namespace

Summary summary_of(const RunEnd& end) { return end.out.quiet ? Summary() : summarise(end.store); }

int report_draws(const RunEnd& end, Summary summary, const verdict::Verdict& judged, bool json,
                 Output& output) {
  const OutputSpec& out = end.out;
  const RunStore& store = end.store;
  if (end.await_files) end.await_files();
  const int status = out.strict ? strict_status(judged) : 0;
  const infer::RunResult& result = store.result();
  if (out.quiet && !json) {
    output.print(warnings_text(result, store.notes()) + verdict_text(judged));
    return status;
  }
  if (json) {
    output.print(run_json(out.quiet ? nullptr : &summary, result, store.notes(),
                          verdict::json_members(judged), end.clock.times()) +
                 "\n");
    return status;
  }
  if (end.row_names.empty())
    label_levels(summary, store);
  else
    take_rows(summary, end.row_names);
  const std::string below =
      run_text(result, store.notes(), end.clock.times()) + verdict_text(judged);
  output.print(summary_text(summary, table_use(out, below)) + below);
  return status;
}

int report_own_run(const RunEnd& end, const density::Model& model, bool json, Output& output) {
  const MemoryScope memory(kSummary);
  note_last_work(end.out, end.store, output);
  const bool is_evaluated = model.has_gradient() && !end.store.result().interrupted;
  const verdict::Verdict judged = results::judge_fit(
      end.store, {.model = is_evaluated ? &model : nullptr, .program = model.program_facts()});
  return report_draws(end, summary_of(end), judged, json, output);
}

int report_run(const RunEnd& end, const model::Model& model, bool json, Output& output) {
  const MemoryScope memory(kSummary);
  if (holds_modes(end.store)) return report_modes(end, model, json, output);
  note_last_work(end.out, end.store, output);
  // Someone who stopped a run isn't made to wait for more evaluations.
  const bool is_judged_alone = end.store.result().interrupted || end.no_check;
  keep_freed_memory();
  Summary summary = summary_of(end);
  const auto known = [&](Index k) -> std::optional<diagnose::Convergence> {
    if (summary.empty()) return std::nullopt;
    const Index place =
        ssize(summary) - end.store.layout().size() + k;  // lp__ is before the outputs
    const io::SummaryRow& row = summary[static_cast<std::size_t>(place)];
    return diagnose::Convergence{row.r_hat, row.ess_bulk, row.ess_tail};
  };
  const verdict::Verdict judged =
      verdict_of(end.store, is_judged_alone ? nullptr : &model, nullptr, known);
  if (end.judged != nullptr) *end.judged = judged.word;
  return report_draws(end, std::move(summary), judged, json, output);
}

}  // namespace credo::cli
