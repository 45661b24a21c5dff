// credo loo: how well a model predicts each row of its data from all others, or a fold of them, or what comes next.
#include <fmt/format.h>

#include "cli/fit/fitted_model.hpp"
#include "cli/fit/loo_scheme.hpp"
#include "cli/fit/ready_fit.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/fit_verdict.hpp"
#include "cli/run/repeat.hpp"
#include "cli/term/stop.hpp"
#include "io/data/data_files.hpp"
#include "model/data/program_table.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {

class LooCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a result, a run file, or CSV files, one a chain",
                          any_file());
    model_.describe(arguments);
    rows_.describe(arguments);
    schemes_.describe(arguments);
    refits_.describe(arguments);
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    const auto fit = open_draws(files_, output);
    if (const auto ready = model_.is_given(*fit) ? nullptr : ready_model_of(*fit)) {
      rows_.require_default(ready->name());
      return answer(*fit, *ready, nullptr, output);
    }
    const auto whole =
        model_.needed(*fit, output, json, "name the program and its data: --model, --data");
    const auto model = rows_.apply(*whole);
    const model::DataFiles data = model_.data();
    note_disbelief(*fit, *model, output, model_.is_given(*fit) ? &data : nullptr);
    return answer(*fit, *model, model.get(), output);
  }

 private:
  // `program`: null for a ready-made model.
  int answer(const Fit& fit, const density::Model& model, const model::Model* program,
             Output& output) {
    const LooAnswer answer = schemes_.chosen().answer(
        {.fit = fit,
         .model = model,
         .program = program,
         .refits = refits_,
         .data_values = [&](const std::string& name) { return data_values(fit, *program, name); },
         .begin_work = [&](const char* what, Index count) -> results::Work& {
           return begin_work(what, count, output);
         }});
    if (!refits_.file.empty()) write_answer(refits_.file, with_spec(answer.arrays, spec()));
    if (work_) work_->end();
    output.print(json ? answer_json(answer.arrays) : answer.text);
    return 0;
  }

  Specification spec() const { return with_inputs(asked, model_.files_read()); }
  results::Work& begin_work(const char* what, Index count, Output& output) {
    return work_.emplace(results::WorkOptions{.file = refits_.file,
                                              .spec = spec(),
                                              .what = what,
                                              .count = count,
                                              .note = notes_of(output, refits_.is_quiet || json)});
  }
  // Values of a variable of the data, whole numbers.
  std::vector<Index> data_values(const Fit& fit, const model::Model& model,
                                 const std::string& name) {
    model::DataFiles data = model_.data();
    if (data.recipe.empty()) data = {fit.origin().data_path, fit.files()};
    const io::DataTable table = model::table_for(
        model.source(),
        io::read_data(data.recipe, [&](const std::string& path) -> const std::string& {
          return data.texts.at(path);
        }));
    const io::DataValue* value = table.find(name);
    if (value == nullptr || value->kind != io::DataKind::integers)
      throw Error(ErrorCode::data,
                  value == nullptr ? fmt::format("the data have no variable {}", name)
                                   : fmt::format("{} isn't of whole numbers", name),
                  data.recipe, "name an array of whole numbers, one for each row");
    return {value->integers.begin(), value->integers.end()};
  }

  std::vector<std::string> files_;
  FittedModel model_;
  RowsArgument rows_;
  ChosenRows<LooScheme> schemes_{loo_schemes()};
  RefitArguments refits_;
  std::optional<results::Work> work_;
};
}  // namespace

extern const CommandRow loo_command{
    "loo", "how well a model predicts data that it hasn't seen: rows, folds, the future",
    "  credo loo fit.nc\n"
    "  credo loo fit.nc --moment-match --refit bad\n"
    "  credo loo fit.nc --folds 10 -o folds.json\n"
    "  credo loo fit.nc --fold-by group\n"
    "  credo loo fit.nc --rows statements\n"
    "  credo loo fit.nc --future 1 --from 20\n"
    "  credo loo fit_1.csv fit_2.csv --model model.stan --data data.json\n",
    make_command<LooCommand>,
    "Standard output: the log predictive density of the rows left out. With --output: the result, "
    "as "
    "JSON; until it is "
    "complete OUTPUT.run with the fits that are done, from which `credo resume` continues."};

}  // namespace credo::cli
