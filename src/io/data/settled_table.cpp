#include "io/data/settled_table.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "io/data/level_order.hpp"

namespace credo::io {
namespace {
constexpr std::size_t kShownRows = 10;

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_column(const DataValue& value) {
  return value.column != nullptr && value.column->lines != nullptr && !value.column->numbers_rows;
}

// The columns of one table that a program declares, and which of its rows lack a value in one of them.
struct TableRows {
  std::shared_ptr<const RowLines> lines;
  Index num_rows = 0;
  std::vector<std::string> lacking = {};  // names of variables that lack values
  std::set<Index> incomplete = {};        // rows, from 0

  bool drops() const { return !incomplete.empty(); }
};

std::vector<TableRows> tables_of(const DataTable& table, std::span<const std::string> declared) {
  std::vector<TableRows> all;
  for (const std::string& name : table.names()) {
    const DataValue& value = *table.find(name);
    if (!is_column(value) || !contains(declared, name)) continue;
    const ColumnFacts& column = *value.column;
    auto rows = std::ranges::find(all, column.lines, &TableRows::lines);
    if (rows == all.end()) {
      all.push_back({.lines = column.lines, .num_rows = value.dims[0]});
      rows = all.end() - 1;
    }
    if (!column.missing.empty()) rows->lacking.push_back(name);
    for (const Index element : column.missing) rows->incomplete.insert(element / column.width);
  }
  return all;
}

// Refuses to drop rows of one table only if another has as many rows, because the two may belong together row by row.
void require_rows_to_stay_paired(std::span<const TableRows> tables) {
  for (const TableRows& one : tables)
    for (const TableRows& other : tables)
      if (&one != &other && one.drops() && one.num_rows == other.num_rows)
        throw Error(ErrorCode::data,
                    fmt::format("{} and {} have {} rows each, and --missing drop would leave out "
                                "rows of the first only",
                                one.lines->source, other.lines->source, one.num_rows),
                    one.lines->source,
                    "put the columns into one table, or leave out the rows there");
}

std::string row_words(const TableRows& rows) {
  std::vector<Index> numbers, lines;
  for (const Index row : rows.incomplete) {
    if (numbers.size() == kShownRows) break;
    numbers.push_back(row + 1), lines.push_back(rows.lines->line_of(row));
  }
  const char* more = rows.incomplete.size() > kShownRows ? ", ..." : "";
  const bool one = rows.incomplete.size() == 1;
  return fmt::format("{} {}{} ({} {}{})", one ? "row" : "rows", fmt::join(numbers, ", "), more,
                     one ? "line" : "lines", fmt::join(lines, ", "), more);
}

std::string dropped_text(const TableRows& rows) {
  const auto count = ssize(rows.incomplete);
  return fmt::format("{} of {} rows of {} {} no value in {} and {} left out: {}", count,
                     rows.num_rows, rows.lines->source, count == 1 ? "has" : "have",
                     fmt::join(rows.lacking, " or "), count == 1 ? "is" : "are", row_words(rows));
}

template <class T>
void keep_elements(std::vector<T>& values, std::span<const Index> kept) {
  if (values.empty()) return;
  for (std::size_t k = 0; k < kept.size(); ++k)
    values[k] = values[static_cast<std::size_t>(kept[k])];
  values.resize(kept.size());
}

std::shared_ptr<const RowLines> lines_of_kept(const RowLines& lines, std::span<const Index> kept) {
  auto own = std::make_shared<RowLines>();
  own->source = lines.source, own->header_line = lines.header_line;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const auto row = static_cast<Index>(k);
    const Index line = lines.line_of(kept[k]);
    if (own->runs.empty() || own->line_of(row) != line) own->runs.emplace_back(row, line);
  }
  return own;
}

DataValue rows_of(const DataValue& value, std::span<const Index> kept,
                  std::shared_ptr<const RowLines> lines) {
  if (!value.column->odd.empty()) return value;  // refused when it is used
  DataValue result = value;
  auto facts = std::make_shared<ColumnFacts>(*value.column);
  facts->lines = std::move(lines);
  facts->missing.clear();
  std::vector<Index> elements;
  for (const Index row : kept)
    for (Index k = 0; k < facts->width; ++k) {
      const Index from = row * facts->width + k;
      if (std::ranges::binary_search(value.column->missing, from))
        facts->missing.push_back(ssize(elements));
      elements.push_back(from);
    }
  keep_elements(result.integers, elements);
  keep_elements(result.reals, elements);
  result.dims[0] = ssize(kept);
  result.column = std::move(facts);
  return result;
}

bool has_order(const ReadingRules& rules, const std::string& name) {
  return std::ranges::any_of(rules.levels, [&](const LevelOrder& o) { return o.name == name; });
}

// Removes the factor's levels that occur in omitted rows only, and notes them.
DataValue without_unused(DataTable& table, const std::string& name, DataValue value) {
  std::vector<std::string> unused;
  DataValue used = with_used_levels(value, unused);
  if (!unused.empty())
    table.note({name,
                fmt::format("{} of {} {} in none of the other rows and {} left out: {}",
                            unused.size() == 1 ? "a level" : "levels", name,
                            unused.size() == 1 ? "is" : "are", unused.size() == 1 ? "is" : "are",
                            levels_in_short(unused)),
                true});
  return used;
}

void drop_rows(DataTable& table, const TableRows& rows) {
  if (ssize(rows.incomplete) == rows.num_rows)
    throw Error(
        ErrorCode::data,
        fmt::format("every row of {} lacks a value in {}, so that --missing drop leaves none",
                    rows.lines->source, fmt::join(rows.lacking, " or ")),
        rows.lines->source, "leave out a column that has hardly any values");
  std::vector<Index> kept;
  for (Index row = 0; row < rows.num_rows; ++row)
    if (!rows.incomplete.contains(row)) kept.push_back(row);
  const auto lines = lines_of_kept(*rows.lines, kept);
  table.note({rows.lacking.front(), dropped_text(rows), true});
  for (const std::string& name : table.names()) {
    const DataValue& value = *table.find(name);
    if (!is_column(value) || value.column->lines != rows.lines) continue;
    DataValue fewer = rows_of(value, kept, lines);
    if (!has_order(table.rules(), name)) fewer = without_unused(table, name, std::move(fewer));
    table.replace(name, std::move(fewer));
  }
}

void drop_incomplete_rows(DataTable& table, std::span<const std::string> declared) {
  const std::vector<TableRows> tables = tables_of(table, declared);
  require_rows_to_stay_paired(tables);
  for (const TableRows& rows : tables)
    if (rows.drops()) drop_rows(table, rows);
}

// Turns missing numbers into NaN. Codes and row numbers have no NaN: they stay missing and are refused when used.
void keep_gaps(DataTable& table) {
  for (const std::string& name : table.names()) {
    const DataValue& value = *table.find(name);
    const bool is_amount =
        value.column != nullptr && value.column->levels.empty() && !value.column->numbers_rows;
    if (!is_amount || value.column->missing.empty()) continue;
    DataValue gapped = value;
    if (gapped.kind == DataKind::integers) {
      gapped.reals.assign(value.integers.begin(), value.integers.end());
      gapped.integers = {};
      gapped.kind = DataKind::reals;
    }
    for (const Index k : value.column->missing) gapped.reals[static_cast<std::size_t>(k)] = kNaN;
    auto facts = std::make_shared<ColumnFacts>(*value.column);
    facts->gaps = std::move(facts->missing);
    facts->missing.clear();
    gapped.column = std::move(facts);
    table.replace(name, std::move(gapped));
  }
}

void require_lists(const DataTable& table, std::span<const std::string> declared) {
  for (const std::string& name : table.names()) {
    const DataValue& value = *table.find(name);
    if (value.column == nullptr || value.column->num_listed == 0 || !contains(declared, name))
      continue;
    if (contains(declared, name + "_observed") || contains(declared, name + "_missing")) continue;
    throw Error(
        ErrorCode::data,
        fmt::format(
            "variable {0}: {1} of {2} values of {3} are missing, and --missing list leaves "
            "them out of {0}, whose elements then aren't the rows of the table; the program "
            "declares neither {0}_observed nor {0}_missing, which say which rows they are",
            name, value.column->num_listed, value.num_elements() + value.column->num_listed,
            value.column->lines == nullptr ? name : "column " + value.column->name),
        value.where,
        fmt::format("--missing drop leaves out the whole rows; --missing nan keeps gaps, of a "
                    "program with observation_lpdf; or declare {}_observed (docs/data.md, Missing "
                    "values)",
                    name));
  }
}

void put_in_order(DataTable& table, const LevelOrder& order) {
  table.replace(order.name, with_levels(*table.find(order.name), order));
  if (order.of_fit) return;
  std::vector<std::string> unused;
  (void)with_used_levels(*table.find(order.name), unused);
  if (!unused.empty())
    table.note({order.name,
                fmt::format("no row has {} {} of {}", unused.size() == 1 ? "level" : "the levels",
                            levels_in_short(unused), order.name)});
}
}  // namespace

bool is_settled(const DataTable& table) {
  return table.rules().missing == MissingUse::refuse && table.rules().levels.empty();
}

DataTable settled(DataTable table, std::span<const std::string> declared) {
  const MissingUse missing = table.rules().missing;
  if (missing == MissingUse::drop) drop_incomplete_rows(table, declared);
  if (missing == MissingUse::nan) keep_gaps(table);
  if (missing == MissingUse::list) require_lists(table, declared);
  for (const LevelOrder& order : table.rules().levels) {
    if (!contains(declared, order.name)) continue;
    if (table.find(order.name) != nullptr)
      put_in_order(table, order);
    else if (!order.levels.empty() && !order.has_rest)
      table.add_absent_factor(order.name, ssize(order.levels));
  }
  table.set_rules({});
  return table;
}

}  // namespace credo::io
