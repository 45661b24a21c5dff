#include "cli/run/mode_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/term/terminal.hpp"
#include "density/model.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {

// An output at the best mode.
struct ModeValue {
  std::string name;
  double value = kNaN, sd = kNaN;
};

std::vector<ModeValue> values_of(const Fit& fit, const Modes& modes, const density::Model* model) {
  const density::Draws draws = fit.read({.first = first_output(fit),
                                         .count = fit.layout().size(),
                                         .first_chain = static_cast<Index>(modes.best),
                                         .num_chains = 1});
  const std::vector<double> sds =
      model == nullptr ? std::vector<double>() : mode_sds(fit, modes, *model);
  std::vector<ModeValue> values;
  for (Index k = 0; k < fit.layout().size(); ++k) {
    values.push_back({.name = fit.layout().element_name(k), .value = draws(0, 0, k)});
    const auto place = model == nullptr ? std::nullopt : model->outputs().find(values.back().name);
    if (place) values.back().sd = sds[static_cast<std::size_t>(*place)];
  }
  return values;
}

std::string number_or_dash(double value) {
  return std::isnan(value) ? std::string("-") : fmt::format("{:.6g}", value);
}

std::string table_of_starts(const Modes& modes) {
  std::string text = fmt::format("{:>5} {:>14} {:>10} {:>6} {:>6}  {}\n", "start", "log density",
                                 "gradient", "iter.", "eval.", "end");
  for (std::size_t c = 0; c < modes.starts.size(); ++c) {
    const ModeStart& start = modes.starts[c];
    text += fmt::format("{:>5} {:>14} {:>10} {:>6} {:>6}  {}{}\n", c + 1,
                        number_or_dash(start.log_density), fmt::format("{:.2g}", start.gradient),
                        start.num_iterations,
                        start.num_evaluations > 0 ? fmt::format("{}", start.num_evaluations) : "-",
                        infer::has_converged(start.end) ? "converged: " : "not converged: ",
                        infer::words_of(start.end));
  }
  return text;
}

std::string agreement(const Modes& modes) {
  const auto agree = std::count_if(modes.starts.begin(), modes.starts.end(),
                                   [](const ModeStart& start) { return start.agrees; });
  const std::size_t all = modes.starts.size();
  if (agree == 0) return "No start has converged.";
  if (all == 1) return "One start was made, so other modes can't be seen.";
  return fmt::format("{} of {} starts end at the highest log density that was found (start {}).",
                     agree, all, modes.best + 1);
}

std::string paragraph(const std::string& text) {
  return text.empty() ? text : wrapped(text, text_width(STDOUT_FILENO)) + "\n";
}

std::string table_of_values(std::span<const ModeValue> values) {
  std::size_t width = 4;
  for (const ModeValue& value : values) width = std::max(width, value.name.size());
  std::string text = fmt::format("{:>{}} {:>13} {:>13}\n", "name", width, "mode", "sd");
  for (const ModeValue& value : values)
    text += fmt::format("{:>{}} {:>13} {:>13}\n", value.name, width, number_or_dash(value.value),
                        number_or_dash(value.sd));
  return text;
}

void take_rows(std::vector<ModeValue>& values,
               std::span<const std::pair<std::string, std::string>> names) {
  std::vector<ModeValue> taken;
  for (const auto& [element, name] : names) {
    const auto found = std::ranges::find(values, element, &ModeValue::name);
    if (found == values.end()) continue;
    taken.push_back(*found);
    taken.back().name = name;
  }
  values = std::move(taken);
}

void add_starts(results::ArrayList& list, const std::vector<ModeStart>& starts) {
  auto add = list.add_rows("starts", starts).columns(starts);
  add("log_density", &ModeStart::log_density);
  add("converged", [](const ModeStart& s) { return infer::has_converged(s.end); });
  add("end", [](const ModeStart& s) { return std::string(infer::words_of(s.end)); });
  add("agrees", &ModeStart::agrees), add("gradient", &ModeStart::gradient);
  add("gain", &ModeStart::gain), add("num_iterations", &ModeStart::num_iterations);
  add("num_evaluations", &ModeStart::num_evaluations);
}

void add_values(results::ArrayList& list, const std::vector<ModeValue>& values) {
  auto add = list.add_rows("mode", values).columns(values);
  add("name", &ModeValue::name), add("value", &ModeValue::value), add("sd", &ModeValue::sd);
}
}  // namespace

std::string modes_text(const Fit& fit, const density::Model* model,
                       std::span<const std::pair<std::string, std::string>> row_names) {
  const Modes modes = modes_of(fit);
  std::vector<ModeValue> values = values_of(fit, modes, model);
  if (!row_names.empty()) take_rows(values, row_names);
  return table_of_starts(modes) + "\n" + paragraph(agreement(modes)) + paragraph(modes.kinks) +
         paragraph(modes.limits) + "\n" + table_of_values(values) +
         warnings_text(fit.result(), fit.notes());
}

std::string modes_line(const Fit& fit) {
  const Modes modes = modes_of(fit);
  return warnings_text(fit.result(), fit.notes()) + paragraph(agreement(modes)) +
         paragraph(modes.limits);
}

std::string modes_json(const Fit& fit, const density::Model* model, const RunTimes* times) {
  const Modes modes = modes_of(fit);
  const std::vector<FitNote> notes = fit.notes();
  results::ArrayList list;
  list.set("method", fit.origin().sampler);
  if (times != nullptr) list.set("seconds", times->total());
  list.set("sound", modes.is_sound);
  list.set("best", static_cast<Index>(modes.best) + 1);
  list.set("limits", modes.limits);
  if (!modes.kinks.empty()) list.set("kinks", modes.kinks);
  add_starts(list, modes.starts);
  add_values(list, values_of(fit, modes, model));
  list.add_rows("notes", notes)
      .add_column({.name = "text"}, notes, &FitNote::text)
      .add_column({.name = "count"}, notes, &FitNote::count);
  return answer_json(list);
}

int strict_status(const Modes& modes) {
  return modes.is_sound ? 0 : static_cast<int>(ErrorCode::verdict);
}

}  // namespace credo::cli
