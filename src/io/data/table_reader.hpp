// Tables: comma-, semicolon- or tab-separated values with a row of names first (docs/data.md).
//
//   TableReader reader("cars.csv", {.separator = ','});
//   while (...) reader.feed(piece, is_last);      // in one piece, or as the file is read
//   const DataTable table = reader.finish();      // each column an array of its name
//
// Memory: the numbers, and one piece.
#pragma once
#include "io/data/data_recipe.hpp"
#include "io/data/record_splitter.hpp"

namespace credo::io {

struct TableOptions {
  char separator = ',';
  bool decimal_comma = false;
  std::vector<ColumnUse> uses =
      {};  // columns of this table or others; other columns keep their names
  std::vector<std::string> factors = {};  // variables that are factors whatever their cells are
  bool lists_missing = false;             // see with_missing_listed
  std::size_t num_bytes = 0;              // size of the whole text, if known: to reserve memory
};

class TableReader {
 public:
  TableReader(std::string source, TableOptions options);

  // Throws Error{data} with file and line: rows of another length than the first one, names given twice
  // or not at all, and what RecordSplitter refuses.
  void feed(std::string_view piece, bool is_last);
  DataTable finish();
  // Names of uses whose columns are all here, once the first row was read.
  std::vector<std::string> used() const;
  std::vector<std::string> column_names() const;

 private:
  struct Column {
    std::string name;
    std::optional<ColumnBuilder> builder;  // nullopt: the column has no name
    Index num_uses = 0;
  };
  void take(const Record& record);
  void take_header(const Record& record);
  void take_row(const Record& record);
  void check_header(const Record& record) const;
  void add_row_of_nothing();
  void require_different_names() const;
  bool is_factor(const Column& column) const;
  std::optional<std::size_t> find(std::string_view name) const;
  bool has_all(const ColumnUse& use) const;
  DataValue value_of(const ColumnUse& use, std::vector<DataValue>& values);
  void add(DataTable& table, const std::string& name, DataValue value) const;
  void reserve(std::size_t bytes_done);
  [[noreturn]] void fail(Index line, const std::string& message, const std::string& hint) const;

  std::string source_, beginning_;
  TableOptions options_;
  RecordSplitter splitter_;
  std::vector<Column> columns_;
  std::shared_ptr<RowLines> lines_ = std::make_shared<RowLines>();
  bool has_header_ = false, is_first_piece_ = true;
  Index num_rows_ = 0, empty_lines_ = 0, first_empty_ = 0;
  std::size_t bytes_done_ = 0;
};

// A column of which values are missing becomes three variables: `name` with the values that there are,
// `name`_observed and `name`_missing with the numbers of their rows and of the others, from 1.
void add_with_missing_listed(DataTable& table, const std::string& name, DataValue value);

}  // namespace credo::io
