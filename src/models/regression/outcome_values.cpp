// The values of an outcome at the rows of the table, checked row by row.
#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/formula/arithmetic.hpp"
#include "models/regression/outcome.hpp"

namespace credo::models {
namespace {
constexpr Index kMostFaults = 5;  // wrong rows in a message

// Numbers of an outcome, or of a column of one.
struct OutcomeColumn {
  std::string name, text;  // in the program, in the formula
  const std::vector<double>& values;
};
std::vector<OutcomeColumn> columns_in(const Outcome& outcome) {
  if (outcome.columns.empty()) return {{outcome.name, outcome.text, outcome.values}};
  std::vector<OutcomeColumn> all;
  for (std::size_t k = 0; k < outcome.columns.size(); ++k)
    all.push_back({outcome.columns[k], outcome.level_names[k], outcome.column_values[k]});
  return all;
}

// Rows whose outcome the family refuses.
void check_values(const Regression& made, const std::vector<double>& trials, Frame& frame) {
  Index number = 0;
  const auto add = [&](const std::string& column, std::size_t k, const std::string& words) {
    if (++number > kMostFaults) return;
    frame.faults().add_of_table(frame.where(column, static_cast<Index>(k)),
                                fmt::format("{} ({} outcome)", words, made.family->name),
                                number == 1 ? "correct the cell, or choose another --family" : "");
  };
  const std::vector<OutcomeColumn> columns = columns_in(made.outcome);
  for (std::size_t k = 0; k < static_cast<std::size_t>(made.num_rows); ++k) {
    if (!made.outcome.modifiers.holds_row(k)) continue;
    const double count = trials[trials.size() == 1 ? 0 : k];
    std::vector<double> row;
    bool is_right = true;
    for (const OutcomeColumn& column : columns) {
      const double y = column.values[k];
      const std::string fault =
          !std::isfinite(y) ? "it must be finite" : made.family->why_not(y, count);
      row.push_back(y);
      if (!fault.empty())
        add(column.name, k,
            fmt::format("{} is {} in row {}, and {}", column.text, io::number_text(y), k + 1,
                        fault));
      is_right = is_right && fault.empty();
    }
    if (!is_right || made.family->why_not_together == nullptr) continue;
    if (const std::string fault = made.family->why_not_together(row, count); !fault.empty())
      add(columns[0].name, k, fmt::format("{} in row {}: {}", made.outcome.text, k + 1, fault));
  }
  if (number > kMostFaults)
    frame.faults().remark(
        fmt::format("{} rows have such an outcome, the first {} are shown", number, kMostFaults));
}
}  // namespace

namespace {
// Constants of the family that are computed from the outcomes, and stated parameters that they bound.
void prepare_family(Regression& made, Frame& frame) {
  if (made.family->prepare == nullptr || !frame.faults().empty()) return;
  std::vector<double> outcomes;
  for (std::size_t k = 0; k < made.outcome.values.size(); ++k)
    if (made.outcome.modifiers.holds_row(k)) outcomes.push_back(made.outcome.values[k]);
  const std::size_t known = made.parts.constants.size();
  if (const std::string fault = made.family->prepare(outcomes, made.parts); !fault.empty())
    return frame.faults().add_of_table("", fault, "choose another --family");
  for (std::size_t c = known; c < made.parts.constants.size(); ++c) {
    const ProgramConstant& constant = made.parts.constants[c];
    for (const FamilyParameter& parameter : made.family->parameters) {
      const auto stated = made.known.find(parameter.name);
      if (stated == made.known.end() ||
          parameter.declaration.find("upper=" + constant.name) == parameter.declaration.npos)
        continue;
      if (io::parse_number(stated->second.all).value_or(0.0) >= constant.values[0])
        frame.faults().add_of_table(
            "--family",
            fmt::format("{} is {}, and the least outcome is {}", parameter.name, stated->second.all,
                        io::number_text(constant.values[0])),
            "it lies below all outcomes");
    }
  }
}
}  // namespace

void take_outcome(Regression& made, const Expression& left, Frame& frame) {
  Outcome& outcome = made.outcome;
  if (outcome.columns.empty()) outcome.values = frame.numbers(outcome.name);
  for (const std::string& column : outcome.columns)
    outcome.column_values.push_back(frame.numbers(column));
  if (!outcome.function.empty()) outcome.values = arithmetic_of(outcome_in(left), frame).values;
  if (made.family->has_categories()) {
    outcome.num_levels = ssize(frame.levels(outcome.name));
    outcome.level_names = frame.levels(outcome.name);
    if (outcome.num_levels < 2)
      frame.faults().add(left.place, "the outcome has one category only in these rows");
  }
  std::vector<double> trials{0.0};
  if (!outcome.trials_column.empty()) {
    const std::vector<std::int32_t> column = frame.codes(outcome.trials_column);
    trials.assign(column.begin(), column.end());
  } else if (!outcome.trials.empty()) {
    trials = {io::parse_number(outcome.trials).value_or(0.0)};
  }
  take_modifiers(made, frame);
  check_values(made, trials, frame);
  prepare_family(made, frame);
  const auto leave_out = [&](std::vector<double>& values) {
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!outcome.modifiers.holds_row(k)) values[k] = kNaN;
  };
  leave_out(outcome.values);
  for (std::vector<double>& values : outcome.column_values) leave_out(values);
}

}  // namespace credo::models
