// credo evidence: the probability of a program's data under its priors, by one method or several.
#include <fmt/format.h>

#include "cli/load.hpp"
#include "cli/options/field_options.hpp"
#include "cli/results.hpp"
#include "cli/term/stop.hpp"
#include "io/file.hpp"
#include "model/model.hpp"
#include "results/estimates/evidence_methods.hpp"

namespace credo::cli {
namespace {
constexpr int kDisagreeStatus = 8;  // that of --strict

std::vector<std::string> method_words() {
  std::vector<std::string> words = {"auto", "all"};
  for (const EvidenceMethod& row : evidence_methods()) words.emplace_back(row.name);
  return words;
}

std::string line_of(const EvidenceEstimate& e) {
  const std::string name = fmt::format("{:<14}", e.method);
  if (!e.refusal.empty())
    return name + " can't: " + e.refusal + (e.hint.empty() ? "" : "; " + e.hint) + "\n";
  if (!e.is_there()) return name + " has no evidence\n";
  const std::string error = e.has_error() ? fmt::format("{:.3f}", e.error) : "unknown";
  return fmt::format("{} {:>12.3f} {:>9} {:>12} {:>8.1f}\n", name, e.log_evidence, error,
                     e.num_evaluations, e.seconds);
}

std::string text_of(const EvidenceReport& report) {
  std::string text = fmt::format("{:<14} {:>12} {:>9} {:>12} {:>8}\n", "method", "log evidence",
                                 "error", "evaluations", "seconds");
  for (const EvidenceEstimate& e : report.estimates) text += line_of(e);
  text += "\n" + report.sentence() + "\n";
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
    a.option("--live-points", options_.live_points, "of nested sampling", at_least(10));
    a.option("--threads", options_.run.num_threads,
             std::string(spec_of_field(options_.run, "num_threads").help),
             range_of(options_.run, "num_threads"));
    a.option("-o,--output", file_, "the result, as JSON", file_ending(".json"));
    a.flag("--strict", strict_, "status 8 where the methods disagree, or none has an error");
    a.flag("--quiet", quiet_, "no progress");
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    const std::vector<std::string_view> methods = methods_of(method_);
    if (model_.terms != "all")
      throw Error(ErrorCode::usage, "an evidence is that of all terms of a program", "--terms",
                  "leave it out");
    options_.run.seed = model_.seed;
    options_.run.stop = current_stop();
    const auto model = load_model(model_, output, json);
    const auto told = [&](const EvidenceEstimate& e) {
      if (!quiet_ && !json && methods.size() > 1) output.note(line_of(e));
    };
    const EvidenceReport report = estimate_evidence(*model, options_, methods, told);
    if (!file_.empty()) {
      io::OutputFile file(file_);
      file.write(to_json(report));
      file.commit();
    }
    output.print(json ? to_json(report) : text_of(report));
    return strict_ && report.best() == nullptr ? kDisagreeStatus : 0;
  }

 private:
  ModelArguments model_;
  EvidenceOptions options_;
  std::string method_ = "auto", file_;
  bool strict_ = false, quiet_ = false;
};
}  // namespace

extern const CommandRow evidence_command{
    "evidence", "the probability of the data under the program's priors, by several methods",
    "  credo evidence model.stan --data data.json\n"
    "  credo evidence model.stan --data data.json --method nested --live-points 1000\n"
    "  credo evidence model.stan --data data.json --method all -o evidence.json\n",
    make_command<EvidenceCommand>,
    "With --output: the result, as JSON. Standard output: the log evidence by each method with its "
    "error, and whether they agree."};

}  // namespace credo::cli
