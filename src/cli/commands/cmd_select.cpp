// credo select: which columns of a table explain an outcome.
#include <fmt/format.h>

#include "cli/fit/fitted_model.hpp"
#include "cli/tables/projection_report.hpp"
#include "cli/tables/selection_report.hpp"
#include "cli/options/data_arguments.hpp"
#include "cli/project/program_words.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "io/input_files.hpp"

namespace credo::cli {
namespace {

std::vector<std::string> slab_names() {
  std::vector<std::string> names;
  for (const models::SlabRow* row : models::slab_rows()) names.emplace_back(row->name);
  return names;
}
std::string slab_words() {
  std::string words = "prior of the coefficients of a set. ";
  for (const models::SlabRow* row : models::slab_rows())
    words +=
        fmt::format("{}{}: {}", row == models::slab_rows()[0] ? "" : "; ", row->name, row->summary);
  return words;
}

class Select final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("formula", request_.formula,
                         "OUTCOME ~ TERMS; y ~ . takes all other columns. A factor is one term",
                         {.word = "FORMULA"});
    reading_.describe(arguments, "the table: a CSV or TSV file");
    arguments.group("Selection");
    arguments.option("--project", reference_,
                     "instead: a fit of credo regression with all terms, whose predictions "
                     "submodels imitate; prints in which order terms enter, and how many suffice",
                     any_file());
    arguments.stands_for_positionals("--project");
    arguments.option("--prior", prior_, slab_words(), one_of(slab_names()));
    arguments.option("--inclusion", problem_.inclusion,
                     "prior probability of each term; 0: every number of terms is equally probable",
                     from_to(0, 1));
    arguments.option("--g", problem_.options.g, "variance of the g-prior; 0: the number of rows",
                     at_least(0));
    arguments.option("--width", problem_.options.width, "width of a normal or uniform prior",
                     in_range(infer::positive()));
    arguments.option("--sigma", problem_.options.sigma,
                     "standard deviation of the noise; 0: unknown, with the density 1 / sigma^2 of "
                     "its square",
                     at_least(0));
    arguments.option("--keep", request_.kept, "term that is always in; may be repeated",
                     {.word = "TERM"});
    arguments.option("--models", problem_.num_best, "most probable sets that are printed",
                     from_to(1, 1000));
    arguments.option("--search", search_,
                     "all: every set is rated, of 20 terms at most; walk: Gibbs and exchanges of "
                     "terms; auto: all where possible",
                     one_of({"auto", "all", "walk"}));
    arguments.option("--chains", walk_.num_chains, "chains of a walk", from_to(1, 1000));
    arguments.option("--sweeps", walk_.num_sweeps, "sweeps of each chain of a walk", at_least(10));
    arguments.option("--seed", walk_.seed, "seed of a walk");
    arguments.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    if (!reference_.empty()) return project(output);
    if (request_.formula.empty())
      throw Error(ErrorCode::usage, "a formula is needed", "FORMULA",
                  "credo select 'y ~ .' --data TABLE.csv, or --project FIT");
    io::InputFiles files;
    models::SelectionTable table = read(files, output);
    models::SelectionProblem& problem = table.problem;
    problem.slab = &models::find_slab(prior_);
    problem.options = problem_.options;
    problem.inclusion = problem_.inclusion;
    problem.num_best = problem_.num_best;
    require_options(problem);
    const bool rates_all =
        search_ == "all" || (search_ == "auto" && problem.num_free() <= models::kMostEnumerated);
    const models::Selection found =
        rates_all ? models::rate_all_sets(problem) : models::walk_over_sets(problem, walk_);
    const SelectionReport report{table, found};
    std::string text = report.text();
    if (prior_ == "uniform") text += uniform_warning(table, found);
    print_answer(with_spec(report.answer(), with_inputs(asked, files.contents())), text, file_,
                 json, output);
    return 0;
  }

 private:
  int project(Output& output) {
    if (!request_.formula.empty() || !reading_.files.empty())
      throw Error(ErrorCode::usage, "a fit has its own formula and table", "--project",
                  "credo select --project FIT alone");
    const auto fit = open_draws(std::span(&reference_, 1), output);
    const ProjectionReport report = project_fit(*fit, output);
    print_answer(with_spec(report.answer(), with_inputs(asked, {})), report.text(), file_, json,
                 output);
    return 0;
  }

  models::SelectionTable read(io::InputFiles& files, Output& output) {
    request_.data = io::parse_data_recipe(reading_.recipe());
    if (request_.data.files.empty())
      throw Error(ErrorCode::usage, "a formula needs a table", "--data", "add --data FILE.csv");
    if (!request_.data.columns.empty())
      throw Error(ErrorCode::usage, "the formula says how columns are used", "--columns",
                  "name the columns in the formula as in the file: factor(year), `stem width`");
    request_.is_usable = is_free_in_programs;
    models::FormulaFaults faults;
    models::SelectionTable table = models::make_selection(
        request_, [&](const std::string& path) -> const std::string& { return files.read(path); },
        faults);
    if (faults.empty()) return table;
    output.note(visible(faults.text(table.formula)));
    throw Error(ErrorCode::data, fmt::format("formula and table have {} fault{}", faults.size(),
                                             faults.size() == 1 ? "" : "s"));
  }

  void require_options(const models::SelectionProblem& problem) const {
    if (search_ == "all" && problem.num_free() > models::kMostEnumerated)
      throw Error(ErrorCode::usage,
                  fmt::format("{} terms have more than a million sets", problem.num_free()),
                  "--search", "--search walk, or keep some terms in: --keep");
    if (problem_.inclusion == 1.0)
      throw Error(ErrorCode::usage, "with probability 1 all terms are in", "--inclusion",
                  "a number below 1");
    if (prior_ == "l0" && problem_.inclusion == 0.0)
      throw Error(ErrorCode::usage, "the penalty of --prior l0 is log((1 - P) / P)", "--inclusion",
                  "--inclusion 0.1 is a penalty of 2.2 for each term");
    if (prior_ == "l0" && problem.num_free() == 0)
      throw Error(ErrorCode::usage, "all terms are kept", "--keep", "keep fewer terms");
  }

  // The evidence integrates over all coefficients, and so it is that of the uniform prior where the posterior lies within the range.
  std::string uniform_warning(const models::SelectionTable& table,
                              const models::Selection& found) const {
    constexpr double kSds = 4.0, kLeastInclusion = 0.01;
    const double range = problem_.options.width * table.outcome_sd;
    std::string text;
    for (std::size_t t = 0; t < table.problem.terms.size(); ++t)
      for (const Index column : table.problem.terms[t].columns) {
        const auto c = static_cast<std::size_t>(column);
        if (found.inclusion[t] < kLeastInclusion) continue;
        const double mean = std::abs(found.mean[c]) / found.inclusion[t];
        if (mean + kSds * found.sd[c] > range)
          text += fmt::format(
              "{}: the range of the uniform prior, {:.4g} for a column of sd 1, "
              "cuts the posterior: --width takes a larger one.\n",
              table.names[c], range);
      }
    return text;
  }

  models::SelectionRequest request_;
  models::SelectionProblem problem_;  // its options
  models::WalkOptions walk_;
  DataArguments reading_;
  std::string prior_ = "g", search_ = "auto", reference_, file_;
};
}  // namespace

extern const CommandRow select_command{
    "select",
    "which columns of a table explain an outcome: inclusion probabilities, averaged coefficients",
    "  credo select 'y ~ .' --data crimes.csv\n"
    "  credo select 'log(mpg) ~ . - cyl + factor(cyl)' --data cars.csv --models 20\n"
    "  credo select 'y ~ .' --data d.csv --prior normal --inclusion 0.1\n"
    "  credo select 'y ~ .' --data d.csv --prior l0 --inclusion 0.05\n"
    "  credo select 'y ~ .' --data wide.csv --search walk --sweeps 10000\n"
    "  credo regression 'y ~ .' --data d.csv -o all.nc && credo select --project all.nc\n",
    make_command<Select>,
    "Standard output: the probability of each term, coefficients averaged over sets of terms, the "
    "most probable sets, and the best fit with each number of terms. With --output: these as "
    "arrays or JSON."};

}  // namespace credo::cli
