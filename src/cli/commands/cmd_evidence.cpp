// credo evidence: the probability of a program's data under its priors, by one method or several.
#include <fmt/format.h>

#include "cli/load.hpp"
#include "cli/options/field_options.hpp"
#include "cli/options/row_options.hpp"
#include "cli/results.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/fitted_inputs.hpp"
#include "cli/term/stop.hpp"
#include "model/expressions.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/draws/work.hpp"
#include "results/estimates/evidence_methods.hpp"

namespace credo::cli {
namespace {
constexpr int kDisagreeStatus = 8;  // the status of --strict, too

std::vector<std::string> method_words() {
  std::vector<std::string> words = {"auto", "all"};
  for (const EvidenceMethod& row : evidence_methods()) words.emplace_back(row.name);
  return words;
}

std::string error_text(double error) {
  return std::isfinite(error) ? fmt::format("{:.3f}", error) : "unknown";
}

std::string line_of(const EvidenceEstimate& e) {
  const std::string name = fmt::format("{:<14}", e.method);
  if (!e.refusal.empty())
    return name + " can't: " + e.refusal + (e.hint.empty() ? "" : "; " + e.hint) + "\n";
  if (!e.nested.empty())
    return fmt::format("{} {:>12.3f} {:>9} {:>12} {:>8.1f}  log Bayes factor of {}\n", name,
                       e.log_factor.value, error_text(e.log_factor.error), e.num_evaluations,
                       e.seconds, e.nested);
  if (e.is_bound())
    return fmt::format("{} {:>12} {:>9} {:>12} {:>8.1f}\n", name,
                       fmt::format("≥ {:.3f}", e.lower.value), error_text(e.lower.error),
                       e.num_evaluations, e.seconds);
  if (!e.is_there()) return name + " has no evidence\n";
  return fmt::format("{} {:>12.3f} {:>9} {:>12} {:>8.1f}\n", name, e.log_evidence,
                     error_text(e.error), e.num_evaluations, e.seconds);
}

std::string text_of(const EvidenceReport& report) {
  std::string text = fmt::format("{:<14} {:>12} {:>9} {:>12} {:>8}\n", "method", "log evidence",
                                 "error", "evaluations", "seconds");
  for (const EvidenceEstimate& e : report.estimates) text += line_of(e);
  const std::string of_nested = report.sentence_of_nested();
  const bool only_nested = !of_nested.empty() && report.estimates.size() == 1;
  text += "\n" + (only_nested ? "" : report.sentence() + "\n");
  if (!of_nested.empty()) text += of_nested + "\n";
  for (const EvidenceEstimate& e : report.estimates)
    for (const std::string& note : e.notes) text += fmt::format("{}: {}.\n", e.method, note);
  for (const std::string& note : report.notes) text += note + ".\n";
  return text;
}

class EvidenceCommand final : public Command {
 public:
  void describe(Arguments& a) override {
    model_.describe(a);
    a.group("Evidence");
    a.option("--method", method_,
             "auto: smc and bridge, which see the posterior from opposite ends; all; or one",
             one_of(method_words()));
    a.option("--chains", options_.run.num_chains, "chains, populations or runs of each method",
             range_of(options_.run, "num_chains"));
    a.option("--warmup", options_.run.num_warmup, "warm-up transitions of chains",
             range_of(options_.run, "num_warmup"));
    a.option("--draws", options_.run.num_draws, "draws of each chain, particles of each population",
             at_least(20));
    a.option("--at", at_,
             "restriction that defines the nested model of savage-dickey, as \"theta = 0\" or "
             "\"theta > 0\"",
             needing("--method=savage-dickey|all", {.word = "PLACE"}));
    a.option("--proposal", proposal_,
             "a result of credo approximate whose distribution is the proposal (--through)",
             needing("--method=proposal|all", any_file()));
    a.option("--threads", options_.run.num_threads,
             std::string(spec_of_field(options_.run, "num_threads").help),
             changing(Changes::nothing, range_of(options_.run, "num_threads")));
    a.group("Output");
    a.option("-o,--output", file_, "the result: FILE.nc (NetCDF-4) or FILE.json",
             output_file("*", Writes::kept_file));
    a.flag("--strict", strict_, "status 8 where the methods disagree, or none has an error",
           changing(Changes::nothing));
    a.flag("--quiet", quiet_, "no progress", changing(Changes::nothing));
    describe_like(a, *this);
    a.group(title_of_rows(a, "--method", "methods"));
    rows_.describe(a, "--method", option_rows());
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    const std::vector<std::string_view> methods = methods_of(method_, !at_.empty());
    if (model_.terms != "all")
      throw Error(ErrorCode::usage, "an evidence is that of all terms of a program", "--terms",
                  "leave it out");
    set_options_of(methods);
    options_.run.seed = model_.seed;
    options_.run.stop = current_stop();
    const auto model = load_model(model_, output, json);
    for (auto& [method, own] : options_.methods) take_fitted_map(own, *model);
    if (!at_.empty()) options_.nested = nested_model(*model);
    const EvidenceReport report = report_of(*model, methods, output);
    output.print(json ? answer_json(arrays_of(report)) : text_of(report));
    const bool is_known =
        report.best() != nullptr ||
        (methods.size() == 1 && std::isfinite(report.estimates[0].log_factor.error));
    return strict_ && !is_known ? kDisagreeStatus : 0;
  }

 private:
  static std::vector<OptionRow> option_rows() {
    std::vector<OptionRow> rows;
    for (const EvidenceMethod& row : evidence_methods())
      if (row.options != nullptr) rows.push_back({row.name, row.options()});
    return rows;
  }

  void set_options_of(std::span<const std::string_view> methods) {
    for (const auto& [field, text] : rows_.given()) {
      const std::string option = option_of_field(field);
      try {
        if (set_method_option(options_, methods, field, text)) continue;
        if (field == "live_points") continue;  // always was taken beside other methods
      } catch (const Error& error) {
        throw Error(error.code(), error.message(), option_of_field(error.where()), error.hint());
      }
      const std::string whose = fmt::format("--method {}", fmt::join(names_with(field), " or "));
      throw Error(ErrorCode::usage, fmt::format("needs {}", whose), option,
                  fmt::format("add {}, or --method all, or leave {} out", whose, option));
    }
    if (proposal_.empty()) return;
    if (rows_.given().contains("through"))
      throw Error(ErrorCode::usage, "--through names the proposal, too", "--proposal",
                  "leave out one of them");
    set_method_option(options_, methods, "through", proposal_);
  }
  static std::vector<std::string_view> names_with(const std::string& field) {
    std::vector<std::string_view> names;
    for (const OptionRow& row : option_rows()) {
      const auto fields = infer::fields_of(row.options);
      const std::string first = field.substr(0, field.find('.'));
      if (std::ranges::find(fields, first, &infer::FieldValue::name) != fields.end())
        names.push_back(row.name);
    }
    return names;
  }

  // With --output finished estimates and the state of the one in progress are kept beside it, until the result is there.
  EvidenceReport report_of(const model::Model& model, std::span<const std::string_view> methods,
                           Output& output) const {
    const bool are_several = methods.size() > 1;
    const Specification spec = with_inputs(asked, model_.files.contents());
    results::Work work({.file = file_,
                        .spec = spec,
                        .what = "methods",
                        .count = ssize(methods),
                        .note = notes_of(output, quiet_),
                        .reports_progress = false});
    results::EvidenceProgress progress{.known = work.done<EvidenceEstimate>()};
    progress.states = work.states();
    progress.on_estimate = [&, keep = work.on_done<EvidenceEstimate>()](Index place,
                                                                        const EvidenceEstimate& e) {
      keep(place, e);
      if (!quiet_ && !json && are_several) output.note(line_of(e));
    };
    EvidenceReport report = estimate_evidence(model, options_, methods, progress);
    if (!file_.empty()) write_answer(file_, with_spec(arrays_of(report), spec));
    work.end();
    return report;
  }

  results::NestedModel nested_model(const model::Model& model) const {
    results::NestedModel nested = results::parse_nested(at_);
    if (!nested.values.empty()) return nested;
    const auto holds =
        std::make_shared<model::Expressions>(model.outputs(), std::vector<std::string>{at_});
    if (!holds->random_text().empty())
      throw Error(ErrorCode::usage,
                  fmt::format("'{}' draws random numbers, and a nested model holds or not", at_),
                  "--at", "name parameters and transformed parameters");
    nested.holds = [holds](const std::vector<std::vector<double>>& outputs) {
      std::vector<double> values;
      for (const std::vector<double>& answer : holds->evaluate(holds->chosen(outputs)))
        values.push_back(answer[0] != 0.0 ? 1.0 : 0.0);
      return values;
    };
    return nested;
  }

  ModelArguments model_;
  EvidenceOptions options_;
  RowOptions rows_;
  std::string method_ = "auto", at_, file_, proposal_;
  bool strict_ = false, quiet_ = false;
};
}  // namespace

extern const CommandRow evidence_command{
    "evidence", "the probability of the data under the program's priors, by several methods",
    "  credo evidence model.stan --data data.json\n"
    "  credo evidence model.stan --data data.json --method nested --live-points 1000\n"
    "  credo evidence model.stan --data data.json --method all -o evidence.json\n"
    "  credo evidence model.stan --data data.json --method proposal --proposal fit.nc\n"
    "  credo evidence model.stan --data data.json --method savage-dickey --at 'theta = 0'\n",
    make_command<EvidenceCommand>,
    "With --output: the result, as JSON; until it is complete OUTPUT.run, from which `credo "
    "resume` continues. Standard output: the log evidence by each method with its "
    "error, and whether they agree."};

}  // namespace credo::cli
