// credo impact: the effect of an intervention on a series. A structural time series is fitted to the rows before it; its paths say how the
// series would have continued.
#include <fmt/format.h>

#include "cli/options/data_arguments.hpp"
#include "cli/options/field_options.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/tables/impact_report.hpp"
#include "cli/tables/series_fit.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "model/model.hpp"
#include "models/series/series_family.hpp"
#include "results/draws/judge.hpp"
#include "results/draws/quiet_run.hpp"
#include "results/loo/refit.hpp"

namespace credo::cli {
namespace {
class ImpactCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("formula", request_.formula,
                         "OUTCOME ~ COVARIATES and components of credo series; a level is added to "
                         "a formula without one",
                         {.word = "FORMULA"});
    reading_.describe(arguments, "the table: a CSV or TSV file");
    arguments.group("Impact");
    arguments.option(
        "--from", from_,
        "first time of the intervention: a time of the table; without times, the number of a row");
    arguments.option("--until", until_, "last time that counts; without it the last of the table");
    arguments.option("--level", level_, "probability of the intervals",
                     in_range({.lo = 0.5, .hi = 0.999}));
    arguments.option(
        "--family", request_.family,
        "distribution of the outcome about the mean; student: t with 4 degrees of freedom",
        one_of(models::series_family_names()));
    arguments.option("--time", request_.time, "column of times, as of credo series");
    arguments.option(
        "--priors", priors_,
        "all priors: those of the R packages bsts and CausalImpact, or those of credo "
        "series, which are the default for counts; bsts is the default for other outcomes",
        one_of({"bsts", "default"}));
    arguments.option(
        "--prior", request_.priors,
        "a prior in the place of the preset's: 'sd(level) ~ exponential(0.1)'; may be repeated",
        {.word = "NAME ~ DISTRIBUTION"});
    arguments.flag("--no-checks", no_checks_, "don't compute effects where none is expected");
    arguments.group("Run");
    for (const char* name : {"num_chains", "num_warmup", "num_draws", "seed", "num_threads"})
      field_option(arguments, options_, name);
    arguments.changes_nothing("--threads");
    arguments.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    if (request_.formula.empty() || from_.empty())
      throw Error(ErrorCode::usage, "a formula and the time of the intervention are needed",
                  request_.formula.empty() ? "FORMULA" : "--from",
                  "credo impact 'y ~ x' --data TABLE.csv --from 2024-03-01");
    request_.data = io::parse_data_recipe(reading_.recipe());
    if (request_.data.files.empty())
      throw Error(ErrorCode::usage, "an impact needs a table", "--data", "add --data FILE.csv");
    request_.needs_level = true;
    request_.preset = !priors_.empty()                                  ? priors_
                      : models::series_family(request_.family).is_count ? "default"
                                                                        : "bsts";
    const models::Series whole = series_of(request_, files_, output);
    const Index from = place(whole, from_, "--from");
    const Index until = until_.empty() ? whole.axis.num_times : place(whole, until_, "--until") + 1;
    if (until <= from)
      throw Error(ErrorCode::usage,
                  fmt::format("the last time, {}, is before the first, {}", until_, from_),
                  "--until", "a later time");
    const Fitted main = fit(request_, from, until, 0, output);
    if (!json) output.print(words_of(main.made));
    std::vector<ImpactCheck> checks;
    if (!no_checks_) checks = all_checks(whole, from, until, output);
    const ImpactReport report{main.made, main.impact, checks, level_};
    std::string text = report.text();
    if (!main.doubt.empty()) text += main.doubt;
    results::ArrayList answer = report.answer();
    answer.set("doubt", main.doubt);
    print_answer(with_spec(std::move(answer), with_inputs(asked, files_.contents())), text, file_,
                 json, output);
    return 0;
  }

 private:
  struct Fitted {
    models::Series made;
    models::Impact impact;
    double covered = kNaN;
    std::string doubt = {};
  };

  Index place(const models::Series& whole, const std::string& text, const char* option) const {
    const auto found = models::place_of(whole.axis, text);
    if (found && *found < whole.axis.num_times) return *found;
    throw Error(ErrorCode::usage,
                fmt::format("'{}' is no time of the series, {}", text, whole.axis.words()), option,
                fmt::format("a time as {}", whole.axis.label(whole.axis.num_times / 2)));
  }

  // Fits the times before `from`, and compares the outcomes from there until `until`.
  Fitted fit(models::SeriesRequest request, Index from, Index until, Index number, Output& output) {
    request.fitted_times = from, request.last_times = until;
    Fitted found{.made = series_of(request, files_, output), .impact = {}};
    ModelArguments arguments;
    arguments.model = "impact.stan", arguments.is_noted = false;
    arguments.data = io::DataRecipe{.files = {"impact.json"}}.text();
    arguments.files.add(arguments.model, found.made.program);
    arguments.files.add("impact.json", found.made.data);
    const auto model = load_model(arguments, output, true);
    infer::SampleOptions options = options_;
    options.seed = results::refit_seed(options_.seed, number);
    const results::QuietRun run(*model, options);
    const auto judged = results::judge_fit(run.fit(), {.model = model.get()});
    if (judged.word != verdict::Verdict::Word::good)
      found.doubt =
          "\nThe fit isn't sound: more draws (--warmup 2000 --draws 2000), or credo series with "
          "the same formula shows why.\n";
    const SeriesPaths paths = series_paths(
        run.fit(), found.made, {.seed = options.seed, .num_threads = options_.num_threads}, output);
    found.impact = models::impact_of(found.made, paths.paths, level_);
    double inside = 0.0;
    for (const models::ImpactTime& t : found.impact.times)
      inside += t.effect.q5 <= 0.0 && t.effect.q95 >= 0.0 ? 1.0 : 0.0;
    found.covered = inside / static_cast<double>(found.impact.times.size());
    return found;
  }
  ImpactCheck check(const std::string& kind, const std::string& name,
                    const models::SeriesRequest& request, Index from, Index until, Index number) {
    ImpactCheck made{.kind = kind, .name = name};
    Output silent;
    silent.is_silent = true;
    try {
      const Fitted found = fit(request, from, until, number, silent);
      made.impact = found.impact, made.covered = found.covered;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      made.failure = error.message();
    }
    return made;
  }
  // Predictability: the last fifth before the intervention; stability: earlier times; unaffectedness: each covariate as the outcome.
  // Holidays have no check: an intervention doesn't change them.
  std::vector<ImpactCheck> all_checks(const models::Series& whole, Index from, Index until,
                                      Output&) {
    std::vector<ImpactCheck> checks;
    Index number = 0;
    const Index cut = from - std::max<Index>(1, from / 5);
    checks.push_back(check("backcast", fmt::format("from {}", whole.axis.label(cut)), request_, cut,
                           from, ++number));
    for (const double share : {0.45, 0.6, 0.7}) {
      const auto placebo = static_cast<Index>(share * static_cast<double>(from));
      checks.push_back(check("placebo", fmt::format("from {}", whole.axis.label(placebo)), request_,
                             placebo, std::min(from, placebo + until - from), ++number));
    }
    for (const models::SeriesComponent& part : whole.components) {
      if (part.covariate.empty()) continue;
      models::SeriesRequest own = request_;
      own.formula = part.covariate + " ~ level() + ar(1)", own.priors.clear(),
      own.preset = "default";
      own.family = models::SeriesRequest{}.family;  // a covariate needn't be a count
      checks.push_back(check("covariate", part.covariate, own, from, until, ++number));
    }
    return checks;
  }

  models::SeriesRequest request_{.formula = {}};
  DataArguments reading_;
  io::InputFiles files_;
  infer::SampleOptions options_;
  std::string from_, until_, priors_, file_;
  double level_ = 0.95;
  bool no_checks_ = false;
};
}  // namespace

extern const CommandRow impact_command{
    "impact", "the effect of an intervention on a series: y ~ x1 + x2 --from 2024-03-01",
    "  credo impact 'y ~ x1 + x2' --data sales.csv --from 2024-03-01\n"
    "  credo impact 'y ~ trend + season(12) + x' --data sales.csv --from 2024-03 --until 2024-08\n"
    "  credo impact 'y ~ x' --data sales.csv --from 71 --level 0.9 --no-checks -o impact.json\n",
    make_command<ImpactCommand>,
    "Standard output: outcomes, outcomes expected without the intervention, pointwise and "
    "cumulative effects with intervals, a sentence, "
    "and checks where no effect is expected. With --output: these as arrays or JSON."};

}  // namespace credo::cli
