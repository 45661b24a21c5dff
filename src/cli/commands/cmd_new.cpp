// credo new: a small project to begin with, from a table or with one.
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/options/data_arguments.hpp"
#include "cli/project/new_files.hpp"
#include "cli/project/project_text.hpp"
#include "io/file.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {

class New final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("name", name_, "the new folder",
                         {.directory = true, .writes = Writes::folder});
    arguments.option("-d,--data", data_,
                     "a CSV or TSV file, which is copied; without it a table is simulated",
                     any_file());
    arguments.option("--outcome", outcome_, "the column that the others are to explain",
                     {.word = "COLUMN"});
    arguments.option("--group", groups_,
                     "a column whose numbers label groups, as subjects; may be repeated",
                     {.word = "COLUMN"});
    arguments.option(
        "--kind", kind_,
        "kind of the outcome: auto, by its values; number; count; truth, one of two values",
        one_of({"auto", "number", "count", "truth"}));
  }

  int run(Output& output) override {
    if (data_.empty() && !(outcome_.empty() && groups_.empty()))
      throw Error(ErrorCode::usage, "an outcome or a group is a column of a table",
                  outcome_.empty() ? "--group" : "--outcome", "name the table: --data FILE.csv");
    const std::string file =
        data_.empty() ? "table.csv" : std::filesystem::path(data_).filename().string();
    const std::string text = data_.empty() ? simulated_table() : io::read_file(data_);
    const ProjectPlan plan = plan_project({.path = data_.empty() ? file : data_,
                                           .text = text,
                                           .outcome = data_.empty() ? "y" : outcome_,
                                           .groups = groups_,
                                           .kind = kind_});
    NewFiles files(name_);
    files.add("model.stan", model_text(plan));
    files.add("baseline.stan", baseline_text(plan));
    files.add(file, text);
    files.add(
        "README.md",
        readme_text(plan, std::filesystem::path(name_).filename().string(), file,
                    data_.empty()
                        ? "is simulated: y = 2 + 1.5 x + an effect of the group + noise, all of "
                          "standard deviation 1"
                        : "is a copy of your table"));
    const std::vector<std::string> written = files.write();
    output.print(json ? as_json(written) : as_text(written, plan));
    return 0;
  }

 private:
  std::string as_text(const std::vector<std::string>& written, const ProjectPlan& plan) const {
    std::string text = fmt::format("{}\n", fmt::join(written, "\n"));
    for (const std::string& column : plan.left_out) text += fmt::format("not used: {}\n", column);
    for (const std::string& hint : plan.hints) text += hint + "\n";
    if (!plan.outcome_is.empty()) text += fmt::format("{} is {}\n", plan.outcome, plan.outcome_is);
    if (!plan.dropped.empty()) text += plan.dropped + "\n";
    return text + fmt::format("the commands are in {}/README.md\n", name_);
  }
  static std::string as_json(const std::vector<std::string>& written) {
    results::ArrayList answer;
    add_list(answer, "files", "file", written);
    return answer_json(answer);
  }

  std::string name_, data_, outcome_, kind_ = "auto";
  std::vector<std::string> groups_;
};
}  // namespace

extern const CommandRow new_command{
    "new", "a small project: two programs, a table, and the commands from question to comparison",
    "  credo new first\n"
    "  credo new growth --data growth.csv --outcome weight\n"
    "  credo new sleep --data sleepstudy.csv --outcome Reaction --group Subject\n",
    make_command<New>,
    "The folder NAME: model.stan, baseline.stan, the table, and README.md with the commands. No "
    "file is replaced. "
    "Standard output: "
    "the written files, and the columns that the program doesn't use."};

}  // namespace credo::cli
