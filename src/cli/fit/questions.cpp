#include "cli/fit/questions.hpp"

#include <fmt/format.h>

#include "cli/run/summarise.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/density_regions.hpp"
#include "diagnose/weights.hpp"
#include "model/expressions.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/draws/weights.hpp"

namespace credo::cli {
namespace {

// Draws of all chains, one chain after another, with their weights.
struct Sample {
  Index num_draws = 0, num_chains = 0;
  std::vector<double> log_weights, weights;  // empty: all count the same

  explicit Sample(const Fit& fit)
      : num_draws(fit.num_draws(false)),
        num_chains(fit.num_chains()),
        log_weights(log_weights_of(fit)) {
    if (num_draws == 0)
      throw Error(ErrorCode::data, "the fit has no draw after warm-up", fit.origin().source);
    if (log_weights.empty()) return;
    const double largest = *std::max_element(log_weights.begin(), log_weights.end());
    double sum = 0.0;
    for (const double w : log_weights)
      weights.push_back(std::exp(w - largest)), sum += weights.back();
    for (double& w : weights) w /= sum;
  }
  diagnose::Summary summary(std::span<const double> values) const {
    return log_weights.empty() ? diagnose::summarise({values, num_draws, num_chains})
                               : diagnose::weighted_summary(values, log_weights);
  }
  // Equivalent number of equally weighted draws.
  double num_equal() const {
    if (weights.empty()) return static_cast<double>(num_draws * num_chains);
    double squares = 0.0;
    for (const double w : weights) squares += w * w;
    return 1.0 / squares;
  }
  // The mean and its Monte Carlo error; 0 where all values are the same.
  std::pair<double, double> mean(std::span<const double> values) const {
    if (std::all_of(values.begin(), values.end(), [&](double x) { return x == values[0]; }))
      return {values[0], 0.0};
    if (!log_weights.empty()) {
      const diagnose::Summary s = summary(values);
      return {s.mean, s.mcse_mean};
    }
    return {diagnose::mean(values), diagnose::mcse_mean({values, num_draws, num_chains})};
  }
};

// The values of expressions at all draws, one after another; `extra` is the same for all.
class Evaluated {
 public:
  Evaluated(const Fit& fit, const std::vector<std::string>& texts,
            const std::vector<std::string>& names = {})
      : expressions_(fit.layout(), texts, names) {
    const Index count = fit.num_draws(false) * fit.num_chains();
    rows_.resize(static_cast<std::size_t>(count));
    for (const Index element : expressions_.elements()) {
      const density::Draws draws = fit.quantities(false, first_output(fit) + element, 1);
      const std::span<const double> values = draws.quantity(0);
      for (std::size_t s = 0; s < rows_.size(); ++s) rows_[s].push_back(values[s]);
    }
  }
  // By expression.
  std::vector<std::vector<double>> values(std::span<const double> extra = {}) const {
    std::vector<std::vector<double>> rows = rows_;
    for (auto& row : rows) row.insert(row.end(), extra.begin(), extra.end());
    const auto answers = expressions_.evaluate(rows);
    std::vector<std::vector<double>> values(answers[0].size());
    for (const auto& answer : answers)
      for (std::size_t k = 0; k < answer.size(); ++k) values[k].push_back(answer[k]);
    return values;
  }

 private:
  model::Expressions expressions_;
  std::vector<std::vector<double>> rows_;
};

struct Region {
  std::string name;
  double mode;
  diagnose::Interval equal_tailed, narrowest;
  std::vector<diagnose::Interval> highest;
};

Region region_of(const std::string& name, std::span<const double> values, const Sample& sample,
                 double mass) {
  return {.name = name,
          .mode = diagnose::mode_of(values, sample.weights),
          .equal_tailed = diagnose::equal_tailed_interval(values, mass, sample.weights),
          .narrowest = diagnose::narrowest_interval(values, mass, sample.weights),
          .highest = diagnose::highest_density_region(values, mass, sample.weights)};
}

std::string text_of(const diagnose::Interval& interval) {
  return fmt::format("[{:.4g}, {:.4g}]", interval.lower, interval.upper);
}

struct Action {
  double value, loss, error;
};

std::vector<double> numbers_of(std::span<const std::string> texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    char* end = nullptr;
    numbers.push_back(std::strtod(text.c_str(), &end));
    if (end == text.c_str() || *end != '\0')
      throw Error(ErrorCode::usage, "must be a number, is '" + text + "'", "--action",
                  "--action 0 --action 2.5");
  }
  return numbers;
}

// The least loss over all numbers near the draws' own scale: outwards from 0 until it grows, then by golden sections.
// If the expected loss has a single valley, the result is its lowest point.
Action best_action(const std::function<Action(double)>& at) {
  constexpr double kGolden = 0.6180339887498949;
  Action middle = at(0.0);
  double low = -1.0, high = 1.0;
  for (const double side : {1.0, -1.0}) {
    double step = 1.0;
    for (Action next = at(side); next.loss < middle.loss && step < 1e12;
         next = at(middle.value + side * step)) {
      (side > 0.0 ? low : high) = middle.value;
      middle = next, step *= 2.0;
      (side > 0.0 ? high : low) = middle.value + side * step;
    }
  }
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  Action left = at(a), right = at(b);
  for (int k = 0; k < 80 && high - low > 1e-10 * (1.0 + std::abs(low)); ++k) {
    if (left.loss <= right.loss) {
      high = b, b = a, right = left;
      left = at(a = high - kGolden * (high - low));
    } else {
      low = a, a = b, left = right;
      right = at(b = low + kGolden * (high - low));
    }
  }
  return left.loss <= right.loss ? left : right;
}

// True if an event holds in all draws, false if in none; nullopt if it holds in some, or is missing in one.
std::optional<bool> unanimous(std::span<const double> holds) {
  if (holds.empty() || !std::ranges::all_of(holds, [&](double x) { return x == holds[0]; }))
    return {};
  return holds[0] != 0.0;
}

// The largest probability with which n independent draws all miss an event in 5 % of cases: 1 - 0.05^(1/n), about 3 / n.
double unseen_probability(double n) { return -std::expm1(std::log(0.05) / n); }

StatementAnswer answer_of(const std::string& statement, std::span<const double> values,
                          const Sample& sample) {
  std::vector<double> holds;
  for (const double x : values) holds.push_back(std::isnan(x) ? kNaN : x != 0.0 ? 1.0 : 0.0);
  const auto [probability, error] = sample.mean(holds);
  StatementAnswer answer{.expression = statement, .probability = probability, .error = error};
  if (const auto all = unanimous(holds)) {
    answer.error = kNaN;
    answer.rest_below = unseen_probability(sample.num_equal());
    answer.sentence =
        fmt::format("P({}) = {}, in {} of {} draws: were they independent, {} {:.2g} with 95 %",
                    statement, *all ? 1 : 0, *all ? "all" : "none", holds.size(),
                    *all ? "it would be above 1 -" : "it would be below", answer.rest_below);
  } else {
    answer.sentence = fmt::format("P({}) = {:.4g}, error {:.2g}", statement, probability, error);
  }
  return answer;
}

std::vector<StatementAnswer> statement_answers(const Fit& fit,
                                               const std::vector<std::string>& statements,
                                               const Sample& sample) {
  std::vector<StatementAnswer> all;
  if (statements.empty()) return all;
  const auto values = Evaluated(fit, statements).values();
  for (std::size_t k = 0; k < statements.size(); ++k)
    all.push_back(answer_of(statements[k], values[k], sample));
  return all;
}

// The answers as text and as arrays.
class Answers {
 public:
  Answers(const Fit& fit, double mass) : fit_(fit), sample_(fit), mass_(mass) {}
  std::string text() const { return text_; }
  std::string json() const { return results::answer_json(arrays_); }

  void add_where(const std::vector<std::string>& statements) {
    const auto all = statement_answers(fit_, statements, sample_);
    for (const StatementAnswer& answer : all) text_ += answer.sentence + "\n";
    arrays_.add_rows("where", all)
        .add_column({.name = "expression"}, all, &StatementAnswer::expression)
        .add_column({.name = "probability"}, all, &StatementAnswer::probability)
        .add_column({.name = "error", .missing = results::Missing::null}, all,
                    &StatementAnswer::error)
        .add_column({.name = "rest_below", .missing = results::Missing::left_out}, all,
                    &StatementAnswer::rest_below);
  }

  void add_of(const std::vector<std::string>& expressions, bool with_regions) {
    const auto values = Evaluated(fit_, expressions).values();
    std::vector<io::SummaryRow> rows;
    for (std::size_t k = 0; k < expressions.size(); ++k) {
      rows.push_back(results::row_of(expressions[k], sample_.summary(values[k])));
      if (with_regions) regions_.push_back(region_of(expressions[k], values[k], sample_, mass_));
    }
    text_ += io::summary_table(rows) + "\n";
    using io::SummaryRow;
    auto group = arrays_.add_rows("of", rows);
    auto add = group.columns(rows);
    add("name", &SummaryRow::name), add("mean", &SummaryRow::mean);
    add("mcse_mean", &SummaryRow::mcse_mean), add("sd", &SummaryRow::sd);
    add("q5", &SummaryRow::q5), add("q50", &SummaryRow::q50), add("q95", &SummaryRow::q95);
    add("ess_bulk", &SummaryRow::ess_bulk);
  }

  // Means with less error.
  void add_controlled(const std::vector<std::string>& expressions,
                      const diagnose::GradientDraws& gradients) {
    const diagnose::ControlVariates variates = diagnose::control_variates(gradients);
    const auto values = Evaluated(fit_, expressions).values();
    text_ +=
        fmt::format("with {} control variates of degree {}:\n", variates.count, variates.degree);
    arrays_.set("degree", Index{variates.degree}, "control_variates.degree");
    arrays_.set("number", Index{variates.count}, "control_variates.number");
    std::vector<Controlled> all;
    for (std::size_t k = 0; k < expressions.size(); ++k) {
      const diagnose::Chains plain{values[k], sample_.num_draws, sample_.num_chains};
      const std::vector<double> better = diagnose::controlled(plain, variates);
      const auto [mean, error] = sample_.mean(better);
      const double before = diagnose::mcse_mean(plain);
      text_ += fmt::format("  {}: mean {:.6g}, error {:.2g}, {:.3g} times less\n", expressions[k],
                           mean, error, before / error);
      all.push_back({expressions[k], mean, error, before});
    }
    arrays_.add_rows("controlled", all, {.key = "control_variates.of"})
        .add_column({.name = "name"}, all, &Controlled::name)
        .add_column({.name = "mean"}, all, &Controlled::mean)
        .add_column({.name = "mcse_mean"}, all, &Controlled::error)
        .add_column({.name = "mcse_mean_before"}, all, &Controlled::before);
  }

  // Adds regions of these quantities, and of the expressions that were added with regions.
  void add_regions(std::span<const Index> quantities) {
    for (const Index quantity : quantities)
      regions_.push_back(region_of(quantity_name(fit_, quantity),
                                   fit_.quantities(false, quantity, 1).quantity(0), sample_,
                                   mass_));
    for (const Region& region : regions_) add_text(region);
    arrays_.set("mass", mass_);
    const auto highest = results::elements_within(regions_, &Region::highest);
    auto group = arrays_.add_rows("regions", regions_, {}, {{"bound", 2}});
    group.add_column({.name = "name"}, regions_, &Region::name)
        .add_column({.name = "mode"}, regions_, &Region::mode)
        .add({.name = "equal_tailed", .dims = {"regions", "bound"}},
             bounds_of(regions_, &Region::equal_tailed))
        .add({.name = "narrowest", .dims = {"regions", "bound"}},
             bounds_of(regions_, &Region::narrowest));
    arrays_
        .add_rows("highest", highest,
                  {.key = "highest_density", .shape = results::Shape::values, .of = "regions"},
                  {{"bound", 2}})
        .add({.name = "interval", .dims = {"highest", "bound"}},
             bounds_of(highest, [](const auto& row) { return row.element; }));
  }

  void add_loss(const std::string& expression, std::span<const double> actions) {
    const Evaluated loss(fit_, {expression}, {"action"});
    const auto at = [&](double action) {
      const auto [mean, error] = sample_.mean(loss.values(std::array{action})[0]);
      return Action{action, std::isnan(mean) ? kInfinity : mean, error};
    };
    std::vector<Action> all;
    for (const double action : actions) all.push_back(at(action));
    if (actions.empty()) all.push_back(best_action(at));
    const auto best =
        std::min_element(all.begin(), all.end(), [](auto& a, auto& b) { return a.loss < b.loss; });
    for (const Action& action : all) {
      text_ += fmt::format("action {:.6g}: expected loss {:.6g}, error {:.2g}{}\n", action.value,
                           action.loss, action.error, &action == &*best ? "  <- least" : "");
    }
    arrays_.add_rows("actions", all)
        .add_column({.name = "action"}, all, &Action::value)
        .add_column({.name = "expected_loss"}, all, &Action::loss)
        .add_column({.name = "error"}, all, &Action::error);
    arrays_.set("best_action", best->value);
  }

 private:
  struct Controlled {
    std::string name;
    double mean, error, before;
  };

  // Lower and upper bound of each row's interval.
  template <class Rows, class IntervalOf>
  static std::vector<double> bounds_of(const Rows& rows, IntervalOf interval_of) {
    std::vector<double> bounds;
    for (const auto& row : rows) {
      const diagnose::Interval interval = std::invoke(interval_of, row);
      bounds.insert(bounds.end(), {interval.lower, interval.upper});
    }
    return bounds;
  }

  void add_text(const Region& region) {
    const auto line = [&](const char* name) {
      return fmt::format("\n  {:<16}", fmt::format("{} {:g} %", name, 100.0 * mass_));
    };
    text_ += fmt::format("{}: mode {:.4g}", region.name, region.mode);
    text_ += line("equal-tailed") + " " + text_of(region.equal_tailed);
    text_ += line("narrowest") + " " + text_of(region.narrowest) + line("highest density");
    for (const diagnose::Interval& interval : region.highest) text_ += " " + text_of(interval);
    text_ += "\n";
  }

  const Fit& fit_;
  Sample sample_;
  double mass_;
  std::vector<Region> regions_;
  std::string text_;
  results::ArrayList arrays_;
};
}  // namespace

void Questions::describe_statements(Arguments& arguments) {
  arguments.option("--where", where_,
                   "the probability of a statement, as \"theta[1] > theta[2]\"; may be repeated",
                   {.word = "EXPRESSION"});
  arguments.option("--of", of_,
                   "the summary of an expression, as \"exp(mu) / tau\"; may be repeated",
                   {.word = "EXPRESSION"});
}

void Questions::describe(Arguments& arguments) {
  arguments.group("Questions");
  describe_statements(arguments);
  arguments.flag("--control-variates", is_controlled_,
                 "means of --of with less error, by the gradients of the log density at the draws");
  arguments.flag("--regions", regions_,
                 "mode, equal-tailed and narrowest interval and region of highest density, of "
                 "--columns and --of");
  arguments.option("--mass", mass_, "probability of these",
                   in_range({.lo = 0.0, .hi = 1.0, .lo_open = true, .hi_open = true}));
  arguments.option("--loss", loss_,
                   "the action with the least expected loss: an expression with the name action, "
                   "as \"square(action - mu)\"",
                   {.word = "EXPRESSION"});
  arguments.option("--action", actions_,
                   "with --loss: one of the actions to choose from; without it any number",
                   {.word = "NUMBER"});
}

std::vector<StatementAnswer> Questions::statements(const Fit& fit) const {
  return statement_answers(fit, where_, Sample(fit));
}

std::vector<io::SummaryRow> Questions::expressions(const Fit& fit) const {
  std::vector<io::SummaryRow> rows;
  if (of_.empty()) return rows;
  const Sample sample(fit);
  const auto values = Evaluated(fit, of_).values();
  for (std::size_t k = 0; k < of_.size(); ++k)
    rows.push_back(results::row_of(of_[k], sample.summary(values[k])));
  return rows;
}

bool Questions::any() const {
  return !where_.empty() || !of_.empty() || regions_ || is_controlled_ || !loss_.empty() ||
         !actions_.empty();
}

std::string Questions::answer(const Fit& fit, std::span<const Index> quantities, bool json,
                              const diagnose::GradientDraws& gradients) const {
  if (!actions_.empty() && loss_.empty())
    throw Error(ErrorCode::usage, "actions are chosen by a loss", "--action",
                "--loss \"square(action - mu)\"");
  if (regions_ && quantities.empty() && of_.empty())
    throw Error(ErrorCode::usage, "regions are of quantities that are named", "--regions",
                "name some: --columns mu, or --of \"exp(mu)\"");
  if (is_controlled_ && of_.empty())
    throw Error(ErrorCode::usage, "control variates are for the mean of an expression",
                "--control-variates", "--of \"exp(mu)\"");
  Answers answers(fit, mass_);
  if (!where_.empty()) answers.add_where(where_);
  if (!of_.empty()) answers.add_of(of_, regions_);
  if (is_controlled_) answers.add_controlled(of_, gradients);
  if (regions_) answers.add_regions(quantities);
  if (!loss_.empty()) answers.add_loss(loss_, numbers_of(actions_));
  return json ? answers.json() : answers.text();
}

}  // namespace credo::cli
