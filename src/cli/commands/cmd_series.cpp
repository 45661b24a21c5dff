// credo series: a structural time series from a formula of components. It becomes a Stan program, which is fitted as any other; then
// components, forecasts and unusual outcomes are computed at its draws.
#include <fmt/format.h>

#include "cli/fit/fitted_model.hpp"
#include "cli/options/field_options.hpp"
#include "cli/project/new_files.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/method_options.hpp"
#include "cli/run/runner.hpp"
#include "cli/tables/series_fit.hpp"
#include "cli/tables/series_report.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/files/modes.hpp"

namespace credo::cli {
namespace {
class SeriesCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("formula", request_.formula, "OUTCOME ~ COMPONENTS: " + component_words(),
                         {.word = "FORMULA"});
    arguments.group("Series");
    arguments.option("--of", fit_,
                     "instead of a formula: a fit of credo series, for other forecasts",
                     any_file());
    arguments.stands_for_positionals("--of");
    arguments.option("--family", request_.family,
                     "distribution of the outcome about the mean; student: t with 4 degrees of "
                     "freedom, for single outcomes that lie far off (--prior 'nu ~ gamma(2, 0.1)' "
                     "makes them a parameter); poisson, negbinomial, "
                     "bernoulli: counts, whose components add up at the log or logit",
                     one_of(models::series_family_names()));
    arguments.option("--time", request_.time,
                     "column of times; without it a column named date, time, month, year, ... that "
                     "no term uses, else rows");
    arguments.option("--ahead", request_.ahead, "times that are forecast behind the last row",
                     at_least(0));
    arguments.option("--future", future_, "table with future values of columns", any_file());
    arguments.option(
        "--prior", request_.priors,
        "a prior in the place of the default: 'sd(level) ~ exponential(0.1)'; may be repeated",
        {.word = "NAME ~ DISTRIBUTION"});
    arguments.option("--priors", request_.preset,
                     "all priors: on the scale of the data, those of the R packages bsts and "
                     "CausalImpact, those of Prophet, or flat",
                     one_of({"default", "bsts", "prophet", "flat"}));
    arguments.option(
        "--start", request_.start,
        "first state: a wide normal prior, or diffuse, without any; auto: diffuse for flat priors",
        one_of({"auto", "prior", "diffuse"}));
    arguments.option(
        "--method", method_,
        "draw from the posterior, or find its mode (of --priors flat: maximum likelihood)",
        one_of({"sample", "optimize"}));
    arguments.option("--paths", paths_.most, "draws at which states and forecasts are drawn",
                     from_to(10, 100'000));
    arguments.option("--tables", tables_,
                     "components, forecasts and predictions of each outcome: FILE.nc or FILE.json",
                     output_file("*"));
    arguments.flag("--explain", explains_, "print the model and the program; don't fit");
    arguments.option("--write", folder_,
                     "write program.stan and data.json into this folder, and states.stan with "
                     "states.json for credo filter and smooth; don't fit",
                     {.directory = true, .writes = Writes::folder});
    run_.describe(arguments, false);
    need_parts(arguments);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    run_.program.settle();
    if (!future_.empty()) request_.future.files = {future_};
    if (!fit_.empty()) return read_fit(output);
    if (method_ == "optimize" && request_.family == "student")
      throw Error(ErrorCode::usage,
                  "--family student has a weight for each outcome, and the joint mode of these and "
                  "sigma isn't maximum likelihood: its sigma is too small",
                  "--method", "--method sample averages over the weights; or --family normal");
    if (method_ == "optimize" && models::series_family(request_.family).is_count)
      throw Error(ErrorCode::usage,
                  "states of counts are parameters, and the joint mode of these and their standard "
                  "deviations isn't maximum likelihood",
                  "--method", "--method sample averages over the states");
    const models::Series made = make(output);
    output.print(json || run_.out.quiet ? "" : words_of(made));
    if (explains_) {
      output.print(json ? explained(made) : made.program);
      return 0;
    }
    if (!folder_.empty()) return write(made, output);
    add_files(made);
    run_.conduct.row_names = table_names(made);
    run_.conduct.after = [&](const Fit& fit, Output& to) { conclude(fit, made, to); };
    return method_ == "sample" ? begin_run(run_, output, json, ranks) : run_optimize(output);
  }
  std::optional<std::string> run_file() const override { return run_.run_file(); }

 private:
  // Each --method reads some of the options of a run, a fit (--of) fewer; a fit has its own family, priors and times.
  void need_parts(Arguments& arguments) {
    RunArguments climbs(infer::Family::optimum);
    const OptionNames of_run = options_of(run_);
    need_methods(
        arguments, "--method",
        std::array{MethodOptions{"sample", of_run}, MethodOptions{"optimize", options_of(climbs)}});
    OptionNames with_fits = of_run;
    with_fits.insert({"--family", "--time", "--prior", "--priors", "--start", "--method"});
    refuse_beside(arguments, "--of", with_fits,
                  {"--seed", "--threads", "--data", "--separator", "--decimal"});
  }
  static std::string component_words() {
    std::string words;
    for (const models::SeriesRow* row : models::series_rows())
      words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", row->usage, row->words);
    return words + ", and columns";
  }
  static std::string explained(const models::Series& made) {
    results::ArrayList list;
    list.set("formula", made.formula);
    list.set("times", made.axis.num_times);
    list.set("states", made.num_states());
    list.set("program", made.program);
    return answer_json(list) + "\n";
  }

  models::Series make(Output& output) {
    if (request_.formula.empty())
      throw Error(ErrorCode::usage, "a formula is needed", "FORMULA",
                  "credo series 'y ~ trend + season(12)' --data TABLE.csv, or --of FIT");
    request_.data = io::parse_data_recipe(run_.program.data);
    if (request_.data.files.empty())
      throw Error(ErrorCode::usage, "a series needs a table", "--data", "add --data FILE.csv");
    if (!request_.data.columns.empty())
      throw Error(ErrorCode::usage, "the formula says how columns are used", "--columns",
                  "name the columns in the formula as in the file");
    if (run_.out.no_data)
      throw Error(ErrorCode::usage, "forecasts need the table of the fit", "--no-data",
                  "leave the option out");
    request_.future.separator = request_.data.separator,
    request_.future.decimal = request_.data.decimal;
    return series_of(request_, run_.program.files, output);
  }
  void add_files(const models::Series& made) {
    run_.program.model = "series.stan";
    run_.program.data = io::DataRecipe{.files = {"series_data.json"}}.text();
    run_.program.is_noted = false;
    run_.program.files.add(run_.program.model, made.program);
    run_.program.files.add("series_data.json", made.data);
    run_.program.files.add(std::string(kSeriesFile), models::to_json(request_));
  }

  int run_optimize(Output& output) {
    if (run_.sampler.has_own_options())
      throw Error(ErrorCode::usage, "samplers have no part in --method optimize", "--method",
                  "leave out the sampler's options");
    RunSpec spec = run_.spec();
    RunArguments run(infer::Family::optimum);
    spec.run = infer::SampleOptions{.sampler = run.sampler.sampler,
                                    .seed = spec.run.seed,
                                    .num_threads = spec.run.num_threads,
                                    .marginal = spec.run.marginal};
    spec.model.jacobian = false;
    run.take(spec, run_.program.files);
    run.conduct = run_.conduct;
    return begin_run(run, output, json, ranks);
  }

  // At the end of a run; with --json its report is the answer, so that tables go to their file alone.
  void conclude(const Fit& fit, const models::Series& made, Output& output) {
    if (json && tables_.empty()) return;
    report(fit, made, output, json || run_.out.quiet);
  }
  void report(const Fit& fit, const models::Series& made, Output& output, bool only_file) {
    paths_.seed = run_.program.seed, paths_.num_threads = run_.options.num_threads;
    const SeriesPaths found = series_paths(fit, made, paths_, output);
    const models::SeriesSummary summary = models::summarise_paths(made, found.paths, found.at);
    const SeriesReport tables{made, summary, ssize(found.paths)};
    const results::ArrayList answer = with_spec(tables.answer(), with_inputs(asked, {}));
    if (!tables_.empty()) write_answer(tables_, answer);
    if (!only_file) output.print(edge_words(fit, made) + tables.text());
  }

  // Standard deviations whose maximum is at 0, where a climb has no end.
  static std::string edge_words(const Fit& fit, const models::Series& made) {
    constexpr double kNone = 1e-4;  // share of the outcome's sd
    std::string names;
    if (!holds_modes(fit)) return names;
    const auto best = static_cast<Index>(modes_of(fit).best);
    for (const models::SeriesParameter& p : made.parameters)
      if (p.kind != models::SeriesPriorKind::other)
        if (const auto place = find_quantity(fit, p.element);
            place && fit.quantities(false, *place, 1)(0, best, 0) < kNone * made.sd)
          names += (names.empty() ? "" : ", ") + p.name;
    const Modes modes = modes_of(fit);
    std::string words;
    if (!names.empty())
      words = fmt::format(
          "{} is 0 to the digits of the density: the maximum is at the edge 0, where climbs don't "
          "converge, and "
          "that part doesn't change over time. ",
          names);
    double second = -kInfinity;
    for (std::size_t k = 0; k < modes.starts.size(); ++k)
      if (k != modes.best) second = std::max(second, modes.starts[k].log_density);
    if (!modes.is_sound && modes.starts.size() > 1)
      words += fmt::format("The best two starts end {:.2g} apart in log density.",
                           modes.best_start().log_density - second);
    return words.empty() ? words : wrapped("\n" + words, text_width(1)) + "\n";
  }

  int read_fit(Output& output) {
    if (!request_.formula.empty() || !run_.program.data.empty() || !folder_.empty() || explains_)
      throw Error(ErrorCode::usage, "a fit has its own formula, table and priors", "--of",
                  "credo series --of FIT --ahead N [--future X.csv]");
    const auto fit = open_draws(std::span(&fit_, 1), output);
    models::SeriesRequest request = series_request_of(*fit);
    request.ahead = request_.ahead, request.future = request_.future;
    request.future.separator = request.data.separator,
    request.future.decimal = request.data.decimal;
    io::InputFiles files(fit->files());
    if (!future_.empty()) files.add(future_, run_.program.files.read(future_));
    const models::Series made = series_of(request, files, output);
    if (made.program != files.read(fit->origin().model_path))
      throw Error(ErrorCode::usage,
                  "the program of this fit differs from the one that this version writes for the "
                  "same formula",
                  fit->origin().source, "fit the series again with this version");
    if (!json) {
      report(*fit, made, output, false);
      return 0;
    }
    paths_.seed = run_.program.seed, paths_.num_threads = run_.options.num_threads;
    const SeriesPaths found = series_paths(*fit, made, paths_, output);
    const models::SeriesSummary summary = models::summarise_paths(made, found.paths, found.at);
    print_answer(
        with_spec(SeriesReport{made, summary, ssize(found.paths)}.answer(), with_inputs(asked, {})),
        "", tables_, true, output);
    return 0;
  }

  int write(const models::Series& made, Output& output) {
    NewFiles files(folder_);
    files.add("program.stan", made.program);
    files.add("data.json", made.data);
    const std::string refusal = models::series_states_refusal(made);
    if (refusal.empty()) {
      files.add("states.stan", models::series_states_text(made));
      files.add("states.json", models::series_states_data_text(made));
    }
    for (const std::string& path : files.write()) output.print(path + "\n");
    output.print(fmt::format(
        "the same fit: credo {2} {0}/program.stan --data {0}/data.json{3} --seed {1} -o fit.nc\n",
        quoted_word(folder_), run_.program.seed, method_, run_options_text(given, run_)));
    output.print(refusal.empty() ? fmt::format("the states: credo filter {0}/states.stan --data "
                                               "{0}/states.json --fit fit.nc\n",
                                               quoted_word(folder_))
                                 : fmt::format("there is no states.stan: {}\n", refusal));
    return 0;
  }

  models::SeriesRequest request_;
  RunArguments run_{infer::Family::chains};
  PathOptions paths_;
  std::string folder_, method_ = "sample", fit_, future_, tables_;
  bool explains_ = false;
};
}  // namespace

extern const CommandRow series_command{
    "series",
    "fit a structural time series of components: y ~ trend + season(12)",
    "  credo series 'log(passengers) ~ trend + season(12)' --data air.csv --ahead 24 -o fit.nc\n"
    "  credo series 'flow ~ level' --data nile.csv --priors flat --method optimize\n"
    "  credo series 'y ~ level + season(7) + price' --data shop.csv --future next.csv\n"
    "  credo series 'y ~ changepoints(25) + harmonics(365.25, 10)' --data y.csv --method optimize\n"
    "  credo series --of fit.nc --ahead 36 --tables forecast.nc\n",
    make_command<SeriesCommand>,
    "With --output: the draws, as credo sample writes them. With --tables: components, forecasts "
    "and predictions, as arrays or "
    "JSON. With --write: the folder with the program and its data. Standard output: the model, the "
    "summary, the verdict, the "
    "components, forecasts and unusual outcomes.",
    OverRanks::by_run};

}  // namespace credo::cli
