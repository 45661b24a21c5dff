// A table with names in its first line: CSV as R, pandas and spreadsheets write it.
#pragma once
#include "base/types.hpp"

namespace credo::score {

class CsvColumns {
 public:
  // Commas between fields, fields in "..." where they hold commas or quotes (doubled). Throws Error(data) at a line with
  // another number of fields than the first, at two columns of a name, and without a row.
  CsvColumns(std::string_view text, std::string source);

  const std::string& source() const { return source_; }
  const std::vector<std::string>& names() const { return names_; }
  Index num_rows() const { return ssize(lines_); }
  std::optional<Index> find(std::string_view name) const;
  const std::string& cell(Index row, Index column) const {
    return cells_[static_cast<std::size_t>(row * ssize(names_) + column)];
  }
  // Number in the cell; an empty cell and NA are NaN. Throws Error(data) for another text.
  double number(Index row, Index column) const;
  // Number in the cell; throws Error(data) if it isn't finite.
  double finite(Index row, Index column) const;
  std::vector<double> numbers(Index column) const;
  std::string place(Index row, Index column) const;  // "file.csv:3, column y"

 private:
  std::string source_;
  std::vector<std::string> names_, cells_;
  std::vector<Index> lines_;  // line of each row in the file, from 1
};

bool is_missing(std::string_view cell);  // empty, NA

// A text as a cell of a CSV file, with quotes if needed. If a spreadsheet would run it as a formula (it begins with =
// + - @, a tab or a carriage return, and is no number), it gets an apostrophe in front, which CsvColumns removes
// again.
std::string csv_text(std::string_view text);

}  // namespace credo::score
