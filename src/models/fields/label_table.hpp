// A table in long form, a row for each token: the columns that a field uses, and the sequences of its rows.
#pragma once
#include "io/data/data_recipe.hpp"
#include "io/data/data_table.hpp"

namespace credo::models {

using LabelTextOf = std::function<const std::string&(const std::string& path)>;

struct LabelColumn {
  std::string name;
  bool is_text = false;
  std::vector<std::int32_t> codes = {};  // texts: places in `levels`, -1 without a value
  std::vector<std::string> levels = {};
  std::vector<double> numbers = {};  // NaN without a value
  std::shared_ptr<const io::ColumnFacts> facts = nullptr;

  bool is_missing(Index row) const;
  const std::string& text(Index row) const;  // for texts that aren't missing
  std::string where(Index row) const;        // "words.csv:7"
};

class LabelTable {
 public:
  // Reads the heads of the columns. Throws Error(data) and Error(io).
  LabelTable(io::DataRecipe recipe, const LabelTextOf& text_of);

  const std::string& path() const { return recipe_.files[0]; }
  Index num_rows() const { return num_rows_; }
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const;
  // True if the column's cells are texts. Throws Error(data) with the nearest name if there is no such column.
  bool is_text(const std::string& name) const;
  // The column as texts or numbers. Without `may_be_missing` a cell without a value is an Error(data) with its row. A column of
  // numbers may be read as texts.
  const LabelColumn& texts(const std::string& name, bool may_be_missing = false);
  const LabelColumn& numbers(const std::string& name, bool may_be_missing = false);

 private:
  const io::DataValue& value_of(const std::string& name) const;
  const LabelColumn& kept(LabelColumn column, bool may_be_missing);

  io::DataRecipe recipe_;
  const LabelTextOf& text_of_;
  io::DataTable plain_;
  std::vector<std::string> names_;
  Index num_rows_ = 0;
  std::map<std::pair<std::string, bool>, LabelColumn> columns_;
};

// Rows [first, first + length) of a table.
struct RowRange {
  Index first = 0, length = 0;
};

// Runs of equal texts. Throws Error(data) if a text comes back behind another one.
std::vector<RowRange> sequences_of(const LabelColumn& column);

}  // namespace credo::models
