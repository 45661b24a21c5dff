#include "models/regression/thresholds.hpp"

#include <fmt/format.h>

#include "models/regression/group_texts.hpp"

namespace credo::models {
namespace {
const Thresholds& thresholds_in(const Regression& made) {
  return made.outcome.modifiers.thresholds;
}
const char* threshold_type(const Regression& made) {
  return made.family->has_free_thresholds ? "vector" : "ordered";
}
}  // namespace

void state_categories(Regression& made) {
  const Thresholds& own = thresholds_in(made);
  if (!own.is_numbered) return;
  std::vector<std::string> levels;
  for (Index k = 1; k <= own.stated + 1; ++k) levels.push_back(std::to_string(k));
  made.recipe.levels.push_back({.name = made.outcome.name, .levels = std::move(levels)});
}

namespace {
// The largest category of each level of the column less 1: as many as its outcomes need.
std::vector<Index> needed_thresholds(const Regression& made, Frame& frame) {
  const Thresholds& own = thresholds_in(made);
  const std::vector<std::int32_t> codes = frame.codes(own.by);
  std::vector<Index> needed(own.levels.size(), 0);
  for (std::size_t k = 0; k < codes.size(); ++k)
    if (made.outcome.modifiers.holds_row(k)) {
      Index& number = needed[static_cast<std::size_t>(codes[k] - 1)];
      number = std::max(number, static_cast<Index>(made.outcome.values[k]) - 1);
    }
  return needed;
}

// Places at which the sets of the levels begin, and numbers of their thresholds.
void add_places(Regression& made) {
  const Thresholds& own = thresholds_in(made);
  ProgramConstant first{
      .name = "first_threshold", .dims = {ssize(own.numbers)}, .values = {}, .is_whole = true};
  ProgramConstant number{
      .name = "num_thresholds", .dims = {ssize(own.numbers)}, .values = {}, .is_whole = true};
  first.comment = number.comment = fmt::format("of each level of {}", own.by);
  double place = 1.0;
  for (const Index size : own.numbers) {
    first.values.push_back(place);
    number.values.push_back(static_cast<double>(size));
    place += static_cast<double>(size);
  }
  made.parts.constants.push_back(std::move(first));
  made.parts.constants.push_back(std::move(number));
}
}  // namespace

void take_thresholds(Regression& made, Frame& frame) {
  Thresholds& own = made.outcome.modifiers.thresholds;
  const Outcome& outcome = made.outcome;
  if (own.stated > 0 && outcome.num_levels != own.stated + 1)
    frame.faults().add_of_table(
        "",
        fmt::format("{} has {} categories ({}), and thres({}) needs {}", outcome.text,
                    outcome.num_levels, fmt::join(outcome.level_names, ", "), own.stated,
                    own.stated + 1),
        fmt::format("--levels '{}=[...]' states all categories, the lowest first", outcome.text));
  if (own.by.empty()) return;
  own.levels = frame.levels(own.by);
  own.numbers = own.stated > 0 ? std::vector<Index>(own.levels.size(), own.stated)
                               : needed_thresholds(made, frame);
  for (std::size_t j = 0; j < own.levels.size(); ++j)
    if (own.numbers[j] < 1)
      frame.faults().add_of_table(
          "",
          fmt::format("{} of {} has no outcome above the first category, so that the number of its "
                      "thresholds isn't known",
                      own.levels[j], own.by),
          "state it: thres(NUMBER, by = ...)");
  if (own.are_equal())
    own.parameters = {frame.names().take("threshold_by")};
  else
    for (std::size_t j = 1; j <= own.levels.size(); ++j)
      own.parameters.push_back(frame.names().take(fmt::format("threshold_{}", j)));
  made.fixed_factors.insert(own.by);
  add_places(made);
}

Index total_thresholds(const Regression& made) {
  const Thresholds& own = thresholds_in(made);
  return own.by.empty() ? made.outcome.num_levels - 1 : own.total();
}
std::string number_of_thresholds(const Regression& made) {
  const Thresholds& own = thresholds_in(made);
  return own.by.empty() ? fmt::format("K_{} - 1", made.outcome.name) : std::to_string(own.total());
}

std::string threshold_parameters(const Regression& made) {
  const Thresholds& own = thresholds_in(made);
  const char* const type = threshold_type(made);
  if (own.by.empty())
    return fmt::format("  {}[K_{} - 1] threshold;  // at the means of the columns\n", type,
                       made.outcome.name);
  if (own.are_equal())
    return fmt::format("  array[K_{}] {}[{}] {};  // at the means of the columns\n", own.by, type,
                       own.numbers[0], own.parameters[0]);
  std::string lines;
  for (std::size_t j = 0; j < own.numbers.size(); ++j)
    lines += fmt::format("  {}[{}] {};  // at the means of the columns\n", type, own.numbers[j],
                         own.parameters[j]);
  return lines;
}

std::string joined_thresholds(const Regression& made) {
  const Thresholds& own = thresholds_in(made);
  if (own.by.empty()) return "";
  std::string lines = fmt::format(
      "  vector[{}] threshold;  // those of the levels of {} in a row\n", own.total(), own.by);
  const Index size = own.numbers[0];
  if (own.are_equal())
    return lines + fmt::format("  for (j in 1:K_{}) threshold[(j - 1) * {} + 1:j * {}] = {}[j];\n",
                               own.by, size, size, own.parameters[0]);
  Index first = 1;
  for (std::size_t j = 0; j < own.numbers.size(); ++j) {
    lines += fmt::format("  threshold[{}:{}] = {};\n", first, first + own.numbers[j] - 1,
                         own.parameters[j]);
    first += own.numbers[j];
  }
  return lines;
}

std::string threshold_priors(const Regression& made, const std::string& prior) {
  const Thresholds& own = thresholds_in(made);
  if (own.by.empty() || prior.empty()) return prior_statement("threshold", prior);
  if (own.are_equal())
    return fmt::format("  for (j in 1:K_{}) {}[j] ~ {};\n", own.by, own.parameters[0], prior);
  std::string lines;
  for (const std::string& parameter : own.parameters) lines += prior_statement(parameter, prior);
  return lines;
}

std::string threshold_text(const Regression& made, const std::string& row) {
  const Thresholds& own = thresholds_in(made);
  return own.by.empty() || row != "[n]"
             ? std::string("threshold")
             : fmt::format("segment(threshold, first_threshold[{}[n]], {})", own.by,
                           thresholds_of_row(made));
}
std::string thresholds_of_row(const Regression& made) {
  const Thresholds& own = thresholds_in(made);
  return own.by.empty() ? number_of_thresholds(made) : fmt::format("num_thresholds[{}[n]]", own.by);
}

}  // namespace credo::models
