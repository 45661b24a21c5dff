#include "cli/fit/exact_predictive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "cli/fit/conjugate_problem.hpp"
#include "cli/term/terminal.hpp"
#include "lang/trace/machine.hpp"
#include "model/replicates/stated_outcomes.hpp"

namespace credo::cli {
namespace {
namespace conjugate = infer::conjugate;

constexpr std::size_t kMostOutcomeLines = 20;

// The stated outcomes of a model at declared values.
class OutcomesOfModel {
 public:
  explicit OutcomesOfModel(const model::Model& model)
      : model_(model), stated_(model.densities().parts()) {}

  std::vector<conjugate::Outcome> at(std::span<const double> values) {
    found_ = stated(values);
    std::vector<conjugate::Outcome> all;
    for (const model::StatedOutcome& one : found_)
      all.push_back({.distribution = one.distribution->name,
                     .arguments = one.arguments,
                     .size = ssize(one.names),
                     .total = one.total,
                     .is_truncated = one.is_truncated});
    return all;
  }
  const std::vector<model::StatedOutcome>& last() const { return found_; }

 private:
  std::vector<model::StatedOutcome> stated(std::span<const double> values) {
    std::vector<double> row(model_.outputs().element_names().size());
    std::ranges::copy(values, row.begin());
    try {
      return stated_.at(model_.draw_outputs().unconstrain_row(row));
    } catch (const lang::Rejection& r) {
      throw Error(
          ErrorCode::program, lang::message(r.failure, r.value),
          model_.source().where(r.failure.statement),
          "outcomes can't be predicted where the program rejects parameters of its posterior");
    }
  }

  const model::Model& model_;
  model::StatedOutcomes stated_;
  std::vector<model::StatedOutcome> found_;
};

void require_parameters(const model::Model& rows, std::span<const std::string> parameters) {
  const std::vector<std::string> names = parameter_names(rows);
  if (std::ranges::equal(names, parameters)) return;
  throw Error(ErrorCode::data,
              fmt::format("with these data the program has {} parameters, and {} with the data of "
                          "the posterior",
                          names.size(), parameters.size()),
              "--predict", "give rows of the same groups");
}

std::string words_of(const conjugate::Predictive& one) {
  if (one.family.empty()) return "no closed form";
  std::vector<std::string> arguments;
  for (const conjugate::Argument& a : one.arguments)
    arguments.push_back(fmt::format("{} = {:.6g}", a.name, a.value));
  return fmt::format("{}({})", one.family, fmt::join(arguments, ", "));
}
}  // namespace

ExactPredictive::ExactPredictive(const model::Model& rows, const conjugate::Problem& problem,
                                 const conjugate::Answer& answer,
                                 std::span<const std::string> parameters) {
  require_parameters(rows, parameters);
  OutcomesOfModel outcomes(rows);
  std::vector<conjugate::Predictive> all = conjugate::predictives(
      problem, answer, [&](std::span<const double> values) { return outcomes.at(values); });
  for (conjugate::Predictive& one : all) {
    const model::StatedOutcome& stated = outcomes.last()[static_cast<std::size_t>(one.outcome)];
    rows_.push_back({stated.names[static_cast<std::size_t>(one.element)], std::move(one),
                     std::string(stated.distribution->name)});
  }
}

// Consecutive elements with one distribution are one line.
std::string ExactPredictive::text() const {
  if (rows_.empty()) return {};
  std::vector<std::vector<std::string>> lines{
      {"new outcome", "mean", "sd", "5 %", "50 %", "95 %", "predictive distribution"}};
  std::string first, last, before;
  std::size_t num_lines = 0;
  for (const Row& row : rows_) {
    const std::string words = words_of(row.predictive);
    if (words != before && ++num_lines > kMostOutcomeLines) break;
    if (words != before) {
      first = row.name;
      const auto number = [&](double value) {
        return row.predictive.family.empty() ? "-" : fmt::format("{:.6g}", value);
      };
      const auto quantile = [&](double p) {
        return number(conjugate::quantile(row.predictive, p));
      };
      lines.push_back({first, number(row.predictive.mean), number(row.predictive.sd),
                       quantile(0.05), quantile(0.5), quantile(0.95), words});
    } else {
      lines.back().front() = fmt::format("{} to {}", first, row.name);
    }
    before = words;
  }
  std::string text = "\n" + text_columns(lines);
  if (num_lines > kMostOutcomeLines)
    text +=
        fmt::format("(the first {}; --json and a file, -o FILE.nc, have all)\n", kMostOutcomeLines);
  return text;
}

void ExactPredictive::add_to(results::ArrayList& arrays) const {
  if (rows_.empty()) return;
  std::vector<std::string> names;
  for (const Row& row : rows_) names.push_back(row.name);
  auto group = arrays.add_group("predictive", {{"outcome", ssize(rows_)}}, {.key = "predictive"})
                   .add_labels("outcome", names, "name");
  const auto add = [&](const std::string& name, auto value_of, const char* help = "") {
    group.add_column({.name = name, .help = help, .missing = results::Missing::left_out}, rows_,
                     value_of);
  };
  add("given_parameters", &Row::distribution, "distribution of the outcome in the program");
  add(
      "family", [](const Row& row) { return row.predictive.family; },
      "predictive distribution; empty: no closed form is known");
  add(
      "joint", [](const Row& row) { return row.predictive.joint; },
      "predictive distribution of the whole vector, of which this is an element");
  add("mean", [](const Row& row) { return row.predictive.mean; });
  add("sd", [](const Row& row) { return row.predictive.sd; });
  const auto at = [](double p) {
    return [p](const Row& row) { return conjugate::quantile(row.predictive, p); };
  };
  add("q5", at(0.05)), add("q50", at(0.5)), add("q95", at(0.95));
  const auto arguments =
      results::elements_within(rows_, [](const Row& row) { return row.predictive.arguments; });
  arrays
      .add_rows("predictive_arguments", arguments,
                {.key = "arguments", .shape = results::Shape::named, .of = "predictive"})
      .add_column({.name = "name"}, arguments, &conjugate::Argument::name)
      .add_column({.name = "value"}, arguments, &conjugate::Argument::value);
}

}  // namespace credo::cli
