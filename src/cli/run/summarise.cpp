#include "cli/run/summarise.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/term/terminal.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {

void write_tuned(io::JsonWriter& writer, const infer::ChainResult& chain) {
  writer.key("tuned").begin_object();
  for (const infer::TunedSetting& setting : chain.tuned) {
    writer.key(setting.name).begin_array();
    for (const double value : setting.values) writer.number(value);
    writer.end_array();
  }
  writer.end_object();
}

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

void tell_doubts(const Fit& fit, Output& output) {
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
  const std::string text = fmt::format(
      "\n{} draws of {} chains in {:.2f} s: {:.2f} s until the chains began, {:.2f} s the chains, "
      "{:.2f} s the rest\n",
      kept, result.chains.size(), times.total(), times.before, times.chains, times.after);
  return text + evidence_text(result) + warnings_text(result, notes);
}

std::string run_json(const Summary* summary, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes, const std::string& verdict,
                     const RunTimes& times) {
  io::JsonWriter writer;
  writer.begin_object().key("seconds").number(times.total());
  writer.key("seconds_before").number(times.before);
  writer.key("seconds_chains").number(times.chains);
  writer.key("seconds_after").number(times.after);
  writer.key("interrupted").boolean(result.interrupted);
  writer.key("chains").begin_array();
  for (const infer::ChainResult& chain : result.chains) {
    writer.line_break().begin_object().key("step_size").number(chain.step_size);
    writer.key("num_divergent")
        .integer(chain.num_divergent)
        .key("num_max_depth")
        .integer(chain.num_max_depth);
    writer.key("num_evaluations").integer(chain.num_evaluations);
    write_tuned(writer, chain);
    writer.key("warmup_seconds").number(chain.warmup_seconds);
    writer.key("sampling_seconds").number(chain.sampling_seconds).end_object();
  }
  writer.end_array();
  if (const std::optional<infer::LogEvidence> all = infer::log_evidence(result))
    writer.key("log_evidence")
        .begin_object()
        .key("value")
        .number(all->value)
        .key("error")
        .number(all->error)
        .end_object();
  writer.key("refusals").begin_array();
  for (const infer::Refusal& refusal : result.refusals) {
    writer.begin_object()
        .key("reason")
        .string(refusal.reason)
        .key("count")
        .integer(refusal.count)
        .end_object();
  }
  writer.end_array().key("warnings").begin_array();
  for (const std::string& warning : result.warnings) writer.string(warning);
  writer.end_array().key("notes");
  write_notes(writer, notes);
  writer.end_object();
  std::string text = writer.text();
  text.pop_back();  // the summary is JSON already
  text += "," + verdict;
  if (summary != nullptr) text += ",\"summary\":" + io::summary_json(*summary);
  return text + "}";
}

}  // namespace credo::cli
