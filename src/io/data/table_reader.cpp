#include "io/data/table_reader.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "base/stop.hpp"
#include "io/number_text.hpp"
#include "io/text_encoding.hpp"

namespace credo::io {
namespace {
constexpr std::size_t kMostColumns = 100'000;
constexpr Index kRowsToReserveBy = 1000;

std::string short_name(std::string_view name) {
  constexpr std::size_t kLongest = 60;  // bytes
  return std::string(name.substr(0, kLongest)) + (name.size() > kLongest ? "..." : "");
}

bool is_empty_line(const Record& record) {
  return record.cells.size() == 1 && record.cells[0].text.empty() && !record.cells[0].quoted;
}

DataValue numbers_of_rows(std::vector<std::int32_t> rows, const DataValue& of, Index num_rows) {
  DataValue value;
  value.kind = rows.empty() ? DataKind::empty : DataKind::integers;
  value.dims = {ssize(rows)};
  value.integers = std::move(rows);
  value.where = of.where;
  auto facts = std::make_shared<ColumnFacts>();
  facts->name = of.column->name;
  facts->num_codes = num_rows;
  facts->numbers_rows = true;
  facts->lines = of.column->lines;
  value.column = std::move(facts);
  return value;
}

template <class T>
void keep_rows(std::vector<T>& values, std::span<const Index> rows) {
  if (values.empty()) return;
  for (std::size_t k = 0; k < rows.size(); ++k)
    values[k] = values[static_cast<std::size_t>(rows[k])];
  values.resize(rows.size());
}
double number_at(const DataValue& value, std::size_t k) {
  return value.kind == DataKind::integers ? value.integers[k] : value.reals[k];
}

// Indicator of a level: 1 where the cell is the level, else 0.
DataValue truths_of(const ColumnUse& use, DataValue value, DataTable& table) {
  const std::vector<std::string> levels = value.column->levels;
  const auto found = std::ranges::find(levels, use.level);
  if (found == levels.end()) {
    const std::string near = did_you_mean(use.level, levels);
    if (!near.empty())
      throw Error(ErrorCode::data,
                  fmt::format("column {} has no cell {}", value.column->name, use.level),
                  value.where, near);
    table.note({use.name, fmt::format("no cell of column {} is {}: {} is 0 in all rows",
                                      value.column->name, use.level, use.name)});
  }
  const auto code =
      found == levels.end() ? -1 : static_cast<std::int32_t>(found - levels.begin()) + 1;
  for (std::int32_t& x : value.integers) x = x == code ? 1 : 0;
  auto facts = std::make_shared<ColumnFacts>(*value.column);
  facts->levels.clear();
  facts->num_codes = 0;
  value.column = std::move(facts);
  return value;
}

// The parts beside each other, row by row.
DataValue matrix_of(const ColumnUse& use, std::span<const DataValue* const> parts, Index num_rows) {
  auto facts = std::make_shared<ColumnFacts>();
  facts->name = fmt::format("[{}]", fmt::join(use.columns, ", "));
  facts->width = ssize(parts);
  DataValue matrix;
  matrix.kind = num_rows == 0 ? DataKind::empty : DataKind::integers;
  matrix.dims = {num_rows, ssize(parts)};
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const ColumnFacts& part = *parts[c]->column;
    if (!part.levels.empty())
      throw Error(ErrorCode::data,
                  fmt::format("variable {}: column {} is a factor, whose codes are no numbers of a "
                              "matrix",
                              use.name, part.name),
                  parts[c]->where, "index by it in the program, or give columns of 0 and 1");
    for (const Index row : part.missing)
      facts->missing.push_back(row * facts->width + static_cast<Index>(c));
    if (facts->odd.empty() && !part.odd.empty())
      facts->odd = part.odd, facts->odd_element = part.odd_element * facts->width;
    if (parts[c]->kind == DataKind::reals) matrix.kind = DataKind::reals;
    if (matrix.not_int.empty())
      matrix.not_int = parts[c]->not_int, matrix.where_not_int = parts[c]->where_not_int;
  }
  std::ranges::sort(facts->missing);
  for (std::size_t row = 0; row < static_cast<std::size_t>(num_rows); ++row)
    for (const DataValue* part : parts)
      if (matrix.kind == DataKind::reals)
        matrix.reals.push_back(number_at(*part, row));
      else
        matrix.integers.push_back(part->integers[row]);
  matrix.where = parts[0]->where;
  facts->lines = parts[0]->column->lines;
  matrix.column = std::move(facts);
  return matrix;
}
}  // namespace

void add_with_missing_listed(DataTable& table, const std::string& name, DataValue value) {
  const Index num_rows = value.num_elements();
  auto facts = std::make_shared<ColumnFacts>(*value.column);
  std::vector<std::int32_t> observed, missing;
  for (const Index row : facts->missing) missing.push_back(static_cast<std::int32_t>(row + 1));
  auto next = facts->missing.begin();
  for (Index row = 0; row < num_rows; ++row) {
    const bool is_there = next == facts->missing.end() || *next != row;
    if (!is_there) ++next;
    if (is_there)
      observed.push_back(static_cast<std::int32_t>(row + 1)), facts->rows.push_back(row);
  }
  keep_rows(value.integers, facts->rows);
  keep_rows(value.reals, facts->rows);
  value.dims = {ssize(observed)};
  if (observed.empty()) value.kind = DataKind::empty;
  facts->num_listed = ssize(facts->missing);
  facts->missing.clear();
  value.column = facts;
  table.add(name + "_observed", numbers_of_rows(std::move(observed), value, num_rows));
  table.add(name + "_missing", numbers_of_rows(std::move(missing), value, num_rows));
  table.add(name, std::move(value));
}

TableReader::TableReader(std::string source, TableOptions options)
    : source_(std::move(source)),
      options_(std::move(options)),
      splitter_(options_.separator, source_) {
  lines_->source = source_;
}

void TableReader::fail(Index line, const std::string& message, const std::string& hint) const {
  throw Error(ErrorCode::data, message, fmt::format("{}:{}", source_, line), hint);
}

void TableReader::feed(std::string_view piece, bool is_last) {
  if (is_first_piece_) {  // its first bytes show the encoding
    constexpr std::size_t kLongestMark = 4;
    if (!beginning_.empty() || piece.size() < kLongestMark) {
      beginning_ += piece;
      if (beginning_.size() < kLongestMark && !is_last) return;
      piece = beginning_;
    }
    if (const std::string_view encoding = foreign_encoding(piece); !encoding.empty())
      fail(1, fmt::format("the text is in {}, data are UTF-8", encoding), to_utf8_hint(encoding));
    if (piece.starts_with("\xEF\xBB\xBF")) piece.remove_prefix(3);
    is_first_piece_ = false;
  }
  bytes_done_ += piece.size();
  splitter_.feed(piece, is_last, [this](const Record& record) { take(record); });
}

// Comments may stand before the names only.
void TableReader::take(const Record& record) {
  stop_if_asked();
  if (is_empty_line(record)) {
    if (empty_lines_++ == 0) first_empty_ = record.line;
    return;
  }
  if (has_header_) return take_row(record);
  const Cell& first = record.cells[0];
  empty_lines_ = 0;
  if (!first.quoted && first.text.starts_with('#')) return;
  take_header(record);
}

void TableReader::check_header(const Record& record) const {
  const auto cells = record.cells;
  if (cells.size() > kMostColumns)
    fail(record.line, fmt::format("{} columns, the limit is {}", cells.size(), kMostColumns), "");
  for (const Cell& cell : cells)
    if (!is_utf8(cell.text))
      fail(record.line, "a name of a column isn't UTF-8",
           "convert the file, as from Latin-1: iconv -f LATIN1 -t UTF-8 OLD > NEW");
  const std::string_view only = cells.size() == 1 && !cells[0].quoted ? cells[0].text : "";
  for (const auto& [sign, word] : {std::pair{';', "semicolon"}, {'\t', "tab"}, {',', "comma"}})
    if (only.find(sign) != only.npos)
      fail(record.line, fmt::format("the row of names has one cell, with {}s in it", word),
           fmt::format("where they separate the cells: --separator {}", word));
  if (std::ranges::all_of(cells,
                          [](const Cell& cell) { return parse_number(cell.text).has_value(); }))
    fail(record.line, "the first row has numbers, and no names of columns",
         "write a first row with a name for each column");
}

void TableReader::take_header(const Record& record) {
  check_header(record);
  lines_->header_line = record.line;
  for (const Cell& cell : record.cells) {
    Column& column = columns_.emplace_back();
    column.name = std::string(cell.text);
    if (column.name.empty()) continue;
    for (const ColumnUse& use : options_.uses)
      column.num_uses += std::ranges::count_if(use.columns, [&](const std::string& name) {
        return name == column.name || name == name_for_programs(column.name);
      });
    column.builder.emplace(column.name, is_factor(column), options_.decimal_comma);
  }
  has_header_ = true;
  require_different_names();
}

// True if the option says factor(COLUMN) or gives an order of the levels.
bool TableReader::is_factor(const Column& column) const {
  const std::string own = name_for_programs(column.name);
  const auto has_order = [&](const std::string& name) {
    return std::ranges::find(options_.factors, name) != options_.factors.end();
  };
  if (column.num_uses == 0) return has_order(own);
  return std::ranges::any_of(options_.uses, [&](const ColumnUse& use) {
    const bool uses_it = std::ranges::any_of(
        use.columns, [&](const std::string& name) { return name == column.name || name == own; });
    return uses_it && (use.factor || !use.level.empty() || has_order(use.name));
  });
}

void TableReader::require_different_names() const {
  std::map<std::string, std::size_t> places;
  std::map<std::string, std::string> names;  // for programs
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Column& column = columns_[k];
    if (!column.builder) continue;
    const auto [place, is_new] = places.try_emplace(column.name, k + 1);
    if (!is_new)
      fail(lines_->header_line,
           fmt::format("two columns have the name {}: numbers {} and {}", short_name(column.name),
                       place->second, k + 1),
           "give one of them another name in the file");
    if (column.num_uses > 0) continue;
    const auto [other, is_other] = names.try_emplace(name_for_programs(column.name), column.name);
    if (!is_other)
      fail(lines_->header_line,
           fmt::format("columns {} and {} would both be called {}", short_name(other->second),
                       short_name(column.name), other->first),
           fmt::format("name one of them: --columns {}2=\"{}\"", other->first, column.name));
  }
}

// A line with nothing in it is a missing value where there is one column, else a fault; at the end of
// the file it is nothing.
void TableReader::add_row_of_nothing() {
  if (columns_.size() > 1)
    fail(first_empty_, "an empty line among the rows",
         "remove it; a cell without a value is empty, or NA, between its commas");
  for (Index k = 0; k < empty_lines_; ++k) {
    if (columns_[0].builder) columns_[0].builder->add({});
    lines_->runs.emplace_back(num_rows_++, first_empty_ + k);
  }
  empty_lines_ = 0;
}

void TableReader::take_row(const Record& record) {
  if (empty_lines_ > 0) add_row_of_nothing();
  if (record.cells.size() != columns_.size())
    fail(
        record.line,
        fmt::format("a row of {} cells, the first row names {} columns", record.cells.size(),
                    columns_.size()),
        record.cells.size() == columns_.size() + 1 && num_rows_ == 0
            ? "where the first cell is the name of a row, as R's write.table writes it, put a name "
              "for it before the others"
            : "a cell that has a separator in it stands in double quotes; one without a value is "
              "empty, or NA");
  if (lines_->runs.empty() || lines_->line_of(num_rows_) != record.line)
    lines_->runs.emplace_back(num_rows_, record.line);
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (columns_[k].builder) columns_[k].builder->add(record.cells[k]);
  if (++num_rows_ == kRowsToReserveBy) reserve(bytes_done_);
}

// So many rows as the file has if the others are as long as these.
void TableReader::reserve(std::size_t bytes_done) {
  if (options_.num_bytes <= bytes_done || bytes_done == 0) return;
  const double length =
      static_cast<double>(splitter_.num_bytes_taken()) / static_cast<double>(num_rows_);
  const auto rows = static_cast<Index>(1.02 * static_cast<double>(options_.num_bytes) / length);
  for (Column& column : columns_)
    if (column.builder) column.builder->reserve(rows);
}

std::optional<std::size_t> TableReader::find(std::string_view name) const {
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (columns_[k].name == name) return k;
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (columns_[k].builder && name_for_programs(columns_[k].name) == name) return k;
  return std::nullopt;
}

bool TableReader::has_all(const ColumnUse& use) const {
  return std::ranges::all_of(use.columns, [&](const std::string& name) {
    const auto k = find(name);
    return k && columns_[*k].builder;
  });
}

std::vector<std::string> TableReader::used() const {
  std::vector<std::string> names;
  for (const ColumnUse& use : options_.uses)
    if (has_all(use)) names.push_back(use.name);
  return names;
}

std::vector<std::string> TableReader::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_)
    if (column.builder) names.push_back(column.name);
  return names;
}

void TableReader::add(DataTable& table, const std::string& name, DataValue value) const {
  for (const std::string& level : value.column->levels)
    if (!is_utf8(level))
      throw Error(ErrorCode::data, fmt::format("column {}: a cell isn't UTF-8", value.column->name),
                  source_, "convert the file, as from Latin-1: iconv -f LATIN1 -t UTF-8 OLD > NEW");
  const bool is_column = value.dims.size() == 1;
  if (options_.lists_missing && is_column)
    return add_with_missing_listed(table, name, std::move(value));
  table.add(name, std::move(value));
}

// Columns without another use are moved.
DataValue TableReader::value_of(const ColumnUse& use, std::vector<DataValue>& values) {
  if (!use.matrix) {
    const std::size_t k = *find(use.columns[0]);
    return --columns_[k].num_uses > 0 ? values[k] : std::move(values[k]);
  }
  std::vector<const DataValue*> parts;
  for (const std::string& name : use.columns) parts.push_back(&values[*find(name)]);
  return matrix_of(use, parts, num_rows_);
}

DataTable TableReader::finish() {
  if (!has_header_)
    throw Error(ErrorCode::data, "the file is empty, expected a row with the names of the columns",
                source_);
  DataTable table(source_);
  std::vector<DataValue> values(columns_.size());
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (columns_[k].builder) values[k] = columns_[k].builder->finish(lines_);
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Column& column = columns_[k];
    if (!column.builder)
      table.note({"", fmt::format("column {} of {} has no name and is left out", k + 1, source_)});
    if (!column.builder || column.num_uses > 0) continue;
    const std::string name = name_for_programs(column.name);
    if (name != column.name)
      table.note({name, fmt::format("column \"{}\" is called {}", column.name, name)});
    add(table, name, std::move(values[k]));
  }
  for (const ColumnUse& use : options_.uses)
    if (use.matrix && has_all(use)) add(table, use.name, value_of(use, values));
  for (const ColumnUse& use : options_.uses)
    if (!use.matrix && has_all(use)) {
      DataValue value = value_of(use, values);
      if (!use.level.empty()) value = truths_of(use, std::move(value), table);
      add(table, use.name, std::move(value));
    }
  return table;
}

}  // namespace credo::io
