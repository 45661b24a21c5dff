#include "cli/run/summarise.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/term/terminal.hpp"
#include "infer/variational/approximation.hpp"
#include "results/arrays/answer_json.hpp"

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

double tuned_of(const infer::RunResult& result, std::string_view name) {
  if (result.chains.empty()) return kNaN;
  const auto& tuned = result.chains.front().tuned;
  const auto found = std::ranges::find(tuned, name, &infer::TunedSetting::name);
  return found == tuned.end() || found->values.empty() ? kNaN : found->values.front();
}

// Bound of an approximation by draws, if it has one, and the evidence by weights.
std::string bound_text(const infer::RunResult& result) {
  const double bound = tuned_of(result, "bound"), error = tuned_of(result, "bound_error");
  if (!std::isfinite(bound) || !std::isfinite(error)) return "";
  std::string text = fmt::format("log evidence at least {:.3f} ± {:.3f}", bound, error);
  if (const double weights = tuned_of(result, "evidence_by_weights"); std::isfinite(weights))
    text += fmt::format("; by the weights {:.3f} ± {:.3f}", weights,
                        tuned_of(result, "evidence_by_weights_error"));
  if (infer::is_approximation(result.sampler) && std::isnan(tuned_of(result, "prior_log_mass")))
    text += " (of the density as it was used: with a power, or a prior that isn't normalised)";
  return text + "\n";
}

// Sites of an approximation, the rounds over them, and the evidence that they give; empty for other results.
std::string sites_text(const infer::RunResult& result) {
  const double num_sites = tuned_of(result, "num_sites"), rounds = tuned_of(result, "num_rounds"),
               evidence = tuned_of(result, "site_log_evidence"),
               score = tuned_of(result, "site_log_score"), bound = tuned_of(result, "bound");
  if (std::isnan(num_sites)) return "";
  std::string text = fmt::format("{:.0f} sites", num_sites);
  if (!std::isnan(rounds)) text += fmt::format(", {:.0f} rounds", rounds);
  if (!std::isnan(evidence)) text += fmt::format("; log evidence about {:.3f} by sites", evidence);
  if (!std::isnan(score))
    text += fmt::format(
        "; log predictive densities add up to {:.3f}, which isn't the log evidence: correlations "
        "are left out",
        score);
  if (!std::isnan(bound)) text += fmt::format("; log evidence >= {:.3f}", bound);
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
  return text + sites_text(result) + evidence_text(result) + bound_text(result) +
         warnings_text(result, notes);
}

namespace {
void add_chains(results::ArrayList& answer, std::span<const infer::ChainResult> chains) {
  using infer::ChainResult;
  answer.add_rows("chains", chains)
      .add_column({.name = "step_size"}, chains, &ChainResult::step_size)
      .add_column({.name = "num_divergent"}, chains, &ChainResult::num_divergent)
      .add_column({.name = "num_max_depth"}, chains, &ChainResult::num_max_depth)
      .add_column({.name = "num_evaluations"}, chains, &ChainResult::num_evaluations);
  const auto tuned = results::elements_within(chains, &ChainResult::tuned);
  answer.add_rows("tuned", tuned, {.shape = results::Shape::named, .of = "chains"})
      .add_column({.name = "name"}, tuned, &infer::TunedSetting::name);
  const auto values = results::elements_within(tuned, &infer::TunedSetting::values);
  answer
      .add_rows("tuned_values", values,
                {.key = results::kWithin, .shape = results::Shape::values, .of = "tuned"})
      .add_column({.name = "value"}, values, std::identity());
  const auto again = results::elements_within(
      chains, [](const ChainResult& chain) { return std::vector{&chain}; });
  answer
      .add_rows("times", again,
                {.key = results::kWithin, .shape = results::Shape::row, .of = "chains"})
      .add_column({.name = "warmup_seconds"}, again, &ChainResult::warmup_seconds)
      .add_column({.name = "sampling_seconds"}, again, &ChainResult::sampling_seconds);
}
}  // namespace

std::string run_json(const Summary* summary, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes, const std::string& verdict,
                     const RunTimes& times) {
  results::ArrayList answer;
  answer.set_all("seconds", times.total(), "seconds_before", times.before, "seconds_chains",
                 times.chains, "seconds_after", times.after, "interrupted", result.interrupted);
  add_chains(answer, result.chains);
  if (const std::optional<infer::LogEvidence> all = infer::log_evidence(result))
    answer.add_group("log_evidence", {}, {.shape = results::Shape::object})
        .add({.name = "value"}, {all->value})
        .add({.name = "error"}, {all->error});
  answer.add_rows("refusals", result.refusals, {.has_lines = false})
      .add_column({.name = "reason"}, result.refusals, &infer::Refusal::reason)
      .add_column({.name = "count"}, result.refusals, &infer::Refusal::count);
  add_list(answer, "warnings", "warning", result.warnings);
  answer.add_rows("notes", notes, {.has_lines = false})
      .add_column({.name = "text"}, notes, &RunStore::Note::text)
      .add_column({.name = "count"}, notes, &RunStore::Note::count);
  std::string text = answer_json(answer);
  text.resize(text.rfind('}'));  // verdict and summary are JSON already
  text += "," + verdict;
  if (summary != nullptr) text += ",\"summary\":" + io::summary_json(*summary);
  return text + "}";
}

}  // namespace credo::cli
