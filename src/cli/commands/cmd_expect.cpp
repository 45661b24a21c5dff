// credo expect: expectations under the prior of a program, or its posterior, from points of the unit cube.
#include <fmt/format.h>

#include "base/stop.hpp"
#include "cli/command.hpp"
#include "cli/load.hpp"
#include "cli/options/row_options.hpp"
#include "cli/results.hpp"
#include "cli/run/answer_file.hpp"
#include "diagnose/psis.hpp"
#include "model/expressions.hpp"
#include "model/model.hpp"
#include "numerics/elementary.hpp"
#include "results/draws/work.hpp"
#include "results/estimates/expectation.hpp"
#include "results/estimates/rare_event.hpp"

namespace credo::cli {
namespace {

constexpr double kExact = 1e-12;  // below so many standard deviations the error is that of rounding

// "sobol: scrambled Sobol points; ...", and the names.
template <class Row>
std::string words_of(std::span<const Row* const> rows) {
  std::string words;
  for (const Row* row : rows)
    words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", row->name, row->summary);
  return words;
}
template <class Row>
Values one_row_of(std::span<const Row* const> rows) {
  std::vector<std::string> names;
  for (const Row* row : rows) names.emplace_back(row->name);
  return one_of(names);
}

std::vector<const results::RareEventMethod*> event_methods() {
  std::vector<const results::RareEventMethod*> rows;
  for (const results::RareEventMethod& row : results::rare_event_methods()) rows.push_back(&row);
  return rows;
}

std::vector<OptionRow> options_of_methods() {
  std::vector<OptionRow> rows;
  for (const results::RareEventMethod* row : event_methods())
    rows.push_back({row->name, row->options()});
  return rows;
}

// Warnings about figures that aren't reliable.
std::string warnings(const results::Expectations& found,
                     const results::ExpectationOptions& options) {
  std::string text;
  const Index num_points = options.num_points * options.num_replicates;
  if (options.rule->wants_power_of_two && (options.num_points & (options.num_points - 1)) != 0)
    text += fmt::format("{} points of {} are less even than a power of two.\n", options.num_points,
                        options.rule->name);
  if (options.of_posterior && !(found.pareto_k <= diagnose::pareto_k_limit(num_points)))
    text += fmt::format(
        "Don't rely on it: Pareto k of the weights is {:.2f}, above {:.2f}: the posterior is too "
        "narrow beside the "
        "prior. credo sample draws from it.\n",
        found.pareto_k, diagnose::pareto_k_limit(num_points));
  if (found.num_refused > 0)
    text += fmt::format("{} of {} points lie outside of the support and aren't counted.\n",
                        found.num_refused, num_points);
  return text;
}

class Expect final : public Command {
 public:
  void describe(Arguments& arguments) override {
    model_.describe(arguments);
    arguments.group("Expectations");
    arguments.option("--of", of_,
                     "expression whose mean is estimated, as \"exp(mu) / tau\" or \"theta[1] > "
                     "theta[2]\"; may be repeated",
                     {.word = "EXPRESSION"});
    arguments.option(
        "--probability", event_,
        "instead: the probability of a rare event under the prior, by levels, as \"theta > 5\" or "
        "\"x[1] + x[2] < -8\"",
        {.word = "EVENT"});
    arguments.option(
        "--method", method_, "how: " + words_of<results::RareEventMethod>(event_methods()),
        needing("--probability", one_row_of<results::RareEventMethod>(event_methods())));
    arguments.flag("--posterior", options_.of_posterior,
                   "under the posterior: points are weighed by the likelihood; also estimates the "
                   "log evidence");
    arguments.option("--points", rule_, words_of(numerics::point_rules()),
                     one_row_of(numerics::point_rules()));
    arguments.option("--number", options_.num_points, "points of each replicate", at_least(2));
    arguments.option(
        "--replicates", options_.num_replicates,
        "independent randomised replicates: the error is computed from their differences",
        changing(Changes::amount, at_least(2)));
    arguments.option("--within", within_,
                     "says how many independent draws would find each mean within ± this at 95 %",
                     in_range(infer::positive()));
    arguments.option("--threads", options_.num_threads,
                     "replicates are shared out over so many; the figures are the same",
                     changing(Changes::nothing, at_least(1)));
    arguments.option("-o,--output", file_,
                     "the result: FILE.nc (NetCDF-4) or FILE.json; finished replicates are stored "
                     "beside it, and "
                     "credo resume OUTPUT.run continues with them",
                     output_file("*", Writes::kept_file));
    describe_like(arguments, *this);
    arguments.group(title_of_rows(arguments, "--method", "methods"));
    rows_.describe(arguments, "--method", options_of_methods());
  }

  int run(Output& output) override {
    if (of_.empty() == event_.empty())
      throw Error(ErrorCode::usage,
                  of_.empty()
                      ? "an expectation is of something"
                      : "expectations and the probability of a rare event are computed separately",
                  of_.empty() ? "--of" : "--probability",
                  "--of \"exp(mu) / tau\", or --probability \"mu > 40\"");
    if (model_.terms != "all")
      throw Error(ErrorCode::usage,
                  "--posterior selects the posterior, and the prior is the default", "--terms",
                  "leave it out");
    for (const numerics::PointRule* rule : numerics::point_rules())
      if (rule->name == rule_) options_.rule = rule;
    require_event_for_options();
    const auto model = load_model(model_, output, json);
    if (!event_.empty()) {
      const Report made = probability(*model);
      report({with_spec(made.answer, with_inputs(asked, model_.files.contents())), made.text},
             output);
      return 0;
    }
    options_.seed = model_.seed;
    const model::Expressions expressions(model->outputs(), of_);
    const Specification spec = with_inputs(asked, model_.files.contents());
    results::Work work({.file = file_,
                        .spec = spec,
                        .what = "replicates",
                        .count = options_.num_replicates,
                        .note = notes_of(output, json),
                        .reports_progress = false});
    options_.work = &work;
    const auto found =
        results::expectations(*model, options_, [&](const auto& outputs, std::uint32_t first) {
          return expressions.evaluate(expressions.chosen(outputs),
                                      {.seed = options_.seed, .first = first});
        });
    require_finite(found);
    const Report made{answer_of(found), text_of(found)};
    report({with_spec(made.answer, spec), made.text}, output);
    work.end();
    return 0;
  }

 private:
  struct Report {
    results::ArrayList answer;
    std::string text;
  };
  void report(const Report& report, Output& output) const {
    print_answer(report.answer, report.text, file_, json, output);
  }

  void require_event_for_options() const {
    if (event_.empty() && !rows_.given().empty())
      throw Error(ErrorCode::usage, "needs --probability EVENT",
                  option_of_field(rows_.given().begin()->first),
                  "add --probability EVENT, or leave it out");
  }

  // A mean doesn't exist if the expression is NaN or infinite at some points.
  void require_finite(const results::Expectations& found) const {
    for (std::size_t k = 0; k < found.of.size(); ++k) {
      const results::Expectation& e = found.of[k];
      if (e.num_not_finite == 0) continue;
      throw Error(
          ErrorCode::evaluation,
          fmt::format("'{}' is {} at {} of {} points, so that it has no mean", of_[k], e.not_finite,
                      e.num_not_finite, options_.num_points * options_.num_replicates),
          "--of", "ask for an expression that is finite wherever the parameters can be");
    }
  }

  // "a > b" as a - (b) above 0, "a < b" as (b) - (a): the last sign outside of brackets.
  std::string score_of_event() const {
    if (event_.find("&&") != event_.npos || event_.find("||") != event_.npos)
      throw Error(ErrorCode::usage, fmt::format("'{}' is more than one comparison", event_),
                  "--probability", "for a > b && c > d write fmin(a - b, c - d) > 0; for ||, fmax");
    int depth = 0;
    for (std::size_t at = event_.size(); at-- > 1;) {
      const char c = event_[at];
      depth += c == ')' || c == ']' ? 1 : c == '(' || c == '[' ? -1 : 0;
      if (depth != 0 || (c != '<' && c != '>')) continue;
      const bool with_equal = at + 1 < event_.size() && event_[at + 1] == '=';
      const std::string left = event_.substr(0, at),
                        right = event_.substr(at + (with_equal ? 2 : 1));
      return c == '>' ? fmt::format("({}) - ({})", left, right)
                      : fmt::format("({}) - ({})", right, left);
    }
    throw Error(ErrorCode::usage,
                fmt::format("'{}' isn't a comparison of two expressions by < or >", event_),
                "--probability", "--probability \"theta > 5\"");
  }

  Report probability(const model::Model& model) {
    const std::string score_text = score_of_event();
    const model::Expressions whole(model.outputs(), {event_});  // refuses what its parts don't show
    const model::Expressions expressions(model.outputs(), {score_text});
    if (!expressions.random_text().empty())
      throw Error(
          ErrorCode::usage,
          fmt::format("'{}' draws random numbers, and levels are those of a number that is "
                      "the same each time it is computed at a point",
                      event_),
          "--probability",
          fmt::format("average over new random numbers at each point: --of \"{}\"", event_));
    const results::ScoreOfOutputs score{
        .elements = expressions.elements(),
        .values = [&](std::span<const std::vector<double>> rows) {
          std::vector<double> values;
          for (const std::vector<double>& answer : expressions.evaluate(rows))
            values.push_back(answer[0]);
          return values;
        }};
    const infer::RareEvent found = results::rare_event_of(
        model, score, 0.0, method_, rows_.options_of(method_, "--method", options_of_methods()),
        {.seed = model_.seed, .num_threads = options_.num_threads});
    stop_if_asked();
    return found.is_bound() ? report_of_bound(found) : report_of(found);
  }

  results::ArrayList answer_of_event(double probability, double error) const {
    results::ArrayList answer("expect");
    answer.set("event", event_);
    answer.set("probability", probability);
    answer.set("error", error);
    return answer;
  }
  static void add_work(results::ArrayList& answer, const infer::RareEvent& found) {
    answer.set("num_levels", ssize(found.levels));
    answer.set("num_evaluations", found.num_evaluations);
  }

  Report report_of(const infer::RareEvent& found) const {
    const double p = numerics::exp(found.log_probability.value),
                 relative = found.log_probability.error;
    Report all{answer_of_event(p, p * relative), {}};
    all.answer.set("log_probability", found.log_probability.value);
    all.answer.set("log_probability_error", relative);
    add_work(all.answer, found);
    const std::string error =
        std::isfinite(relative) ? fmt::format("{:.2g}", p * relative) : "not known: more particles";
    all.text = fmt::format("P({}) = {:.4g}, error {}; {} levels, {} evaluations\n", event_, p,
                           error, found.levels.size(), found.num_evaluations);
    return all;
  }

  // Upper bound of the probability, for an event that no population reached.
  Report report_of_bound(const infer::RareEvent& found) const {
    const double bound = std::min(1.0, numerics::exp(found.log_bound));
    std::string sentence = fmt::format(
        "P({}) is below {:.2g}, if the event can happen at all: no population reaches it in {} "
        "levels",
        event_, bound, found.levels.size());
    if (std::isfinite(found.highest))
      sentence += fmt::format("; the two sides still differ by {:.4g}", -found.highest);
    sentence += ".";
    Report all{answer_of_event(kNaN, kNaN), sentence + "\n"};
    all.answer.set("bound", bound);
    all.answer.set("log_bound", found.log_bound);
    all.answer.set("sentence", sentence);
    add_work(all.answer, found);
    return all;
  }

  // 95 % intervals are ± 1.96 standard errors [murphy2023, 11.2.2].
  double needed(const results::Expectation& e) const {
    return std::ceil(std::pow(1.96 * e.sd / within_, 2));
  }

  std::string text_of(const results::Expectations& found) const {
    std::size_t width = 10;
    for (const std::string& of : of_) width = std::max(width, of.size());
    std::string text = fmt::format("{:<{}} {:>12} {:>10} {:>10} {:>12}", "", width, "mean", "error",
                                   "sd", "worth draws");
    text += within_ > 0.0 ? fmt::format(" {:>14}\n", fmt::format("for ±{:g}", within_)) : "\n";
    for (std::size_t k = 0; k < of_.size(); ++k) {
      const results::Expectation& e = found.of[k];
      text += fmt::format(
          "{:<{}} {:>12.6g} {:>10.2g} {:>10.4g} {:>12}", of_[k], width, e.mean, e.error, e.sd,
          e.error > kExact * e.sd ? fmt::format("{:.3g}", e.num_equivalent()) : "exact");
      text += within_ > 0.0 ? fmt::format(" {:>14.0f}\n", needed(e)) : "\n";
    }
    if (options_.of_posterior)
      text += fmt::format(
          "\nlog evidence {:.5g}, error {:.2g}; the weights are worth {:.0f} equal ones, Pareto k "
          "{:.2f}\n",
          found.log_evidence, found.log_evidence_error, found.weight_ess, found.pareto_k);
    const std::string doubts = warnings(found, options_);
    return text + (doubts.empty() ? "" : "\n" + doubts);
  }

  results::ArrayList answer_of(const results::Expectations& found) const {
    results::ArrayList answer = arrays_of(found, options_, of_);
    answer.set("doubts", warnings(found, options_));
    if (within_ > 0.0)
      answer.group("expectations")
          .add_column({.name = "needed_draws", .help = "independent draws for --within"}, found.of,
                      [&](const results::Expectation& e) { return needed(e); });
    return answer;
  }

  ModelArguments model_;
  std::vector<std::string> of_;
  std::string event_, file_;
  RowOptions rows_;
  std::string method_ = "levels";
  std::string rule_ = "sobol";
  double within_ = 0.0;
  results::ExpectationOptions options_;
};
}  // namespace

extern const CommandRow expect_command{
    "expect",
    "expectations under a prior or a posterior, from independent or from evenly spread points",
    "  credo expect model.stan --data data.json --of 'exp(mu)' --of 'tau > 1'\n"
    "  credo expect model.stan --data data.json --of mu --posterior --points sobol --number 4096\n"
    "  credo expect model.stan --data data.json --of mu --points independent --within 0.01\n"
    "  credo expect model.stan --data data.json --probability 'mu > 40'\n",
    make_command<Expect>,
    "Standard output: the mean of each expression with its error, as text or JSON. With "
    "--output: these as arrays or JSON; until it is complete OUTPUT.run, from which `credo resume` "
    "continues."};

}  // namespace credo::cli
