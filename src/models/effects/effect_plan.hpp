// Marginal effects of a regression: the averages of predictions that are computed.
//
//   number       mean over rows of the derivative of the expected outcome, or of its change by a step
//   factor       mean over rows of the difference between two levels, which all rows have in turn
//   curve        mean over rows at each value of a grid
// Other cells are those of the rows, or those of --at. A derivative is a difference of fourth order over steps of sd / 64 within the
// range of the column, one of second order judges it, and both are exact for straight lines.
#pragma once
#include "models/effects/changed_rows.hpp"

namespace credo::models {

struct EffectRequest {
  std::vector<std::string> columns = {};    // empty: all but those of groups alone and of counts
  std::vector<std::string> at = {};         // "Subject = 308, x = 2"
  std::vector<std::string> contrasts = {};  // "period 1 - 4"
  bool all_pairs = false, curves = false;
  double step = 0.0;       // 0: derivatives
  Index num_grid = 25;     // points of a curve of numbers
  Index most_rows = 1000;  // rows that are averaged over
};

struct Effect {
  std::string name, column, kind;  // kind: derivative, step, contrast, curve
  double value = kNaN;             // a curve of numbers: the column's value
  std::string level = {};          // a curve of levels
  RowSum sum = {};
  std::optional<RowSum> rough =
      {};  // a formula of lower order: far from `sum` if the derivative isn't smooth
};

class EffectPlan {
 public:
  // Wrong columns, levels and numbers are an Error(usage). The table must live as long.
  EffectPlan(const TextTable& table, const EffectRequest& request);

  const std::vector<Effect>& effects() const { return effects_; }
  const ChangedRows& rows() const { return rows_; }
  Index num_averaged() const { return ssize(averaged_); }  // rows of the table

 private:
  void add_all(const std::string& column);
  void add_contrast(const std::string& text);
  void add_difference(Index column, const std::string& to, const std::string& from,
                      const std::string& name);
  void add_levels(Index column);
  void add_slope(Index column);
  void add_step(Index column, double step);
  void add_curve(Index column);
  Effect& begin(Index column, std::string name, const char* kind);
  // The row of the table with this text in the column, and with the cells of --at; its number among the written ones.
  Index written(Index row, Index column, const std::string& text);
  void add_mean(RowSum& sum, Index column, const std::string& text);

  const TextTable& table_;
  const EffectRequest& request_;
  ChangedRows rows_;
  std::vector<Cell> at_;
  std::vector<Index> averaged_;
  std::vector<Effect> effects_;
};

// The cells of "Subject = 308, x = 2". Throws Error(usage).
std::vector<Cell> parse_cells(const TextTable& table, std::span<const std::string> texts);

}  // namespace credo::models
