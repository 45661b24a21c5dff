// Columns of a table as levels or as numbers.
#pragma once
#include "io/data/data_recipe.hpp"
#include "models/information/dependence.hpp"

namespace credo::models {

struct LevelColumn {
  std::string name;
  std::vector<std::int32_t> codes;  // from 0
  std::vector<std::string> levels;
  Index num_levels() const { return ssize(levels); }
};
struct NumberColumn {
  std::string name;
  std::vector<double> values;
};

class InformationTable {
 public:
  using TextOf = std::function<const std::string&(const std::string&)>;
  // `text_of` returns the contents of the recipe's files. Both must live as long as the table.
  InformationTable(io::DataRecipe data, const TextOf& text_of);

  // Rows that have a value in all of the columns; the recipe's rule for missing values decides about the others. Throws Error(data)
  // for columns that aren't there and for missing cells that are refused, with their places.
  std::vector<LevelColumn> levels(std::span<const std::string> columns) const;
  // Rows as numbers. Throws Error(data) for columns of texts.
  std::vector<NumberColumn> numbers(std::span<const std::string> columns) const;
  // True if all columns have numbers, of which some aren't whole.
  bool are_measured(std::span<const std::string> columns) const;
  const std::vector<std::string>& notes() const {
    return notes_;
  }  // sentences on rows that were left out

 private:
  io::DataTable read(std::span<const std::string> columns, bool as_levels) const;
  io::DataRecipe data_;
  const TextOf& text_of_;
  mutable std::vector<std::string> notes_;
};

// Columns of levels as one, whose levels are the combinations that occur.
LevelColumn combined(std::span<const LevelColumn> columns);
// Throws Error(data), with `hint`, for a column with fewer than four rows for each of its levels on average: counts of
// measured numbers say nothing. Two levels are always enough.
void require_rows_per_level(const LevelColumn& column, std::string_view option,
                            std::string_view hint);
// Throws Error(data) where the combinations of levels are more than a table of counts may have.
void require_few_cells(std::span<const LevelColumn> columns);
JointTable counts_of(std::span<const LevelColumn> columns);

}  // namespace credo::models
