// The statement of the outcome in the model block: all rows at once, or a loop of rows.
#include <fmt/format.h>

#include "models/regression/program_parts.hpp"

namespace credo::models {

std::string call_of(const std::string& distribution, const std::string& suffix,
                    const std::string& outcome) {
  const std::size_t open = distribution.find('(');
  return fmt::format("{}_{}({} | {}", distribution.substr(0, open), suffix, outcome,
                     distribution.substr(open + 1));
}

std::string of_numbers(std::string text) {
  for (const char* op : {"./", ".*"})
    for (std::size_t at = text.find(op); at != text.npos; at = text.find(op, at)) text.erase(at, 1);
  return text;
}

namespace {
class RowStatement {
 public:
  RowStatement(const Regression& made, const std::string& eta)
      : made_(made),
        all_(made.outcome.modifiers),
        text_(family_text(made, eta, true)),
        outcome_(made.outcome.expression + "[n]"),
        distribution_(of_numbers(made.family->distribution(text_))) {}

  std::string text() const {
    const std::string row = all_.status.empty() ? seen() : censored();
    const std::string condition = all_.condition();
    if (condition.empty()) return fmt::format("  for (n in 1:N) {{\n{}  }}\n", row);
    return fmt::format("  for (n in 1:N) {{\n    if ({}) {{\n{}    }}\n  }}\n", condition, row);
  }

 private:
  std::string weighted(const std::string& term) const {
    return fmt::format("    target += {}{};\n", all_.weights.empty() ? "" : all_.weights + "[n] * ",
                       term);
  }
  // The log probability of the bounds of trunc(), which is subtracted; empty without bounds. Counts may be the lower bound itself.
  std::string bounds() const {
    if (!all_.is_truncated()) return "";
    const std::string tail = made_.family->tail(text_),
                      lower = all_.lower.row() +
                              (made_.family->role == ColumnRole::number ? "" : " - 1");
    if (!all_.most.is_stated()) return " - " + call_of(tail, "lccdf", lower);
    const std::string most = call_of(tail, "lcdf", all_.most.row());
    if (!all_.lower.is_stated()) return " - " + most;
    return fmt::format(" - log_diff_exp({}, {})", most, call_of(tail, "lcdf", lower));
  }
  std::string in_bounds(const std::string& term) const {
    const std::string less = bounds();
    return weighted(less.empty() || all_.weights.empty() ? term + less : "(" + term + less + ")");
  }
  // A row whose outcome was seen as it is.
  std::string seen() const {
    if (!all_.weights.empty())
      return in_bounds(call_of(
          distribution_, made_.family->role == ColumnRole::number ? "lpdf" : "lpmf", outcome_));
    if (!all_.is_truncated()) return fmt::format("    {} ~ {};\n", outcome_, distribution_);
    return fmt::format("    {} ~ {} T[{}, {}];\n", outcome_, made_.family->tail(text_),
                       all_.lower.row(), all_.most.row());
  }
  std::string censored() const {
    std::string lines;
    for (const auto& [side, code] : all_.sides)
      lines +=
          fmt::format("    {}if ({}[n] == {}) {{  // {}\n  {}    }}", lines.empty() ? "" : " else ",
                      all_.status, code, words_of(side), statement_of(side));
    return lines + "\n";
  }
  static std::string_view words_of(CensoredSide side) {
    static constexpr std::array<std::string_view, 4> kWords{
        "at most this value", "seen", "above this value", "between two values"};
    return kWords[static_cast<std::size_t>(side)];
  }
  std::string statement_of(CensoredSide side) const {
    const std::string tail = made_.family->tail(text_),
                      up_to = call_of(tail, "lcdf", outcome_);
    const auto between = [&](const std::string& most, const std::string& least) {
      return in_bounds(fmt::format("log_diff_exp({}, {})", most, least));
    };
    switch (side) {
      case CensoredSide::left:
        return all_.lower.is_stated() ? between(up_to, call_of(tail, "lcdf", all_.lower.row()))
                                      : in_bounds(up_to);
      case CensoredSide::right:
        return all_.most.is_stated() ? between(call_of(tail, "lcdf", all_.most.row()), up_to)
                                     : in_bounds(call_of(tail, "lccdf", outcome_));
      case CensoredSide::interval:
        return between(call_of(tail, "lcdf", all_.upper + "[n]"), up_to);
      case CensoredSide::none:
        break;
    }
    return seen();
  }

  const Regression& made_;
  const OutcomeModifiers& all_;
  const FamilyText text_;
  const std::string outcome_, distribution_;
};
}  // namespace

std::string with_residuals(std::string text, const Regression& made, const std::string& eta) {
  const std::string sigma =
      made.predictor_of("sigma") == nullptr ? "rep_vector(sigma, N)" : std::string("sigma");
  for (const auto& [mark, value] : {std::pair<std::string, std::string>{"{eta}", eta},
                                    {"{sigma}", sigma},
                                    {"{y}", made.outcome.expression}})
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  return text;
}

namespace {
// The statement of rows that depend on each other.
std::string correlated(const Regression& made, const ResidualStructure& residuals,
                       const std::string& eta) {
  if (!residuals.statement.empty()) return with_residuals(residuals.statement, made, eta);
  return fmt::format("  {} ~ normal({}, sigma);\n", made.outcome.expression,
                     with_residuals(residuals.mean, made, eta));
}
}  // namespace

bool has_row_statement(const Regression& made) {
  const FamilyRow& family = *made.family;
  const bool has_vectors =
      std::ranges::any_of(made.predictors, [](const Predictor& own) { return !own.is_location(); });
  return made.outcome.modifiers.is_by_row() || family.is_by_row ||
         (family.has_columns && has_vectors) ||
         std::ranges::find(family.row_links, made.link()) != family.row_links.end();
}

std::string outcome_statement(const Regression& made, const std::string& eta) {
  if (const ResidualStructure* residuals = made.residuals())
    return correlated(made, *residuals, eta);
  if (has_row_statement(made)) return RowStatement(made, eta).text();
  const Outcome& outcome = made.outcome;
  const std::string& earlier = outcome.modifiers.earlier;
  const std::string rows = earlier.empty() ? "" : fmt::format("[{}]", outcome.modifiers.seen);
  const bool is_name = rows.empty() || eta == made.location().variable;
  std::string lines;
  if (!outcome.columns.empty())
    lines = fmt::format("  array[N] vector[{}] {};\n  for (n in 1:N) {}[n] = {};\n",
                        outcome.columns.size(), outcome.means, outcome.means,
                        family_text(made, eta, true).eta);
  return lines + fmt::format("  {}{} ~ {};\n", outcome.expression, rows,
                             made.family->distribution(family_text_of(
                                 made, is_name ? eta : fmt::format("({})", eta), rows)));
}

}  // namespace credo::models
