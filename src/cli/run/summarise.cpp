#include "cli/run/summarise.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/term/terminal.hpp"
#include "infer/variational/approximation.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {

// Log evidence, if the sampler estimates it: for all chains together, and chain by chain.
std::string evidence_text(const infer::RunResult& result) {
  const std::optional<infer::LogEvidence> all = infer::log_evidence(result);
  if (!all) return "";
  std::string text = fmt::format("log evidence {:.3f} ± {:.3f}", all->value, all->error);
  const char* before = "; by chain: ";
  for (const infer::ChainResult& chain : result.chains) {
    const infer::LogEvidence one = *infer::log_evidence(chain);
    text += fmt::format("{}{:.3f} ± {:.3f}", before, one.value, one.error);
    before = ", ";
  }
  return text + "\n";
}

constexpr Index kLeastRows = 10;  // fewer would hide what a small terminal can scroll to
constexpr int kHeadAndNotes = 3;  // the head, the hidden columns, the hidden rows

// 0, 0: not a terminal.
winsize terminal_size() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return size;
}
}  // namespace

void note_doubts(const Fit& fit, Output& output) {
  for (const std::string& doubt : fit.origin().doubts)
    output.note(wrapped("warning: " + visible(doubt), text_width(STDERR_FILENO), {0, 2}) + "\n");
}

std::string summary_text(const Summary& summary, const TableUse& use) {
  const winsize size = terminal_size();
  return summary_text(summary, use, size.ws_col, size.ws_row);
}

std::string summary_text(const Summary& summary, const TableUse& use, int width, int height) {
  const Index room = std::max<Index>(height - kHeadAndNotes - use.lines_below, kLeastRows);
  if (height == 0 || ssize(summary) <= room) return io::summary_table(summary, width);
  const auto shown = std::span(summary).first(static_cast<std::size_t>(room));
  return io::summary_table(shown, width) +
         fmt::format("({} of {} rows; {})\n", room, summary.size(), use.to_see_all);
}

std::string warnings_text(const infer::RunResult& result, std::span<const RunStore::Note> notes) {
  std::string text;
  if (result.interrupted) text += "interrupted: these are the draws so far\n";
  for (const std::string& warning : result.warnings) text += warning + "\n";
  for (const RunStore::Note& note : notes) {
    text += fmt::format("{} draws have missing generated quantities: {}\n", note.count, note.text);
  }
  return text;
}

std::string run_text(const infer::RunResult& result, std::span<const RunStore::Note> notes,
                     const RunTimes& times) {
  Index kept = 0;
  for (const infer::ChainResult& chain : result.chains) kept += chain.num_kept;
  const std::string text =
      infer::is_approximation(result.sampler)
          ? fmt::format(
                "\n{} weighted draws in {:.2f} s: {:.2f} s until the fit began, {:.2f} s fit and "
                "draws, {:.2f} s the rest\n",
                kept, times.total(), times.before, times.chains, times.after)
          : fmt::format(
                "\n{} draws of {} chains in {:.2f} s: {:.2f} s until the chains began, "
                "{:.2f} s the chains, {:.2f} s the rest\n",
                kept, result.chains.size(), times.total(), times.before, times.chains, times.after);
  return text + evidence_text(result) + warnings_text(result, notes);
}

std::string run_json(const Summary* summary, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes, const std::string& verdict,
                     const RunTimes& times) {
  io::JsonWriter writer;
  writer.begin_object().members("seconds", times.total(), "seconds_before", times.before,
                                "seconds_chains", times.chains, "seconds_after", times.after,
                                "interrupted", result.interrupted);
  writer.key("chains").lines(result.chains, [&](const infer::ChainResult& chain) {
    writer.begin_object().members("step_size", chain.step_size, "num_divergent",
                                  chain.num_divergent, "num_max_depth", chain.num_max_depth,
                                  "num_evaluations", chain.num_evaluations);
    writer.key("tuned").begin_object();
    for (const infer::TunedSetting& setting : chain.tuned)
      writer.members(setting.name, setting.values);
    writer.end_object().members("warmup_seconds", chain.warmup_seconds, "sampling_seconds",
                                chain.sampling_seconds);
    writer.end_object();
  });
  if (const std::optional<infer::LogEvidence> all = infer::log_evidence(result))
    writer.key("log_evidence").object("value", all->value, "error", all->error);
  writer.key("refusals").array(result.refusals, [&](const infer::Refusal& refusal) {
    writer.object("reason", refusal.reason, "count", refusal.count);
  });
  writer.members("warnings", result.warnings).key("notes");
  write_notes(writer, notes);
  writer.end_object();
  std::string text = writer.text();
  text.pop_back();  // the summary is JSON already
  text += "," + verdict;
  if (summary != nullptr) text += ",\"summary\":" + io::summary_json(*summary);
  return text + "}";
}

}  // namespace credo::cli
