// credo gp: regression of a table's outcome by a Gaussian process with an expression of kernels.
#include <fmt/format.h>

#include "base/memory.hpp"
#include "cli/options/data_arguments.hpp"
#include "cli/options/gp_solver_arguments.hpp"
#include "cli/project/program_words.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/tables/gp_report.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "io/input_files.hpp"
#include "io/number_text.hpp"
#include "models/gp/gp_solver_table.hpp"
#include "models/gp/inducing_points.hpp"
#include "models/gp/outcomes/gp_outcome.hpp"
#include "models/gp/outcomes/sampled.hpp"
#include "models/gp/outcomes/svgp.hpp"

namespace credo::cli {
namespace {
constexpr Index kUsualDepth = 10;
constexpr double kManyOperations = 1e11;  // more take half a minute on one core

class GaussianProcess final : public Command {
 public:
  void describe(Arguments& a) override {
    a.positional("formula", request_.formula,
                 "OUTCOME ~ KERNELS, or OUTCOME ~ MEAN | KERNELS: kernels are added with + and "
                 "multiplied with *; --kernels lists them; OUTCOME ~ ? searches for them",
                 {.word = "FORMULA"});
    reading_.describe(a, "the table: a CSV or TSV file");
    a.group("Process");
    a.flag("--kernels", lists_kernels_, "list the kernels, and stop");
    a.stands_for_positionals("--kernels");
    a.option("--family", family_,
             "distribution of the outcome given the process; numbers of trials and rates are "
             "written y | trials(n) and y | rate(e)",
             one_of(gp_family_names()));
    a.option("--link", link_,
             "logit or probit, with --family bernoulli or binomial; others have one link",
             one_of(gp_link_names()));
    a.option("--outcome", method_of_outcome_, gp_outcome_words(), one_of(gp_outcome_names()));
    a.option("--noise", noise_, "standard deviation of the noise: a number, 0 for none, or auto");
    a.option("--starts", optima_.num_starts,
             "climbs of the evidence from different hyperparameters", from_to(1, 1000));
    a.option(
        "--hyper", hyper_,
        "hyperparameters: eb, at the largest evidence; or averaged with their priors: grid, "
        "ccd (the mode and two points on each axis), mcmc; cv: best of a grid by leave-one-out",
        one_of({"eb", "grid", "ccd", "mcmc", "cv"}));
    a.option("--method", method_,
             "process, or ridge: kernel ridge regression, the same mean without bands",
             one_of({"process", "ridge"}));
    a.option("--solver", solver_, gp_solver_words(), one_of(gp_solver_names()));
    solver_arguments_.describe(a);
    a.flag("--explain", explains_, "list what each solver would take, and stop");
    a.option("--depth", depth_, "steps of the search for kernels, y ~ ?, at most", from_to(1, 100));
    a.option("--batch", svgp_.batch, "rows in a step of --solver svgp", from_to(1, 100000000));
    a.option("--steps", svgp_.num_steps, "steps of --solver svgp", from_to(1, 100000000));
    a.option("--seed", optima_.seed, "seed of starts, subsets and draws");
    a.option("--threads", num_threads_, "threads; 0: all processors", from_to(0, 64));
    a.group("Predictions");
    a.option("--predict", predict_, "table with the inputs of points", any_file());
    a.option("--ahead", ahead_, "points behind the last input, in steps of its median distance",
             from_to(0, 1000000));
    a.option("--derivative", derivative_, "also the derivative by this input", {.word = "INPUT"});
    a.option("--draws", num_draws_, "draws of the function at the points", from_to(0, 10000));
    a.flag("--check", checks_,
           "also the eigenvalues of the covariance, the weights of features, and the weights of "
           "outcomes in the prediction at the first point");
    a.option("--flow", flow_,
             "also the means at times of training by gradient flow, as of a wide network with the "
             "kernel ntk: 0.1,1,inf",
             {.word = "TIMES"});
    a.flag("--spectrum", shows_spectrum_, "also the spectral densities of stationary terms");
    a.option("--prior-draws", num_prior_,
             "instead: draws of the function from the prior, at the points", from_to(0, 10000));
    a.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(a, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    if (lists_kernels_) return list_kernels(output);
    require_ridge();
    require_used_options();
    io::InputFiles files;
    models::GpTable table = read(files, output);
    table.problem.num_threads = num_threads_;
    if (explains_) return explain(table, output);
    GpReport report{.table = table, .derivative = derivative_};
    static constexpr MemoryUse kMemory{"the covariance of the rows",
                                       "--explain lists what each solver takes"};
    const MemoryScope memory(kMemory);
    const bool is_svgp = solver_ == "svgp";
    const auto solver = is_svgp                            ? svgp_solver(table, report)
                        : table.outcomes.family != nullptr ? outcome_solver(table, report)
                                                           : normal_solver(table, report, output);
    if (report.optima.empty()) estimate(*solver, report);
    if (solver_arguments_.moves_inducing)
      move_inducing_points(
          *solver, solver_arguments_.chosen(models::find_gp_solver(report.solver), optima_.seed),
          report);
    if (search_) {
      search_->sentence =
          models::kernel_in_words(search_->search.expression, table, report.optima[0].theta);
      report.search = search_;
    }
    report.is_ridge = method_ == "ridge";
    const models::GpSlope slope = models::slope_by(table, derivative_);
    add_points(report, files, output);
    report.averages = models::predict(table, *solver, report.hyper, slope, report.is_ridge,
                                      optima_.seed, report.at);
    for (std::string& remark : solver->remarks(report.optima[0].theta))
      report.remarks.push_back(std::move(remark));
    if (report.is_ridge) rate_ridge(report);
    if ((checks_ || shows_spectrum_ || !flow_.empty()) && report.hyper.thetas.size() > 1)
      report.remarks.emplace_back(
          "--check, --flow and --spectrum use the hyperparameters at the largest evidence; they "
          "aren't "
          "averaged.");
    if (checks_) add_check(report);
    if (!flow_.empty()) add_flow(report);
    if (shows_spectrum_) add_spectra(report);
    print_answer(with_spec(report.answer(), with_inputs(asked, files.contents())), report.text(),
                 file_, json, output);
    return 0;
  }

 private:
  // The norm is a sum over the weights of all rows, at one set of hyperparameters.
  void require_ridge() const {
    if (method_ != "ridge") return;
    if (solver_ != "auto" && solver_ != models::exact_gp_solver().name)
      throw Error(ErrorCode::usage,
                  fmt::format("kernel ridge regression needs the weights of all rows, which the "
                              "solver {} doesn't have",
                              solver_),
                  "--solver", "--solver exact");
    if (hyper_ != "eb" && hyper_ != "cv")
      throw Error(ErrorCode::usage,
                  fmt::format("kernel ridge regression is at one set of hyperparameters, and "
                              "--hyper {} averages over several",
                              hyper_),
                  "--hyper", "--hyper eb or cv; --method process averages");
  }
  // Options of one solver or of the search, with others.
  void require_used_options() const {
    const auto refuse_option = [](bool is_wrong, const char* option, const char* owner) {
      if (is_wrong)
        throw Error(ErrorCode::usage, fmt::format("{} is an option of {}", option, owner), option,
                    fmt::format("leave {} out, or add {}", option, owner));
    };
    const models::SvgpOptions standard;
    const bool is_svgp = solver_ == "svgp";
    refuse_option(svgp_.batch != standard.batch && !is_svgp, "--batch", "--solver svgp");
    refuse_option(svgp_.num_steps != standard.num_steps && !is_svgp, "--steps", "--solver svgp");
    if (models::asks_for_kernel(request_.formula)) {
      if (explains_)
        throw Error(ErrorCode::usage, "solvers have a cost for known kernels, and y ~ ? searches",
                    "--explain", "name a kernel: y ~ se(x)");
      return;
    }
    if (depth_ != kUsualDepth)
      throw Error(ErrorCode::usage, "--depth is an option of the search for kernels", "--depth",
                  "leave it out, or search: y ~ ?");
  }
  int list_kernels(Output& output) {
    std::vector<std::vector<std::string>> rows;
    for (const models::KernelRow* row : models::kernel_rows())
      rows.push_back({std::string(row->name), std::string(row->summary)});
    results::ArrayList answer("gp");
    auto group = answer.add_group("kernels", {{"kernel", ssize(rows)}});
    auto add = group.columns(rows);
    add("name", [](const auto& row) { return row[0]; });
    add("summary", [](const auto& row) { return row[1]; });
    print_answer(answer, text_columns(rows), "", json, output);
    return 0;
  }

  // Memory and operations of each solver, or the reason why the process can't be solved so.
  static std::string cost_table(const models::GpProblem& problem,
                                const models::GpSolverOptions& options) {
    std::vector<std::vector<std::string>> rows{{"solver", "memory", "operations", ""}};
    for (const models::GpSolverRow& one : models::gp_solver_rows()) {
      const std::string reason = one.refusal(problem);
      const models::GpCost cost = one.cost(problem, options);
      rows.push_back({std::string(one.name), fmt::format("{:.2g} GB", 1e-9 * cost.bytes),
                      fmt::format("{:.1e}", cost.operations),
                      reason.empty() ? "" : "not possible: " + reason});
    }
    return text_columns(rows) + "Operations are those of one evidence with derivatives.\n";
  }

  models::GpTable read(io::InputFiles& files, Output& output) {
    if (request_.formula.empty())
      throw Error(ErrorCode::usage, "a formula is needed", "FORMULA",
                  "credo gp 'y ~ se(x) + noise' --data TABLE.csv");
    request_.data = io::parse_data_recipe(reading_.recipe());
    if (request_.data.files.empty())
      throw Error(ErrorCode::usage, "a formula needs a table", "--data", "add --data FILE.csv");
    if (!request_.data.columns.empty())
      throw Error(ErrorCode::usage, "the formula says how columns are used", "--columns",
                  "name the columns in the formula as in the file: se(`stem width`)");
    request_.is_usable = is_free_in_programs;
    request_.noise = noise();
    request_.family = family();
    models::FormulaFaults faults;
    if (models::asks_for_kernel(request_.formula)) {
      if (request_.family != nullptr)
        throw Error(ErrorCode::usage, "kernels are searched for with normal outcomes only",
                    "FORMULA", "name a kernel: y ~ se(x)");
      search_for_kernel(files, faults, output);
    }
    models::GpTable table = models::make_gp_table(request_, text_of(files), faults);
    refuse(faults, table.formula, output);
    return table;
  }
  // Null: normal outcomes, solved exactly.
  const models::OutcomeFamily* family() const {
    const models::OutcomeFamily* found =
        models::find_outcome_family(family_, link_ == "auto" ? "" : link_);
    if (found == nullptr)
      throw Error(ErrorCode::usage, fmt::format("the family {} has no link {}", family_, link_),
                  "--link", "--link auto");
    if (!found->is_normal || solver_ == "svgp") return found;
    if (method_of_outcome_ != "auto")
      throw Error(ErrorCode::usage, "normal outcomes are treated exactly, without a method",
                  "--outcome", "leave it out, or take another --family");
    return nullptr;
  }
  // Options that are those of normal outcomes.
  void require_outcome_options(const models::OutcomeFamily& family) const {
    const auto refuse = [&](bool is_wrong, const char* option, const char* why,
                            const char* instead) {
      if (!is_wrong) return;
      throw Error(ErrorCode::usage, fmt::format("{} with --family {}", why, family_), option,
                  instead);
    };
    refuse(noise_ != "auto" && !family.is_normal, "--noise", "there is no noise", "leave it out");
    refuse(method_ == "ridge", "--method", "there is no ridge regression", "leave it out");
    refuse(hyper_ == "cv", "--hyper", "the grid of leave-one-out densities isn't there",
           "--hyper eb, grid, ccd or mcmc");
    refuse(checks_, "--check", "--check isn't there", "leave it out");
    refuse(!flow_.empty(), "--flow", "there is no training by gradient flow", "leave it out");
    refuse(solver_ != "auto" && solver_ != "svgp", "--solver",
           "solvers of normal outcomes don't work",
           "--outcome says how these outcomes are treated");
  }
  std::unique_ptr<models::GpSolver> outcome_solver(const models::GpTable& table, GpReport& report) {
    constexpr Index kMostDense = 4000;
    const models::OutcomeFamily& own = *table.outcomes.family;
    require_outcome_options(own);
    const models::OutcomeMethodRow& row = method_of_outcome_ == "auto"
                                              ? models::default_outcome_method(own)
                                              : models::find_outcome_method(method_of_outcome_);
    if (const std::string reason = row.refusal(own); !reason.empty())
      throw Error(ErrorCode::usage,
                  fmt::format("--outcome {} isn't possible with --family {}: {}", row.name,
                              own.name, reason),
                  "--outcome", "--outcome auto");
    solver_arguments_.require_for(row.name);
    if (row.make == nullptr && shows_spectrum_)
      throw Error(ErrorCode::usage,
                  "--outcome sample has draws of the hyperparameters, no largest "
                  "evidence at which --spectrum could be",
                  "--spectrum", "leave it out");
    if (table.num_rows() > kMostDense)
      throw Error(
          ErrorCode::usage,
          fmt::format("{} rows take long: each step factors a dense matrix", table.num_rows()),
          "--outcome", "--solver svgp --inducing 200 --batch 1000");
    report.solver = row.name, report.is_bound = row.is_bound;
    report.solver_words =
        fmt::format("{} outcomes, link {} | {}: {}", own.name, own.link, row.name, row.summary);
    optima_.num_screened = table.num_rows();
    if (row.make == nullptr) return sampled_solver(table, report);
    return row.make(table.problem, table.outcomes);
  }
  void require_no_starts(const char* instead) const {
    if (optima_.num_starts != models::OptimaOptions().num_starts)
      throw Error(ErrorCode::usage, fmt::format("{}, and no starts of others", instead), "--starts",
                  "leave it out");
  }
  // Hyperparameters are those of the draws; no evidence is computed.
  std::unique_ptr<models::GpSolver> sampled_solver(const models::GpTable& table, GpReport& report) {
    if (hyper_ != "eb")
      throw Error(ErrorCode::usage, "--outcome sample draws the hyperparameters itself", "--hyper",
                  "leave it out");
    require_no_starts("--outcome sample has chains");
    models::SampledGp sampled =
        models::sample_gp(table.problem, table.outcomes, {.seed = optima_.seed});
    report.hyper = std::move(sampled.points);
    report.remarks = report.hyper.notes;
    std::vector<double> first = report.hyper.thetas.front();
    first.pop_back();
    report.optima = {{.theta = std::move(first), .evidence = kNaN, .free_sds = {}}};
    return std::move(sampled.solver);
  }
  static std::vector<Index> factors_of(const models::GpTable& table) {
    std::vector<Index> factors;
    for (Index c = 0; c < ssize(table.inputs); ++c)
      if (table.inputs[static_cast<std::size_t>(c)].is_factor) factors.push_back(c);
    return factors;
  }
  // The climb itself, too: optima and hyperparameters are those of its end.
  std::unique_ptr<models::GpSolver> svgp_solver(const models::GpTable& table, GpReport& report) {
    require_outcome_options(*table.outcomes.family);
    if (table.outcomes.family->is_categorical)
      throw Error(ErrorCode::usage, "svgp has one process, and categorical outcomes have several",
                  "--solver", "--outcome laplace; or one class against the others: bernoulli");
    if (method_of_outcome_ != "auto" || hyper_ != "eb")
      throw Error(ErrorCode::usage,
                  "svgp climbs its own bound, at whose end the hyperparameters stand",
                  hyper_ != "eb" ? "--hyper" : "--outcome", "leave it out");
    const std::vector<Index> factors = factors_of(table);
    solver_arguments_.require_for("svgp");
    require_no_starts("svgp has one climb");
    if (solver_arguments_.num_inducing > 0) svgp_.num_inducing = solver_arguments_.num_inducing;
    svgp_.seed = optima_.seed;
    fit_ = models::fit_svgp(table.problem, table.outcomes, table.columns, factors, svgp_);
    report.solver = "svgp", report.is_bound = true;
    report.solver_words = fmt::format("{} outcomes, link {} | svgp: {} steps with {} rows",
                                      table.outcomes.family->name, table.outcomes.family->link,
                                      svgp_.num_steps, std::min(svgp_.batch, table.num_rows()));
    report.remarks.insert(report.remarks.end(), fit_.notes.begin(), fit_.notes.end());
    report.optima = {{.theta = fit_.theta,
                      .evidence = fit_.value,
                      .num_starts = 1,
                      .has_converged = fit_.has_converged,
                      .free_sds = {}}};
    report.hyper = {.thetas = {fit_.theta}, .weights = {1.0}, .notes = fit_.notes};
    return models::make_svgp_solver(fit_);
  }
  std::unique_ptr<models::GpSolver> normal_solver(const models::GpTable& table, GpReport& report,
                                                  Output& output) {
    const models::GpSolverRow& row = chosen_solver(table.problem);
    const models::GpSolverOptions options = solver_arguments_.chosen(row, optima_.seed);
    if (solver_arguments_.moves_inducing) require_movable(table);
    report.solver = row.name;
    report.solver_words = fmt::format("{}: {}", row.name, row.summary);
    const models::GpCost cost = row.cost(table.problem, options);
    if (solver_ == "auto" && !row.is_exact)
      report.remarks.push_back(
          fmt::format("The solver {} was chosen for {} rows. The dense factor would take {}.",
                      row.name, table.num_rows(),
                      models::cost_words(table.problem,
                                         models::exact_gp_solver().cost(table.problem, options))));
    if (cost.operations > kManyOperations)
      output.note(fmt::format("{}, {}\n", row.name, models::cost_words(table.problem, cost)));
    most_fitted_ = row.most_fitted;
    return row.make(table.problem, options, report.remarks);
  }
  int explain(const models::GpTable& table, Output& output) {
    if (table.outcomes.family != nullptr)
      throw Error(ErrorCode::usage, "costs are those of solvers of normal outcomes", "--explain",
                  "leave it out, or --family normal");
    output.print(cost_table(table.problem, solver_arguments_.all(optima_.seed)));
    return 0;
  }
  // The formula gets the kernels that the search finds in place of its question mark.
  void search_for_kernel(io::InputFiles& files, models::FormulaFaults& faults, Output& output) {
    Index number = 0;
    search_ = GpSearchReport{};
    search_->search = models::search_kernel(
        request_, text_of(files),
        {.max_depth = depth_, .seed = optima_.seed, .num_threads = num_threads_}, faults,
        [&](const models::SearchStep& step) { output.note(search_step_text(step, number++)); });
    refuse(faults, request_.formula, output);
    if (search_->search.formula.empty())
      throw Error(ErrorCode::data,
                  "no kernel is better than noise alone by BIC: the columns say nothing about the "
                  "outcome",
                  "FORMULA", "name a kernel: y ~ se(x)");
    request_.formula = search_->search.formula;
    optima_.known = search_->search.theta;
  }
  const models::GpSolverRow& chosen_solver(const models::GpProblem& problem) const {
    const bool needs_dense = method_ == "ridge" || !derivative_.empty() || num_draws_ > 0;
    if (solver_ == "auto" && needs_dense) return models::exact_gp_solver();
    if (solver_ == "auto") return models::choose_gp_solver(problem);
    const models::GpSolverRow& row = models::find_gp_solver(solver_);
    if (const std::string reason = row.refusal(problem); !reason.empty())
      throw Error(ErrorCode::usage,
                  fmt::format("the solver {} isn't possible here: {}", solver_, reason), "--solver",
                  "--solver exact");
    return row;
  }
  double noise() const {
    if (noise_ == "auto") return -1.0;
    const auto number = io::parse_number(noise_);
    if (!number || !(*number >= 0.0) || !std::isfinite(*number))
      throw Error(ErrorCode::usage, fmt::format("'{}' is no standard deviation", noise_), "--noise",
                  "a number that is at least 0, or auto");
    return *number;
  }
  static models::GpTextOf text_of(io::InputFiles& files) {
    return [&files](const std::string& path) -> const std::string& { return files.read(path); };
  }
  static void refuse(const models::FormulaFaults& faults, const std::string& formula,
                     Output& output) {
    if (faults.empty()) return;
    output.note(visible(faults.text(formula)));
    throw Error(ErrorCode::data, fmt::format("formula and table have {} fault{}", faults.size(),
                                             faults.size() == 1 ? "" : "s"));
  }

  // Optima of the evidence, and the hyperparameters that predictions use.
  void estimate(models::GpSolver& solver, GpReport& report) const {
    const models::GpProblem& problem = report.table.problem;
    const bool is_known = models::estimated_parameters(problem.covariance).empty();
    if (hyper_ == "cv" && !is_known) {
      report.hyper = models::hyper_cv(problem, optima_);
      const double evidence = solver.evidence(report.hyper.thetas[0], false).value;
      report.optima = {{.theta = report.hyper.thetas[0],
                        .evidence = evidence,
                        .num_starts = 1,
                        .has_converged = true,
                        .free_sds = {}}};
    } else {
      bool was_screened = false;
      report.optima = models::find_optima(problem, solver, optima_, &was_screened);
      if (was_screened)
        report.remarks.emplace_back(
            "Starts were climbed on part of the rows first, and from the best two optima on all "
            "rows.");
      if (report.optima.empty()) {
        solver.posterior(
            models::centre_of(problem.covariance));  // names the rows, if it is the covariance
        throw Error(ErrorCode::evaluation, "no start has an evidence that is a number", "",
                    "--starts takes more starts; state some hyperparameters: se(x, length = 2)");
      }
      report.hyper = {.thetas = {report.optima[0].theta}, .weights = {1.0}};
      if (!is_known && hyper_ == "grid")
        report.hyper = models::hyper_grid(problem, solver, optima_);
      if (!is_known && hyper_ == "ccd") report.hyper = models::hyper_ccd(problem, solver, optima_);
      if (!is_known && hyper_ == "mcmc")
        report.hyper = models::hyper_mcmc(problem, solver, optima_);
    }
    report.remarks.insert(report.remarks.end(), report.hyper.notes.begin(),
                          report.hyper.notes.end());
  }

  // Averages over hyperparameters would be at other points.
  void require_movable(const models::GpTable& table) const {
    if (hyper_ != "eb")
      throw Error(
          ErrorCode::usage,
          fmt::format("points move with the hyperparameters, and --hyper {} keeps them", hyper_),
          "--move-inducing", "--hyper eb");
    if (!models::may_move_points(table.problem, factors_of(table)))
      throw Error(ErrorCode::usage,
                  "inducing points move along numbers, and a kernel here has levels, restricts its "
                  "inputs or projects them",
                  "--move-inducing", "leave it out: the points stay at rows");
  }
  // The bound is climbed over the points, too.
  void move_inducing_points(models::GpSolver& solver, const models::GpSolverOptions& options,
                            GpReport& report) const {
    const models::GpProblem& problem = report.table.problem;
    const auto moved =
        models::move_inducing(problem, dynamic_cast<models::InducingSolver&>(solver),
                              models::inducing_rows(problem, options), report.optima[0]);
    report.remarks.push_back(
        fmt::format("The inducing points were moved by the gradient of the bound, which grew from "
                    "{:.4f} to {:.4f}.",
                    moved.before, moved.optimum.evidence));
    report.optima = {moved.optimum};
    report.hyper = {.thetas = {moved.optimum.theta}, .weights = {1.0}};
  }

  // y - f = noise variance times alpha, and |f|^2 = alpha' K alpha.
  static void rate_ridge(GpReport& report) {
    const models::GpTable& table = report.table;
    const std::vector<double>& alpha = report.averages.weights;
    for (std::size_t n = 0; n < alpha.size(); ++n) {
      double level = -table.centre;  // problem.y is centred, too
      for (Index c = 0; c < table.problem.mean_columns.cols; ++c)
        level += table.problem.mean_columns(static_cast<Index>(n), c) *
                 report.averages.coefficients[static_cast<std::size_t>(c)];
      const double residual = report.averages.noise_variance * alpha[n];
      report.norm += alpha[n] * (table.problem.y[n] - residual - level);
      report.loss += residual * residual;
    }
  }

  static void add_check(GpReport& report) {
    const models::GpTable& table = report.table;
    const bool has_points = !report.at.empty() && report.at.back().name != "fitted";
    const models::GpPoints rows{.columns = table.columns,
                                .mean_columns = table.problem.mean_columns};
    const models::GpPoints& points = has_points ? report.at.back().points : rows;
    report.check = models::check_gp(table, report.optima[0].theta, points,
                                    has_points ? 0 : points.count() - 1);
  }
  void add_flow(GpReport& report) const {
    const models::GpTable& table = report.table;
    const bool has_points = !report.at.empty() && report.at.back().name != "fitted";
    const models::GpPoints rows{.columns = table.columns,
                                .mean_columns = table.problem.mean_columns};
    report.flow = GpFlowReport{.flow = models::flow_of(table, report.optima[0].theta,
                                                       has_points ? report.at.back().points : rows,
                                                       flow_times(flow_))};
  }
  static void add_spectra(GpReport& report) {
    report.spectra = models::spectra_of(report.table.problem.covariance, report.optima[0].theta);
    if (report.spectra.empty())
      report.remarks.emplace_back(
          "No term is a single stationary kernel of one input with a spectral density.");
  }

  void add_points(GpReport& report, io::InputFiles& files, Output& output) const {
    const models::GpTable& table = report.table;
    models::GpAtPoints fitted{.name = "fitted"}, at{.name = "predictions"};
    fitted.points = {
        .columns = table.columns, .mean_columns = table.problem.mean_columns, .rows = table.rows};
    at.num_draws = std::max(num_draws_, num_prior_);
    at.from_prior = num_prior_ > 0;
    if (!predict_.empty() && ahead_ > 0)
      throw Error(ErrorCode::usage, "points are those of a table, or ahead", "--ahead",
                  "leave one of --predict and --ahead out");
    if (num_draws_ > 0 && num_prior_ > 0)
      throw Error(ErrorCode::usage, "draws are from the posterior, or from the prior",
                  "--prior-draws", "leave one of --draws and --prior-draws out");
    if (at.num_draws > 0 && file_.empty() && !json)
      throw Error(ErrorCode::usage, "draws are in the file of --output, or in --json",
                  num_draws_ > 0 ? "--draws" : "--prior-draws", "add -o gp.nc");
    const bool has_points = !predict_.empty() || ahead_ > 0 || at.num_draws > 0;
    if (!predict_.empty()) {
      models::GpRequest request = request_;
      request.data.files = {predict_};
      models::FormulaFaults faults;
      at.points = models::read_gp_points(table, request, text_of(files), faults);
      refuse(faults, table.formula, output);
      if (at.points.num_dropped > 0)
        report.remarks.push_back(
            fmt::format("{} rows of {} have a missing input and no prediction.",
                        at.points.num_dropped, predict_));
    } else if (ahead_ > 0) {
      at.points = models::points_ahead(table, ahead_);
    } else if (has_points) {
      at.points = fitted.points;
    }
    if (table.num_rows() <= most_fitted_)
      report.at.push_back(std::move(fitted));
    else if (json || !file_.empty())
      report.remarks.push_back(
          fmt::format("The answer has no group `fitted`: of {} rows, more than {}, the function at "
                      "the rows isn't computed. --predict with the same table computes it.",
                      table.num_rows(), most_fitted_));
    if (has_points) report.at.push_back(std::move(at));
  }

  models::GpRequest request_;
  models::OptimaOptions optima_;
  DataArguments reading_;
  GpSolverArguments solver_arguments_;
  std::optional<GpSearchReport> search_;
  models::SvgpOptions svgp_;
  models::SvgpFit fit_;
  std::string solver_ = "auto", hyper_ = "eb", noise_ = "auto", method_ = "process", predict_,
              derivative_, flow_, file_, family_{models::normal_outcomes().name}, link_ = "auto",
              method_of_outcome_ = "auto";
  Index num_threads_ = 0, ahead_ = 0, num_draws_ = 0, num_prior_ = 0, most_fitted_ = models::GpSolverRow{}.most_fitted,
        depth_ = kUsualDepth;
  bool lists_kernels_ = false, checks_ = false, shows_spectrum_ = false, explains_ = false;
};
}  // namespace

extern const CommandRow gp_command{
    "gp", "regression by a Gaussian process: an expression of kernels, hyperparameters by evidence",
    "  credo gp 'y ~ se(x) + noise' --data d.csv\n"
    "  credo gp 'co2 ~ se(t) + periodic(t, 1) * se(t) + rq(t) + noise' --data co2.csv --ahead 120\n"
    "  credo gp 'y ~ 1 + x | matern52(x)' --data d.csv --predict new.csv --derivative x -o gp.nc\n"
    "  credo gp 'y ~ se_ard(a, b, c)' --data d.csv --noise 0\n"
    "  credo gp 'type ~ se_ard(glu, bmi)' --family bernoulli --data pima.csv --predict new.csv\n"
    "  credo gp 'deaths | rate(expected) ~ matern32(east, north)' --family poisson --data d.csv\n"
    "  credo gp --kernels\n",
    make_command<GaussianProcess>,
    "Standard output: the hyperparameters at the largest evidence, other optima, predictions. With "
    "--output: these as arrays or JSON, with the function at the rows of the table (up to 5,000 "
    "rows)."};

}  // namespace credo::cli
