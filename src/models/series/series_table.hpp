// A table with a column of times. Expressions of its columns are registered, then the rows are read with NaN where cells are missing.
#pragma once
#include "io/data/data_recipe.hpp"
#include "models/formula/frame.hpp"
#include "models/formula/stan_parts.hpp"

namespace credo::models {

using SeriesTextOf = std::function<const std::string&(const std::string&)>;

class SeriesTable {
 public:
  // `recipe` and `text_of` outlive the table.
  SeriesTable(const io::DataRecipe& recipe,
              const std::function<bool(const std::string&)>& is_usable, const SeriesTextOf& text_of,
              FormulaFaults& faults);

  Frame& frame() { return frame_; }
  Index num_rows() const { return num_rows_; }
  void read();
  // Cells of a column as texts; empty if there is no such column.
  std::vector<std::string> texts(const std::string& column) const;
  std::string where(Index row) const;  // "sales.csv:7"

 private:
  const io::DataRecipe& recipe_;
  const SeriesTextOf& text_of_;
  io::DataTable plain_;
  ProgramNames names_;
  Frame frame_;
  Index num_rows_ = 0;
};

}  // namespace credo::models
