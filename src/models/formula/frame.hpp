// The columns of a table that a formula uses, and under which names its program reads them.
#pragma once
#include "io/data/data_recipe.hpp"
#include "io/data/data_table.hpp"
#include "models/formula/expression.hpp"
#include "models/formula/lags.hpp"
#include "models/formula/stan_parts.hpp"

namespace credo::models {

enum class ColumnRole { number, count, factor };  // vector, array of int, codes of levels

struct UsedColumn {
  std::string column;  // name in the file
  ColumnRole role = ColumnRole::number;
  std::string name;  // in the program
  bool is_text = false;
  std::string level = {};  // 1 where the cell is this text, else 0
  bool has_gaps = false;   // cells may be missing; the program doesn't declare it
};

class Frame {
 public:
  // `table`: as it is read without options for columns. It must outlive the frame.
  Frame(const io::DataTable& table, ProgramNames& names, FormulaFaults& faults);

  const std::vector<std::string>& column_names() const { return columns_; }  // as in the file
  // A column by its name in the file, or in programs; null, with a fault at the place, if no column has it.
  const io::DataValue* find(const Expression& name) const;
  bool is_text(const Expression& name) const;
  // True if the order of the column's texts is stated.
  bool has_order(const io::DataValue& column) const;
  // Contents of a file beside the table, which the formula names.
  const std::string& file_text(const std::string& path) const { return text_of_(path); }
  void set_files(std::function<const std::string&(const std::string&)> text_of) {
    text_of_ = std::move(text_of);
  }
  void set_orders(const std::vector<io::LevelOrder>& orders) { orders_ = orders; }
  // Uses a column in a role. Nullopt, with a fault, if there is no such column, or a text is used as a number.
  std::optional<UsedColumn> use(const Expression& name, ColumnRole role);
  // A column of numbers of which cells may be missing.
  std::optional<UsedColumn> use_with_gaps(const Expression& name);
  // A column of two texts as 0 and 1.
  UsedColumn use_level(const std::string& column, const std::string& level);
  const std::vector<UsedColumn>& used() const { return used_; }
  // Values of --columns by which a program reads them.
  std::vector<std::string> column_uses() const;

  // The rows that have all used columns, read by these uses and settled.
  void set_rows(io::DataTable rows);
  Index num_rows() const { return num_rows_; }
  Index length(const std::string& name) const { return value(name).num_elements(); }
  std::vector<double> numbers(const std::string& name) const;
  std::vector<std::int32_t> codes(const std::string& name) const;
  std::vector<std::string> levels(const std::string& name) const;
  std::vector<Index> missing(const std::string& name) const;    // rows without a value
  std::string where(const std::string& name, Index row) const;  // "cars.csv:7"

  // Earlier rows that the formula uses. Only where rows without one can be left out: they have no value.
  void allow_lags() { allows_lags_ = true; }
  bool allows_lags() const { return allows_lags_; }
  std::vector<Lag>& lags() { return lags_; }

  FormulaFaults& faults() { return faults_; }
  ProgramNames& names() { return names_; }

 private:
  std::optional<UsedColumn> use_column(const Expression& name, ColumnRole role, bool has_gaps);
  const io::DataValue& value(const std::string& name) const;

  const io::DataTable& table_;
  ProgramNames& names_;
  FormulaFaults& faults_;
  std::vector<std::string> columns_;
  std::vector<UsedColumn> used_;
  std::vector<io::LevelOrder> orders_;
  std::vector<Lag> lags_;
  bool allows_lags_ = false;
  std::function<const std::string&(const std::string&)> text_of_;
  io::DataTable rows_;
  Index num_rows_ = 0;
};

}  // namespace credo::models
