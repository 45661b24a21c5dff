// Tables whose rows are those of a regression with other cells, and weighted sums over them: averages of predictions, their
// differences and derivatives.
//
//   ChangedRows rows(table);
//   RowSum sum;
//   sum.add(rows.written(row, {{column, "7"}}), 0.5);    // 0.5 times the prediction for this row with another cell
//   predict(rows.csv())                          // values of the rows that are written, each different one once
//   sum.of(values)
#pragma once
#include "models/effects/text_table.hpp"

namespace credo::models {

struct Cell {
  Index column = 0;
  std::string text;
};

// A weighted sum of the predictions for written rows.
class RowSum {
 public:
  void add(Index row, double weight) { weights_[row] += weight; }
  // Adds a difference of two rows' predictions. It is exactly 0 where these are equal, as where the prediction doesn't
  // depend on the cell that differs.
  void add_difference(Index to, Index from, double weight) { differences_[{to, from}] += weight; }
  double of(std::span<const double> values) const;

 private:
  std::map<Index, double> weights_;
  std::map<std::pair<Index, Index>, double> differences_;
};

class ChangedRows {
 public:
  explicit ChangedRows(const TextTable& table) : table_(table) {}

  Index written(Index row, std::span<const Cell> cells);  // number of the written row
  Index num_written() const { return ssize(lines_); }
  std::string csv() const;

 private:
  const TextTable& table_;
  std::map<std::string, Index> numbers_;  // by the line
  std::vector<std::string> lines_;
};

}  // namespace credo::models
