// credo diagnose: whether to believe a result, in words.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fit_verdict.hpp"
#include "cli/load.hpp"
#include "cli/sample_run.hpp"
#include "cli/summarise.hpp"
#include "model/model.hpp"
#include "results/modes.hpp"

namespace credo::cli {
namespace {

class Diagnose final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_,
                          "a result (FILE.nc), a run file (OUTPUT.run), or CSV files of draws, one "
                          "a chain",
                          any_file());
    arguments.option("--model", model_.model,
                     "the Stan program, where the files don't have it (CSV)", file_ending(".stan"));
    arguments.option("-d,--data", model_.data, "its data; also of a result without (--no-data)",
                     file_ending(".json"));
    arguments.option("-I,--include", model_.include_dirs, "directory for #include",
                     any_directory());
    arguments.flag("--strict", strict_, "exit status 8 if the verdict is bad");
  }

  int run(Output& output) override {
    const auto fit = open_fit(files_);
    tell_doubts(*fit, output);
    if (holds_modes(*fit))
      throw Error(ErrorCode::usage, "these are modes, no draws: there is no sample to judge",
                  files_[0], "credo summary says how the climbs ended");
    const auto model = model_of(*fit, output);
    const model::DataFile data = given_data();
    const bool is_given = !model_.model.empty() || (lacks_data(*fit) && !model_.data.empty());
    const verdict::Verdict judged = verdict_of(*fit, model.get(), is_given ? &data : nullptr);
    output.print(json ? "{" + verdict_json(judged) + "}\n" : verdict_text(judged));
    return strict_ ? strict_status(judged) : 0;
  }

 private:
  // Of CSV files there is no program unless it is named.
  std::unique_ptr<model::Model> model_of(const Fit& fit, Output& output) {
    if (!model_.model.empty()) return load_model(model_, output, json);
    if (fit.files().empty()) return nullptr;
    if (!lacks_data(fit)) return rebuild_model(fit);
    if (!model_.data.empty()) return rebuild_model(fit, &model_.files.read(model_.data));
    if (!json)
      output.note(
          fmt::format("{} was written without its data (--no-data): judged by its draws "
                      "alone; --data FILE judges its model, too\n",
                      files_[0]));
    return nullptr;
  }

  model::DataFile given_data() {
    if (model_.data.empty()) return {};
    return {model_.data, model_.files.read(model_.data)};
  }

  std::vector<std::string> files_;
  ModelArguments model_;
  bool strict_ = false;
};
}  // namespace

extern const CommandRow diagnose_command{
    "diagnose", "say whether to believe a result, and what to do if not",
    "  credo diagnose fit.nc\n"
    "  credo diagnose fit_1.csv fit_2.csv fit_3.csv fit_4.csv --model model.stan --data data.json\n"
    "  credo diagnose fit.nc --strict --json\n",
    make_command<Diagnose>, "Standard output: the verdict, as text or JSON. No files."};

}  // namespace credo::cli
