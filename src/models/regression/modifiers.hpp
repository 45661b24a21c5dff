// Modifiers of an outcome: y | weights(w) + cens(status, upper) + trunc(lower, upper) + se(s) + subset(flag) + dec(response) +
// thres(k, by).
#pragma once
#include <numeric>

#include "models/formula/frame.hpp"

namespace credo::models {

// A column, or a number.
struct ModifierValue {
  std::string text = {};
  bool is_column = false;

  bool is_stated() const { return !text.empty(); }
  std::string row() const { return is_column ? text + "[n]" : text; }
};

enum class CensoredSide : std::uint8_t { left, none, right, interval };  // -1, 0, 1, 2

// Thresholds of ordered outcomes that thres() states.
struct Thresholds {
  Index stated = 0;          // number in thres(k); 0: as the outcomes need
  bool is_numbered = false;  // the categories are the numbers 1 ... stated + 1
  std::string by =
      {};  // column whose levels have thresholds of their own; empty: all have the same
  std::vector<Index> numbers = {};       // numbers of each level
  std::vector<std::string> levels = {};  // names of these levels
  std::vector<std::string> parameters =
      {};  // names in the program: one array if the numbers are equal, else one for each level

  bool are_equal() const {
    return std::ranges::all_of(numbers, [&](Index number) { return number == numbers[0]; });
  }
  Index total() const { return std::accumulate(numbers.begin(), numbers.end(), Index{0}); }
};

struct OutcomeModifiers {
  std::string weights = {}, subset = {};  // columns
  std::string status = {}, upper = {};    // columns of cens()
  // Numbers of the sides in the column of the status.
  std::map<CensoredSide, Index> sides = {};
  ModifierValue lower = {}, most = {};  // bounds of trunc()
  std::string error = {};               // column of se()
  std::string decision = {};            // column of dec(), of 1 and 0
  bool adds_sigma = false;              // se(s, sigma = TRUE)
  Thresholds thresholds = {};           // of thres()
  std::vector<char> is_left_out = {};   // rows, by subset() and lags; empty: none
  std::string earlier =
      {};  // flags of rows that have all of their earlier rows; empty: there are no lags

  bool is_truncated() const { return lower.is_stated() || most.is_stated(); }
  std::string seen = {};  // the numbers of these rows
  // Rows that have no part in the likelihood, by a condition on row n; empty: none.
  std::string condition() const {
    const std::string used = subset.empty() ? "" : subset + "[n] == 1",
                      has = earlier.empty() ? "" : earlier + "[n] == 1";
    return used + (used.empty() || has.empty() ? "" : " && ") + has;
  }
  // True if each row has a statement of its own.
  bool is_by_row() const {
    return !weights.empty() || !subset.empty() || !status.empty() || is_truncated() ||
           !thresholds.by.empty();
  }
  bool holds_row(std::size_t row) const { return is_left_out.empty() || is_left_out[row] == 0; }
};

bool is_modifier(std::string_view name);
// Registers the columns of one. False, with faults, if it isn't one that can be read.
bool read_modifier(OutcomeModifiers& modifiers, const Expression& call, ColumnRole outcome,
                   Frame& frame);

struct Regression;
// Combinations without a meaning, after the family is known.
void check_modifiers(const Regression& made, const Expression& left, FormulaFaults& faults);
// After the rows are set: their cells, checked row by row.
void take_modifiers(Regression& made, Frame& frame);

// True if the statement of the outcome is a loop of rows, whose linear predictors have names.
bool has_row_statement(const Regression& made);
// The statement of the outcome in the model block: one of all rows, or a loop. `eta`: the linear predictor.
std::string outcome_statement(const Regression& made, const std::string& eta);
// A text of a ResidualStructure with the names of the program.
std::string with_residuals(std::string text, const Regression& made, const std::string& eta);

}  // namespace credo::models
