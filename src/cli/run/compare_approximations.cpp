#include "cli/run/compare_approximations.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "cli/term/stop.hpp"
#include "infer/core/recorder.hpp"
#include "infer/core/standard_samplers.hpp"
#include "infer/variational/approximation.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/draws/judge.hpp"
#include "results/draws/quiet_run.hpp"
#include "results/draws/summary.hpp"

namespace credo::cli {
namespace {
constexpr std::string_view kFamily =
    "covariance";  // option that chooses a family of the row that has one
constexpr std::string_view kNamesOption =
    "local";  // option of rows that are nothing without names of parameters

struct ApproximationRow {
  std::string name, grade = {}, failure = {};
  double seconds = kNaN, bound = kNaN, bound_error = kNaN, pareto_k = kNaN, effective = kNaN;
  // Largest over the parameters, in standard deviations of the posterior's draws, and of the log of one.
  double mean_distance = kNaN, spread_distance = kNaN;
  std::string farthest = {};  // parameter of the first
};

// A row of the table: each approximation with its default options, and each family of the one that has families.
struct Compared {
  std::string name;
  infer::SampleOptions options;
};

// Settings of rows that fit layers by default, which takes tens of seconds where others take a fraction of one. The table says so.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kQuickSettings = {
    {{"layers", "iaf:2"}, {"hidden", "16"}, {"max_steps", "2000"}}};

std::string quick_settings_text() {
  std::string text;
  for (const auto& [field, value] : kQuickSettings)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", field, value);
  return fmt::format("layers are fitted with {}, to be quick, and may be poorer than by default\n",
                     text);
}

void make_quick(infer::SampleOptions& options) {
  const auto fields = infer::fields_of(options.kernel);
  const auto layers = std::ranges::find(fields, kQuickSettings[0].first, &infer::FieldValue::name);
  if (layers == fields.end() || layers->value.empty()) return;
  for (const auto& [field, value] : kQuickSettings) infer::set_option(options, field, value);
}

std::vector<Compared> approximations_to_compare(const infer::SampleOptions& like) {
  std::vector<Compared> all;
  for (const std::string_view method : infer::approximations()) {
    infer::SampleOptions options = like;
    options.sampler = method;
    options.kernel = infer::find_sampler(method).options();
    make_quick(options);
    const auto fields = infer::fields_of(options.kernel);
    if (std::ranges::find(fields, kNamesOption, &infer::FieldValue::name) != fields.end()) continue;
    if (std::ranges::find(fields, kFamily, &infer::FieldValue::name) == fields.end()) {
      all.push_back({std::string(method), options});
      continue;
    }
    const auto choice = std::ranges::find(fields, kFamily, &infer::FieldValue::name);
    const auto choices = infer::choices_of(choice->spec);
    for (const infer::FamilySpec& family : infer::families()) {
      if (!choices.empty() && std::ranges::find(choices, family.name) == choices.end()) continue;
      all.push_back({fmt::format("{}, {}", method, family.name), options});
      infer::set_option(all.back().options, kFamily, family.name);
    }
  }
  return all;
}

void take_distances(ApproximationRow& row, const Summary& found, const Summary& posterior) {
  row.mean_distance = row.spread_distance = 0.0;
  for (std::size_t k = 0; k < found.size() && k < posterior.size(); ++k) {
    const double sd = posterior[k].sd, distance = std::fabs(found[k].mean - posterior[k].mean) / sd;
    if (distance > row.mean_distance) row.mean_distance = distance, row.farthest = found[k].name;
    row.spread_distance = std::fmax(row.spread_distance, std::fabs(std::log(found[k].sd / sd)));
  }
}

void take_figures(ApproximationRow& row, const Fit& fit, const verdict::Verdict& verdict) {
  for (const infer::TunedSetting& tuned : fit.result().chains[0].tuned) {
    if (tuned.name == "bound") row.bound = tuned.values[0];
    if (tuned.name == "bound_error") row.bound_error = tuned.values[0];
  }
  for (const verdict::Figure& figure : verdict.figures) {
    if (figure.name == "pareto_k") row.pareto_k = figure.value;
    if (figure.name == "num_effective_draws") row.effective = figure.value;
  }
  row.grade = "good";
  for (const verdict::Finding& finding : verdict.findings)
    if (finding.id == "approximation")
      row.grade = finding.level == verdict::Level::bad ? "poor"
                  : std::isnan(row.pareto_k)           ? "not checked by weights"
                                                       : "good after weighting";
}

ApproximationRow measured(const model::Model& model, const Compared& compared,
                          const Summary& posterior) {
  ApproximationRow row{.name = compared.name};
  const double begun = infer::clock_seconds();
  try {
    const results::QuietRun run(model, compared.options);
    row.seconds = infer::clock_seconds() - begun;
    take_distances(row, results::summarise_outputs(run.fit()), posterior);
    take_figures(
        row, run.fit(),
        results::judge_fit(run.fit(), {.model = &model, .program = model.program_facts()}));
  } catch (const Error& error) {
    row.failure = error.message();
  }
  return row;
}

std::string digits(double value, int count = 3) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, count) : "-";
}

// Draws of NUTS, from which distances are measured.
struct Reference {
  double seconds = kNaN;
  std::string_view word = {};  // word of their verdict
  std::string sentence = {};   // doubt about them; empty: none
};

Reference reference_of(const model::Model& model, const Fit& fit, double seconds) {
  const verdict::Verdict judged =
      results::judge_fit(fit, {.model = &model, .program = model.program_facts()});
  Reference reference{.seconds = seconds, .word = verdict::to_string(judged.word)};
  if (judged.word == verdict::Verdict::Word::bad)
    reference.sentence =
        "The draws of NUTS failed their own checks, so that distances from them say little. " +
        judged.sentence;
  return reference;
}

std::string table_of(std::span<const ApproximationRow> rows, const Reference& reference) {
  std::string text = fmt::format("{:<18} {:>8} {:>16} {:>6} {:>6} {:>8} {:>8}  {}\n", "method",
                                 "seconds", "bound", "k", "ess", "mean", "sd", "grade");
  for (const ApproximationRow& row : rows) {
    if (!row.failure.empty()) continue;
    const std::string bound =
        std::isfinite(row.bound) ? fmt::format("{:.3f} ± {:.3f}", row.bound, row.bound_error) : "-";
    text += fmt::format("{:<18} {:>8.2f} {:>16} {:>6} {:>6.0f} {:>8} {:>8}  {}\n", row.name,
                        row.seconds, bound, digits(row.pareto_k, 2), row.effective,
                        digits(row.mean_distance, 2), digits(row.spread_distance, 2), row.grade);
  }
  text += fmt::format(
      "\nmean, sd: largest distances of weighted means and of logs of standard deviations from "
      "those of 4000 draws of NUTS ({:.2f} s), in standard deviations\n",
      reference.seconds);
  text += quick_settings_text();
  if (!reference.sentence.empty()) text += reference.sentence + "\n";
  for (const ApproximationRow& row : rows)
    if (!row.failure.empty()) text += fmt::format("{}: {}\n", row.name, row.failure);
  return text;
}

std::string json_of(std::span<const ApproximationRow> rows, const Reference& reference) {
  results::ArrayList answer;
  answer.set("reference", std::string(infer::kStandardSampler));
  answer.set("reference_seconds", reference.seconds);
  answer.set("reference_verdict", std::string(reference.word));
  answer.set("reference_doubt", reference.sentence);
  auto add = answer.add_rows("approximations", rows).columns(rows);
  add("method", &ApproximationRow::name), add("grade", &ApproximationRow::grade);
  add("seconds", &ApproximationRow::seconds);
  add("bound", &ApproximationRow::bound), add("bound_error", &ApproximationRow::bound_error);
  add("pareto_k", &ApproximationRow::pareto_k),
      add("num_effective_draws", &ApproximationRow::effective);
  add("mean_distance", &ApproximationRow::mean_distance);
  add("farthest", &ApproximationRow::farthest);
  add("spread_distance", &ApproximationRow::spread_distance);
  add("failure", &ApproximationRow::failure);
  return answer_json(answer);
}
}  // namespace

int compare_approximations(RunArguments& run, Output& output, bool json) {
  if (!run.out.file.empty())
    throw Error(ErrorCode::usage, "a table of all approximations is no fit, and has no result file",
                "--output", "leave it out, or name one --method");
  if (!run.conduct.then.empty() && run.conduct.then != "stop")
    throw Error(
        ErrorCode::usage, "a table of all approximations goes on to nothing", "--then",
        "leave it out, or name one --method; the table has draws of the posterior beside it");
  run.sampler.sampler = infer::approximations().front();  // any: its options aren't used
  run.check();
  const auto model = run.load(output, json);
  infer::SampleOptions draws{.seed = run.options.seed, .num_threads = run.options.num_threads};
  draws.stop = run.options.stop;
  if (!json) output.note(fmt::format("{}\n", draws.sampler));
  const double begun = infer::clock_seconds();
  const results::QuietRun posterior(*model, draws);
  const Reference reference = reference_of(*model, posterior.fit(), infer::clock_seconds() - begun);
  const Summary summary = results::summarise_outputs(posterior.fit());
  const double log_mass = model->query().power == 1.0
                              ? density::prior_mass(*model).log_mass
                              : 0.0;  // bounds are those of normalised priors
  std::vector<ApproximationRow> rows;
  for (const Compared& compared : approximations_to_compare(run.options)) {
    stop_if_asked();
    if (!json) output.note(fmt::format("{}\n", compared.name));
    rows.push_back(measured(*model, compared, summary));
    rows.back().bound -= log_mass;
  }
  output.print(json ? json_of(rows, reference) : table_of(rows, reference));
  return 0;
}

}  // namespace credo::cli
