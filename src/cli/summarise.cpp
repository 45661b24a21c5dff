#include "cli/summarise.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/stop.hpp"
#include "diagnose/summary.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {

io::SummaryRow row_of(const std::string& name, const density::Draws& draws, Index quantity) {
  const diagnose::Summary s = diagnose::summarise(
      diagnose::Chains(draws.quantity(quantity), draws.num_draws(), draws.num_chains()));
  return {.name = name,
          .mean = s.mean,
          .sd = s.sd,
          .mcse_mean = s.mcse_mean,
          .q5 = s.q5,
          .q50 = s.median,
          .q95 = s.q95,
          .ess_bulk = s.ess_bulk,
          .ess_tail = s.ess_tail,
          .r_hat = s.r_hat,
          .mcse_sd = s.mcse_sd,
          .mcse_q5 = s.mcse_q5,
          .mcse_q50 = s.mcse_median,
          .mcse_q95 = s.mcse_q95};
}

void write_tuned(io::JsonWriter& writer, const infer::ChainResult& chain) {
  writer.key("tuned").begin_object();
  for (const infer::TunedSetting& setting : chain.tuned) {
    writer.key(setting.name).begin_array();
    for (const double value : setting.values) writer.number(value);
    writer.end_array();
  }
  writer.end_object();
}

const infer::TunedSetting* find_tuned(const infer::ChainResult& chain, std::string_view name) {
  const auto found =
      std::find_if(chain.tuned.begin(), chain.tuned.end(),
                   [&](const infer::TunedSetting& setting) { return setting.name == name; });
  return found == chain.tuned.end() || found->values.empty() ? nullptr : &*found;
}

// Of samplers that estimate it, chain by chain.
std::string evidence_text(const infer::RunResult& result) {
  std::string text;
  for (const infer::ChainResult& chain : result.chains) {
    const infer::TunedSetting *value = find_tuned(chain, "log_evidence"),
                              *error = find_tuned(chain, "log_evidence_error");
    if (value && error && !std::isnan(value->values[0]))
      text += fmt::format("{}{:.3f} ± {:.3f}", text.empty() ? "log evidence by chain: " : ", ",
                          value->values[0], error->values[0]);
  }
  return text.empty() ? text : text + "\n";
}

int terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}
}  // namespace

Summary summarise(const Fit& fit) {
  Summary summary;
  if (const auto lp = find_quantity(fit, "lp__")) summary = summarise(fit, std::span(&*lp, 1));
  for_each_batch(fit, {.first = first_output(fit), .count = ssize(fit.outputs())},
                 [&](Index first, const density::Draws& draws) {
                   stop_if_asked();
                   for (Index k = 0; k < draws.num_quantities(); ++k)
                     summary.push_back(row_of(quantity_name(fit, first + k), draws, k));
                 });
  return summary;
}

Summary summarise(const Fit& fit, std::span<const Index> quantities) {
  Summary summary;
  for (const Index quantity : quantities)
    summary.push_back(row_of(quantity_name(fit, quantity), fit.quantities(false, quantity, 1), 0));
  return summary;
}

std::string summary_text(const Summary& summary) {
  return io::summary_table(summary, terminal_width());
}

std::string run_text(const infer::RunResult& result, std::span<const RunStore::Note> notes) {
  Index kept = 0;
  for (const infer::ChainResult& chain : result.chains) kept += chain.num_kept;
  std::string text = fmt::format("\n{} draws of {} chains in {:.2f} s\n", kept,
                                 result.chains.size(), result.seconds);
  if (result.interrupted) text += "interrupted: the draws so far are summarised\n";
  text += evidence_text(result);
  for (const std::string& warning : result.warnings) text += warning + "\n";
  for (const RunStore::Note& note : notes) {
    text += fmt::format("{} draws have missing generated quantities: {}\n", note.count, note.text);
  }
  return text;
}

std::string run_json(const Summary& summary, const infer::RunResult& result,
                     std::span<const RunStore::Note> notes, const std::string& verdict) {
  io::JsonWriter writer;
  writer.begin_object()
      .key("seconds")
      .number(result.seconds)
      .key("interrupted")
      .boolean(result.interrupted);
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
  writer.end_array().key("refusals").begin_array();
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
  writer.end_array().key("notes").begin_array();
  for (const RunStore::Note& note : notes) {
    writer.begin_object()
        .key("text")
        .string(note.text)
        .key("count")
        .integer(note.count)
        .end_object();
  }
  writer.end_array().end_object();
  std::string text = writer.text();
  text.pop_back();  // the summary is JSON already
  return text + "," + verdict + ",\"summary\":" + io::summary_json(summary) + "}";
}

}  // namespace credo::cli
