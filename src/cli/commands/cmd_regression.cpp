// credo regression: a formula and a table become a Stan program, which is fitted as any other.
#include <fmt/format.h>

#include "cli/fit/exact_method.hpp"
#include "cli/load.hpp"
#include "cli/project/new_files.hpp"
#include "cli/project/regression_file.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/method_options.hpp"
#include "cli/run/runner.hpp"
#include "cli/tables/ard_report.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "density/require.hpp"
#include "density/state_space.hpp"
#include "infer/core/standard_samplers.hpp"
#include "infer/variational/approximation.hpp"
#include "io/data/level_order.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/arrays/array_file.hpp"

namespace credo::cli {
extern const CommandRow exact_command;

namespace {
constexpr std::string_view kSampling = "sample", kClimbing = "optimize";

class RegressionCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("formula", request_.formula, "OUTCOME ~ TERMS, as in R and lme4",
                         {.word = "FORMULA"});
    arguments.group("Regression");
    arguments.option(
        "--family", request_.family,
        "distribution of the outcome, with parameters that are known: "
        "'asymmetric_laplace(quantile = 0.9)'; auto: binomial with trials(), bernoulli "
        "for two texts, else normal",
        {.choices = families(), .may_be_other = true});
    arguments.flag("--nonlinear", request_.nonlinear,
                   "the right side is an expression of columns and parameters, each of which has a "
                   "formula: 'y ~ a * exp(-b * x); a ~ 1; b ~ 1 + (1 | g)'");
    arguments.option("--link", request_.link,
                     "function of the mean that is linear; the default is by the family",
                     one_of(models::link_names()));
    arguments.option("--prior", request_.priors,
                     "a prior in the place of the default: 'Days ~ normal(0, 20)', 'sd(Subject) ~ "
                     "exponential(0.1)'; may be repeated",
                     {.word = "NAME ~ DISTRIBUTION"});
    arguments.option("--priors", request_.preset,
                     "all priors: on the scale of the data, those of brms or rstanarm, or flat",
                     one_of({"default", "brms", "rstanarm", "flat"}));
    arguments.flag("--centred", request_.centred,
                   "effects of groups are parameters themselves, not standard normals that are "
                   "scaled: better for large groups");
    arguments.option(
        "--method", method_,
        "draw from the posterior, find its mode (of --priors flat: maximum likelihood), state it "
        "exactly where the priors are conjugate or flat, or fit an approximation; em, mackay, "
        "evidence and nonfactorial find the precisions of ard() with the highest evidence; a "
        "method's own options are those of credo optimize and credo approximate, for which "
        "--write gives the program",
        one_of(methods()));
    arguments.flag("--explain", explains_,
                   "print how the formula is read, the priors and the program; don't fit");
    arguments.option("--write", folder_,
                     "write program.stan and constants.json into this folder; don't fit",
                     {.directory = true, .writes = Writes::folder});
    run_.describe(arguments, false);
    need_methods(arguments, "--method", methods_with_options());
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    if (const std::optional<int> status = done_without_fit(output)) return *status;
    return method_ == kSampling ? begin_run(run_, output, json, ranks) : run_method(output);
  }
  std::optional<std::string> run_file() const override { return run_.run_file(); }

 private:
  static std::vector<std::string> families() {
    std::vector<std::string> names{"auto"};
    for (const models::FamilyRow* row : models::family_rows()) names.emplace_back(row->name);
    return names;
  }

  // Makes the program and the files of the fit. The exit status if there is no fit: the program is shown or written, or the evidence
  // maximised. The regression, whose columns take three times the memory of the table, ends before the fit begins.
  std::optional<int> done_without_fit(Output& output) {
    const models::Regression made = make(output);
    const bool is_evidence = models::find_ard_method(method_) != nullptr && models::has_ard(made);
    output.print(json || run_.out.quiet ? ""
                                        : words_of(made) + (is_evidence ? "" : prior_words(made)));
    has_known_kinks_ = has_known_kinks(made);
    if (explains_) {
      output.print(json ? explained(made) : explanation(made) + "\n" + made.program);
      return 0;
    }
    if (!folder_.empty()) return write(made, output);
    const bool is_climb = infer::is_in_table(method_);  // em of latent values
    if (is_evidence || (models::find_ard_method(method_) != nullptr && !is_climb))
      return maximise_evidence(made, output);
    add_files(made);
    if (!config.empty()) run_.conduct.also_read.push_back(config);
    run_.conduct.row_names = table_names(made);
    return std::nullopt;
  }

  // The program, and which of its outputs each row of the table is.
  static std::string explained(const models::Regression& made) {
    const auto rows = table_names(made);
    results::ArrayList list;
    list.set("formula", made.formula);
    list.set("family", std::string(made.family->name));
    list.set("link", made.link());
    list.set("rows", made.num_rows);
    list.set("program", made.program);
    auto add = list.add_rows("names", rows).columns(rows);
    add("name", [](const auto& row) { return row.second; });
    add("output", [](const auto& row) { return row.first; });
    return answer_json(list) + "\n";
  }

  static std::vector<std::string> methods() {
    std::vector<std::string> names{std::string(kSampling), std::string(kClimbing),
                                   std::string(exact_command.name)};
    for (const infer::SamplerSpec* row : infer::samplers())
      if (infer::is_approximation(row->name) || infer::climbs_to_modes(row->name))
        names.emplace_back(row->name);
    for (const models::ArdMethod* row : models::ard_methods())
      if (std::ranges::find(names, row->name) == names.end()) names.emplace_back(row->name);
    return names;
  }

  // Options of a run that each --method reads: those that its own command would have.
  static std::vector<MethodOptions> methods_with_options() {
    RunArguments draws(infer::Family::chains), climb(infer::Family::optimum),
        approximation(infer::Family::chains, infer::kStandardApproximation);
    const OptionNames of_draws = options_of(draws), of_climbs = options_of(climb),
                      of_approximations = options_of(approximation),
                      of_answers = options_of_answers();
    std::vector<MethodOptions> all;
    for (const std::string& method : methods()) {
      const bool approximates = infer::is_in_table(method) && infer::is_approximation(method);
      all.push_back({method, method == kSampling ? of_draws
                             : climbs(method)    ? of_climbs
                             : approximates      ? of_approximations
                                                 : of_answers});
    }
    return all;
  }
  static bool climbs(const std::string& method) {
    return method == kClimbing || (infer::is_in_table(method) && infer::climbs_to_modes(method));
  }
  static RunArguments run_by(const std::string& method) {
    return climbs(method)        ? RunArguments(infer::Family::optimum)
           : method == kSampling ? RunArguments(infer::Family::chains)
                                 : RunArguments(infer::Family::chains, method);
  }

  void require_answer_file(std::string_view ending) const {
    const std::string& file = run_.out.file;
    if (!file.empty() && !file.ends_with(".nc") && (ending.empty() || !file.ends_with(ending)))
      throw Error(ErrorCode::usage, fmt::format("'{}' is no name for this answer", file),
                  "--output",
                  fmt::format("the file's name ends in .nc{}",
                              ending.empty() ? "" : fmt::format(" or {}", ending)));
  }

  // Precisions of ard() at the maximum of the evidence.
  int maximise_evidence(const models::Regression& made, Output& output) {
    require_no_sampler();
    // em is a climb, too, where the model has latent values in the place of ard().
    require_read(given, options_of(run_), options_of_answers(), method_);
    require_answer_file(".json");
    const models::ArdTable table = models::make_ard_table(made, request_, method_);
    const models::ArdMethod& method = *models::find_ard_method(method_);
    const models::ArdFit fit = models::fit_ard(table.data, method);
    const ArdReport report{made.formula, table, method, fit};
    print_answer(with_spec(report.answer(), with_inputs(asked, run_.program.files.contents())),
                 run_.out.quiet ? "" : report.text(), run_.out.file, json, output);
    return run_.out.strict && !fit.converged ? static_cast<int>(ErrorCode::verdict) : 0;
  }

  // A lasso whose width is given: the mode is at kinks.
  static bool has_known_kinks(const models::Regression& made) {
    for (const models::Predictor& predictor : made.predictors)
      for (const models::SharedPrior& prior : predictor.list.shared_priors)
        if (prior.call.word == "lasso" && models::option_of(prior.call, "width", 0.0) > 0.0)
          return true;
    return false;
  }

  void require_no_sampler() const {
    if (run_.sampler.sampler != infer::SampleOptions{}.sampler || run_.sampler.has_own_options())
      throw Error(ErrorCode::usage, fmt::format("samplers have no part in --method {}", method_),
                  "--method", "leave out the sampler and its options");
  }

  // Anything but Markov chains, with the defaults of its own command.
  int run_method(Output& output) {
    require_no_sampler();
    if (method_ == exact_command.name) return state_posterior(output);
    RunSpec spec = run_.spec();
    RunArguments run = run_by(method_);
    const std::string climber =
        has_known_kinks_ ? std::string(infer::kKinkClimber) : run.sampler.sampler;
    spec.run = infer::SampleOptions{.sampler = method_ == kClimbing ? climber : method_,
                                    .num_chains = spec.run.num_chains,
                                    .num_draws = spec.run.num_draws,
                                    .seed = spec.run.seed,
                                    .num_threads = spec.run.num_threads,
                                    .marginal = spec.run.marginal};
    if (climbs(method_)) spec.model.jacobian = false;
    run.take(spec, run_.program.files);
    run.conduct = run_.conduct;
    return begin_run(run, output, json, ranks);
  }
  // The posterior by name, as credo exact has it. Refused where the priors aren't conjugate.
  int state_posterior(Output& output) {
    require_answer_file("");
    run_.program.jacobian = false;
    const FitOutput to = run_.result(run_.program.files.readers());
    const auto model = load_model(run_.program, output, json);
    const ExactMethodRow& row = filters::row_named(exact_methods(), "conjugate", "--method");
    const auto method = row.make(row.options());
    density::require_likelihood(*model, "an exact posterior");
    density::require(method->applies(*model), run_.program.model);
    const ExactAnswer answer =
        method->answer({.model = *model, .position = {}, .names = {}, .sum_is = "log evidence"});
    const results::ArrayList arrays =
        with_spec(answer.arrays, with_inputs(asked, run_.program.files.contents()));
    if (!to.path.empty()) write_arrays(arrays, to.path, to.readers);
    output.print(json ? answer_json(arrays) : run_.out.quiet ? "" : answer.text);
    return 0;
  }

  models::Regression make(Output& output) {
    run_.program.settle();
    request_.data = io::parse_data_recipe(run_.program.data);
    if (request_.data.files.empty())
      throw Error(ErrorCode::usage, "a formula needs a table", "--data", "add --data FILE.csv");
    if (!request_.data.columns.empty())
      throw Error(ErrorCode::usage, "the formula says how columns are used", "--columns",
                  "name the columns in the formula as in the file: factor(year), `stem width`");
    if (request_.data.missing == "nan" || request_.data.missing == "list")
      throw Error(ErrorCode::usage,
                  fmt::format("rows of a regression are complete, so --missing {} has no meaning",
                              request_.data.missing),
                  "--missing", "use drop or refuse");
    return regression_of(request_, run_.program.files, output);
  }

  void add_files(const models::Regression& made) {
    io::DataRecipe recipe = made.recipe;
    run_.program.model = "regression.stan";
    run_.program.files.add(run_.program.model, made.program);
    run_.program.files.add(std::string(kRegressionFile), models::to_json(request_));
    if (!made.parts.constants.empty()) {
      run_.program.files.add("constants.json", made.constants);
      recipe.files.emplace_back("constants.json");
    }
    run_.program.data = recipe.text();
  }

  // The command that does with the written program what --method does here.
  std::string command_of_method() const {
    if (method_ == kSampling) return "credo sample";
    if (method_ == kClimbing) return "credo optimize";
    if (method_ == exact_command.name) return "credo exact --method conjugate";
    if (climbs(method_)) return "credo optimize --method " + method_;
    return "credo approximate --method " + method_;
  }
  int write(const models::Regression& made, Output& output) {
    NewFiles files(folder_);
    files.add("program.stan", made.program);
    std::string command = fmt::format("{} {}/program.stan", command_of_method(), folder_);
    for (const std::string& file : made.recipe.files) command += " --data " + quoted_word(file);
    if (!made.parts.constants.empty()) {
      files.add("constants.json", made.constants);
      command += fmt::format(" --data {}/constants.json", quoted_word(folder_));
    }
    for (const std::string& use : made.recipe.columns) command += " --columns " + quoted_word(use);
    for (const io::LevelOrder& order : made.recipe.levels)
      command += " --levels " + quoted_word(io::text_of(order));
    for (const auto& [option, value] : {std::pair{" --missing ", made.recipe.missing},
                                        {" --separator ", made.recipe.separator},
                                        {" --decimal ", made.recipe.decimal}})
      if (!value.empty()) command += option + value;
    command += run_options_text(given, run_);
    for (const std::string& path : files.write()) output.print(path + "\n");
    output.print(fmt::format("the same fit: {} --seed {} -o fit.nc\n", command, run_.program.seed));
    return 0;
  }
  models::RegressionRequest request_;
  RunArguments run_{infer::Family::chains};
  std::string folder_, method_{kSampling};
  bool explains_ = false, has_known_kinks_ = false;
};
}  // namespace

extern const CommandRow regression_command{
    "regression",
    "fit a model of a table that a formula states: y ~ x + (1 | group)",
    "  credo regression 'Reaction ~ Days + (Days | Subject)' --data sleepstudy.csv -o fit.nc\n"
    "  credo regression 'incidence | trials(size) ~ factor(period) + (1 | herd)' --data cbpp.csv\n"
    "  credo regression 'dist ~ speed' --data cars.csv --prior 'speed ~ normal(0, 5)'\n"
    "  credo regression 'y ~ x; sigma ~ x' --data d.csv --method optimize --priors flat\n"
    "  credo regression 'y ~ ard(.)' --data d.csv --method evidence\n"
    "  credo regression 'y ~ lasso(., width = 0.2)' --data d.csv --method optimize\n"
    "  credo regression 'y ~ a * b' --data d.csv --explain\n"
    "  credo regression 'y ~ poly(x, 2)' --data d.csv --write model\n",
    make_command<RegressionCommand>,
    "With --output: the draws, as credo sample writes them; credo predict, loo, ppc and report "
    "read "
    "them. With --write: "
    "the folder with the program and its constants. Standard output: the model and its priors, the "
    "summary and the verdict.",
    OverRanks::by_run};

}  // namespace credo::cli
