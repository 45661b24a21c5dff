// The rows of a regression's table as texts, from which tables with other cells are written.
#pragma once
#include "models/regression/regression.hpp"

namespace credo::models {

struct TextColumn {
  std::string name;  // in the file
  bool is_factor = false;
  std::vector<std::string> levels = {};  // levels of a factor, in the order of the fit
  bool is_free = false;  // groups alone use it: a level that the fit hasn't is drawn
  std::vector<std::string> cells = {};
  std::vector<double> numbers = {};  // values of a column of numbers
  bool is_whole = false;             // counts, as of trials: predictions take whole numbers only
};

struct TextTable {
  std::vector<TextColumn> columns;
  Index num_rows = 0;

  const TextColumn* find(std::string_view name) const;  // null: there is no such column
  std::vector<std::string> names() const;
};

// The columns that predictions need, without the outcome, at the rows of the fit. `text_of`: contents of the table's files.
TextTable table_of(const Regression& made,
                   const std::function<const std::string&(const std::string&)>& text_of);

}  // namespace credo::models
