// credo ready: draws from a ready-made model, which has a sampler of its own.
#include <fmt/format.h>

#include "cli/fit/ready_fit.hpp"
#include "cli/options/field_options.hpp"
#include "cli/results.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/runner.hpp"
#include "cli/term/stop.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/files/facts.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::cli {
namespace {
using models::ReadyRow;

std::vector<std::string> ready_names() {
  std::vector<std::string> names;
  for (const ReadyRow& row : models::ready_table()) names.emplace_back(row.name);
  return names;
}

std::string fields_text(const ReadyRow& row) {
  std::string text = fmt::format("{}: {}\n\nFields of --data and --set\n", row.name, row.summary);
  for (const infer::FieldValue& field : infer::fields_of(row.fields())) {
    const bool is_required = std::ranges::find(row.required, field.name) != row.required.end();
    const std::string range = range_text(field.spec.range);
    text += fmt::format("  {:<24} {}{}{}\n", field.name, field.spec.help,
                        range.empty() ? "" : "; " + range,
                        is_required           ? "; needed"
                        : field.value.empty() ? ""
                                              : "; default " + field.value);
  }
  return text + fmt::format("\ncredo ready --model {} --data FILE.json -o fit.nc\n", row.name);
}

std::string ready_table_text() {
  std::string text;
  for (const ReadyRow& row : models::ready_table())
    text += fmt::format("{:<18} {}\n", row.name, row.summary);
  return text + "\nthe fields of one: credo ready --model NAME\n";
}

std::string rows_json(std::span<const ReadyRow> rows) {
  const auto fields = results::elements_within(rows, [](const ReadyRow& row) {
    std::vector<std::pair<infer::FieldValue, bool>> all;
    for (infer::FieldValue& field : infer::fields_of(row.fields()))
      all.emplace_back(field, std::ranges::find(row.required, field.name) != row.required.end());
    return all;
  });
  using Field = std::pair<infer::FieldValue, bool>;
  results::ArrayList answer;
  auto add = answer.add_rows("models", rows).columns(rows);
  add("name", &ReadyRow::name), add("about", &ReadyRow::summary);
  auto add_field = answer.add_rows("fields", fields, {.of = "models"}).columns(fields);
  add_field("name", [](const Field& field) { return field.first.name; });
  add_field("about", [](const Field& field) { return field.first.spec.help; });
  add_field("default", [](const Field& field) { return field.first.value; });
  add_field("needed", &Field::second);
  return results::rows_json(answer);
}

// ---- the command

class ReadyCommand final : public Command {
 public:
  void describe(Arguments& a) override {
    a.group("Model");
    a.option("--model", name_, "the ready-made model; without it all are listed",
             one_of(ready_names()));
    a.option("--data", data_,
             "its data and settings: a JSON object with fields, or a table whose columns are named "
             "as fields; without data the fields are listed",
             any_file());
    a.option("--set", set_,
             "a field as NAME=VALUE, in the place of what the data file has; may be repeated");
    a.group("Run");
    for (const char* name :
         {"num_chains", "num_warmup", "num_draws", "thin", "save_warmup", "seed", "num_threads"})
      field_option(a, run_.options, name);
    a.option("--max-time", run_.conduct.max_time,
             "stop after so long: seconds, or as 90s, 15m, 2h; credo resume continues",
             changing(Changes::nothing));
    a.group("Output");
    for (const char* name : {"file", "format", "quiet", "strict", "sig_figs"})
      field_option(a, run_.out, name);
    for (const char* name : {"--threads", "--quiet", "--strict"}) a.changes_nothing(name);
    describe_like(a, *this);
  }

  int run(Output& output) override {
    if (name_.empty()) return list(output, models::ready_table());
    const ReadyRow& row = *models::find_ready(name_);
    if (data_.empty() && set_.empty()) return list(output, {&row, 1});
    ReadyFields fields(row);
    if (!data_.empty()) fields.read(data_);
    for (const std::string& text : set_) fields.set(text);
    return sample(fields.make(), output);
  }

  std::optional<std::string> run_file() const override { return run_.run_file(); }

 private:
  int list(Output& output, std::span<const ReadyRow> rows) const {
    if (!json) {
      output.print(name_.empty() ? ready_table_text() : fields_text(rows.front()));
      return 0;
    }
    output.print(rows_json(rows));
    return 0;
  }

  io::RunFile::Facts facts_of(const models::Ready& ready) const {
    io::RunFile::Facts facts = results::facts_of_run(*ready.model, {.run = run_.options});
    facts[results::kSpecFact] = with_inputs(asked, run_.program.files.contents()).text();
    return facts;
  }

  int sample(const models::Ready& ready, Output& output) {
    const StopScope scope(stop_flag());
    run_.options.sampler = ready.algorithm;
    run_.options.init_prior = true;                      // the model draws its starts
    if (!data_.empty()) run_.program.files.read(data_);  // those who may read the result follow
    return begin_own_run(run_,
                         {.model = ready.model, .run_chains = ready.run, .facts = facts_of(ready)},
                         output, json);
  }

  std::string name_, data_;
  std::vector<std::string> set_;
  RunArguments run_;
};
}  // namespace

extern const CommandRow ready_command{
    "ready", "draw from a ready-made model: mixtures, topics, lattices, hidden states, paths",
    "  credo ready\n"
    "  credo ready --model collapsed_mixture\n"
    "  credo ready --model collapsed_mixture --data points.json --set num_components=3 -o fit.nc\n"
    "  credo ready --model lattice --set rows=16 --set cols=16 --set coupling=0.8\n"
    "  credo ready --like fit.nc --seed 2 -o again.nc\n",
    make_command<ReadyCommand>,
    "With --output: the draws, as one NetCDF-4 file or a CSV file a chain; until then OUTPUT.run, "
    "from "
    "which `credo resume`, or the same command again, continues. Standard output: the "
    "summary, as text or JSON; without data the models or their fields."};

}  // namespace credo::cli
