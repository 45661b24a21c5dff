// credo diagnose: whether to believe a result, in words.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/run/fit_verdict.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/summarise.hpp"
#include "cli/term/work_progress.hpp"
#include "model/model.hpp"
#include "results/files/modes.hpp"
#include "verdict/report.hpp"

namespace credo::cli {
namespace {

class Diagnose final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_,
                          "a result (FILE.nc), a run file (OUTPUT.run), or CSV files of draws, one "
                          "a chain",
                          any_file());
    model_.describe(arguments);
    arguments.flag("--strict", strict_, "exit status 8 if the verdict is bad");
  }

  int run(Output& output) override {
    const auto fit = open_result(files_, output);
    if (holds_modes(*fit))
      throw Error(ErrorCode::usage, "these are modes, no draws: there is no sample to judge",
                  files_[0], "credo summary says how the climbs ended");
    const auto model = model_.of(*fit, output, json,
                                 "judged by its draws alone; --data FILE judges its model, too");
    const model::DataFiles data = model_.data();
    const verdict::Verdict judged = [&] {
      WorkProgress progress(output);
      progress.show("judging the draws");
      return verdict_of(*fit, model.get(), model_.is_given(*fit) ? &data : nullptr);
    }();
    output.print(json ? "{" + verdict::json_members(judged) + "}\n" : verdict_text(judged));
    return strict_ ? strict_status(judged) : 0;
  }

 private:
  std::vector<std::string> files_;
  FittedModel model_;
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
