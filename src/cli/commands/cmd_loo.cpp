// credo loo: how well a model predicts each row of its data from all others, or a fold of them, or what comes next.
#include <fmt/format.h>

#include "cli/fit/fitted_model.hpp"
#include "cli/fit/loo_report.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/fit_verdict.hpp"
#include "cli/run/refit_arguments.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/work_spec.hpp"
#include "cli/term/stop.hpp"
#include "diagnose/psis.hpp"
#include "io/data/data_files.hpp"
#include "model/data/program_table.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/draws/fit_points.hpp"
#include "results/loo/folds.hpp"
#include "results/loo/loo_improve.hpp"

namespace credo::cli {
namespace {

// Scheme of leaving rows out.
struct Scheme {
  Index num_folds = 0, ahead = 0, first = 0;
  std::string fold_by, stratify;
  bool has_folds() const { return num_folds > 0 || !fold_by.empty(); }

  void describe(Arguments& arguments) {
    arguments.group("Left out in other ways");
    arguments.option("--folds", num_folds,
                     "folds of rows, at random; each is predicted by a fit of the others",
                     needing("!--fold-by", at_least(0)));
    arguments.option("--stratify", stratify,
                     "a variable of the data, whole numbers: each of its values is spread over the "
                     "folds",
                     needing("--folds"));
    arguments.option("--fold-by", fold_by,
                     "a variable of the data, whole numbers: a fold for each of its values");
    arguments.option("--future", ahead,
                     "times ahead: each time, a row of a statement, is predicted from those before",
                     needing("!--folds,!--fold-by", at_least(0)));
    arguments.option("--from", first, "times that are given from the beginning; 0: half of them",
                     needing("--future", at_least(0)));
  }
};

constexpr char kRowsAlone[] = "!--folds,!--fold-by,!--future";

class LooCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a result, a run file, or CSV files, one a chain",
                          any_file());
    model_.describe(arguments);
    rows_.describe(arguments);
    arguments.group("Rows one by one");
    arguments.option("--r-eff", r_eff_,
                     "effective draws over draws of the likelihoods; 0: by their autocorrelations",
                     from_to(0, 10));
    arguments.flag("--moment-match", matches_,
                   "move the draws to where a row is left out, where Pareto k is too large",
                   needing(kRowsAlone));
    arguments.option(
        "--refit", refit_,
        "fit without a row: bad: where Pareto k is above the limit, or below it by less than "
        "two of its standard errors; all: each row",
        needing(kRowsAlone, one_of({"none", "bad", "all"})));
    scheme_.describe(arguments);
    refits_.describe(arguments);
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    const auto fit = open_draws(files_, output);
    const auto whole =
        model_.needed(*fit, output, json, "name the program and its data: --model, --data");
    const auto model = rows_.apply(*whole);
    const model::DataFiles data = model_.data();
    note_disbelief(*fit, *model, output, model_.is_given(*fit) ? &data : nullptr);
    if (scheme_.has_folds()) return leave_folds_out(*fit, *model, output);
    if (scheme_.ahead > 0) return leave_future(*fit, *model, output);
    return leave_rows_out(*fit, *model, output);
  }

 private:
  template <class Report>
  int print(const Report& report, Output& output) const {
    output.print(json ? answer_json(arrays_of(report)) : text_of(report));
    return 0;
  }
  template <class Report>
  int conclude(const Report& report, Output& output) {
    if (!refits_.file.empty()) write_answer(refits_.file, with_spec(arrays_of(report), spec()));
    if (work_) work_->end();
    return print(report, output);
  }

  int leave_rows_out(const Fit& fit, const model::Model& model, Output& output) {
    Loo loo = loo_of(fit, model, {.r_eff = r_eff_ > 0.0 ? r_eff_ : kNaN});
    const std::vector<RowPlace> places = places_of(model, fit, loo.point, loo.rows.size());
    if (matches_) match_unreliable_rows(loo, fit, model);
    const RowKind kind = kind_of_rows(model);
    std::vector<Index> rows;
    if (refit_ == "bad") rows = loo.doubtful();
    if (refit_ == "all") rows = counted_rows(ssize(loo.rows));
    const std::vector<Fold> folds = single_folds(rows);
    if (refit_ == "none") return conclude(LooReport{loo, kind, places}, output);
    const std::vector<Refit> refits = fit_all(fit, model, folds, loo.point, output);
    take_refits(loo, folds, refits);
    return conclude(LooReport{loo, kind, places, folds, refits}, output);
  }

  int leave_folds_out(const Fit& fit, const model::Model& model, Output& output) {
    const std::vector<double> point = FitPoints(fit, model).read(0, 0, 1).front();
    const std::vector<Fold> folds = folds_of(fit, model, point);
    std::size_t num_rows = 0;
    for (const Fold& fold : folds) num_rows += fold.without.size();
    const std::vector<RowPlace> places = places_of(model, fit, point, num_rows);
    const std::vector<Refit> refits = fit_all(fit, model, folds, point, output);
    for (std::size_t k = 0; k < refits.size(); ++k)
      if (!refits[k].failure.empty())
        throw Error(ErrorCode::evaluation,
                    fmt::format("fold {} couldn't be fitted: {}", k + 1, refits[k].failure),
                    fit.origin().source, "take fewer rows out at a time: more --folds");
    return conclude(FoldReport{kind_of_rows(model), places, folds, refits}, output);
  }

  int leave_future(const Fit& fit, const model::Model& model, Output& output) {
    const std::vector<double> point = FitPoints(fit, model).read(0, 0, 1).front();
    const auto statements = model.rows(point);
    for (const auto& [statement, count] : statements)
      if (count != statements[0].count)
        throw Error(ErrorCode::program,
                    fmt::format("times are rows of statements, which have {} and {} of them",
                                statements[0].count, count),
                    model.source().where(statement), "write all of it over the same times");
    const Index num_times = statements[0].count,
                first = scheme_.first > 0 ? scheme_.first : num_times / 2;
    const infer::SampleOptions run = refits_.options_for(fit, model);
    begin_work("predictions", std::max<Index>(num_times - scheme_.ahead - first + 1, 1), output);
    const std::vector<FutureStep> steps =
        leave_future_out(model, ssize(statements), num_times, point,
                         {.first = first,
                          .ahead = scheme_.ahead,
                          .run = run,
                          .seed = refits_.seed,
                          .done = work_->done<FutureStep>(),
                          .on_done = work_->on_done<FutureStep>(),
                          .states = work_->states()});
    const double k_limit = diagnose::pareto_k_limit(run.num_chains * run.num_draws);
    return conclude(FutureReport{kind_of_rows(model), steps, scheme_.ahead, k_limit}, output);
  }

  results::WorkSpec spec() const { return work_spec(asked, model_.files_read()); }
  void begin_work(const char* what, Index count, Output& output) {
    work_.emplace(results::WorkOptions{.file = refits_.file,
                                       .spec = spec(),
                                       .what = what,
                                       .count = count,
                                       .note = notes_of(output, refits_.is_quiet || json)});
  }
  std::vector<Refit> fit_all(const Fit& fit, const model::Model& model, std::span<const Fold> folds,
                             std::span<const double> point, Output& output) {
    const infer::SampleOptions run = refits_.options_for(fit, model);
    begin_work("fits", ssize(folds), output);
    return refit_all(model, folds, point,
                     {.run = run,
                      .num_threads = refits_.num_threads,
                      .seed = refits_.seed,
                      .done = work_->done<Refit>(),
                      .on_done = work_->on_done<Refit>(),
                      .states = work_->states()});
  }

  static std::vector<Index> counted_rows(Index count) {
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }

  std::vector<Fold> folds_of(const Fit& fit, const model::Model& model,
                             std::span<const double> point) {
    std::vector<Index> rows_of_statements;
    Index num_rows = 0;
    for (const auto& [statement, count] : model.rows(point)) {
      rows_of_statements.push_back(count);
      num_rows += count;
    }
    const auto values = [&](const std::string& name) {
      return values_of_rows(data_values(fit, model, name), rows_of_statements, name);
    };
    if (!scheme_.fold_by.empty()) return group_folds(values(scheme_.fold_by));
    if (!scheme_.stratify.empty())
      return stratified_folds(values(scheme_.stratify), scheme_.num_folds, refits_.seed);
    return random_folds(num_rows, scheme_.num_folds, refits_.seed);
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
  Scheme scheme_;
  RefitArguments refits_;
  double r_eff_ = 0.0;
  bool matches_ = false;
  std::string refit_ = "none";
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
