#include "io/data/data_table.hpp"

#include <fmt/format.h>
#include <strings.h>

#include "base/error.hpp"

namespace credo::io {
namespace {
Index product(const std::vector<Index>& dims) {
  return std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
}

std::string sizes_text(const std::vector<Index>& dims) {
  return fmt::format("{}", fmt::join(dims, " x "));
}

std::string declaration(const Wanted& wanted) {
  return wanted.declared_at.empty() ? std::string() : ", declared at " + wanted.declared_at;
}

std::string expected(const Wanted& wanted) {
  std::string text = "expected " + wanted.type;
  if (!wanted.dims.empty())
    text += fmt::format(" ({} {})", wanted.dims.size() == 1 ? "size" : "sizes",
                        sizes_text(wanted.dims));
  return text + declaration(wanted);
}

// Advice for a value of another shape.
std::string shape_hint(const DataValue& value, const Wanted& wanted) {
  if (value.column != nullptr && value.column->lines != nullptr) {
    if (wanted.dims.empty())
      return "a column has a value for each row: give single numbers in a JSON file beside, --data "
             "FILE.json";
    if (wanted.dims.size() == 2 && value.dims.size() == 1)
      return fmt::format("name the columns of the matrix: --columns '{}=[COLUMN,COLUMN]'",
                         wanted.name);
    return "there is an element for each row of the table: give the size to match, or leave it to "
           "be taken from the table";
  }
  const std::vector<Index> reversed(value.dims.rbegin(), value.dims.rend());
  if (value.dims.empty() && value.kind == DataKind::integers && product(wanted.dims) == 1)
    return fmt::format("write [{}]", value.integers.front());
  if (value.dims.empty()) return "write its elements in brackets, [...]";
  if (wanted.dims.empty()) return "write a number without brackets";
  if (reversed == wanted.dims) return "transpose it: a matrix is a list of its rows";
  return fmt::format("give {} elements, or change what this size is computed from",
                     sizes_text(wanted.dims));
}

std::string int_hint(const std::string& token) {
  const std::size_t point = token.find('.');
  const bool is_whole =
      point != token.npos && token.find_first_not_of('0', point + 1) == token.npos;
  return is_whole ? "write " + token.substr(0, point) : "round it, or declare it as real";
}

[[noreturn]] void mismatch(const DataValue& value, const Wanted& wanted, const std::string& found,
                           const std::string& hint, const std::string& where = {}) {
  throw Error(ErrorCode::data,
              fmt::format("variable {}: found {}, {}", wanted.name, found, expected(wanted)),
              where.empty() ? value.where : where, hint);
}

[[noreturn]] void missing(const Wanted& wanted, const std::string& source,
                          const std::string& hint = {}) {
  const std::string add = source == kNoDataFile
                              ? std::string("name a file of data with --data FILE")
                              : fmt::format("add \"{}\" to the file", wanted.name);
  throw Error(ErrorCode::data,
              fmt::format("variable {} is not in the data, {}", wanted.name, expected(wanted)),
              source, hint.empty() ? add : hint);
}

bool ends_number(char c) {
  return c == ',' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool all_whole(std::span<const double> values) {
  return std::ranges::all_of(
      values, [](double x) { return x == std::floor(x) && std::abs(x) <= 2147483647.0; });
}

// Equal sizes, or no element on either side: [] stands for every shape without elements, [[],[]]
// only for one that begins with 2 x 0.
bool shape_fits(const std::vector<Index>& found, const std::vector<Index>& dims) {
  if (found == dims) return true;
  if (product(dims) != 0 || found.empty() || product(found) != 0) return false;
  if (found.size() == 1) return true;
  return found.size() <= dims.size() && std::equal(found.begin(), found.end(), dims.begin());
}

std::string first_levels(const std::vector<std::string>& levels) {
  constexpr std::size_t kShown = 3;
  const auto shown = std::span(levels).first(std::min(kShown, levels.size()));
  return fmt::format("{}{}", fmt::join(shown, ", "), levels.size() > kShown ? ", ..." : "");
}

// "1,5": digits around one comma.
bool has_decimal_comma(const std::string& text) {
  const std::size_t comma = text.find(',');
  return comma != text.npos && comma > 0 && comma + 1 < text.size() &&
         text.find_first_not_of("0123456789", comma + 1) == text.npos &&
         text.find_first_not_of("0123456789", text.starts_with('-') ? 1 : 0) == comma;
}

// "2,500", "1,234,567": groups of three digits. One such group may also stand behind a decimal comma.
bool may_have_thousands(const std::string& text) {
  constexpr std::size_t kGroup = 3;
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  std::size_t begin = text.find(',');
  if (begin == text.npos || begin == first || begin - first > kGroup ||
      text.find_first_not_of("0123456789,", first) != text.npos)
    return false;
  for (; begin != text.npos; begin = text.find(',', begin + 1)) {
    const std::size_t end = std::min(text.find(',', begin + 1), text.size());
    if (end - begin - 1 != kGroup) return false;
  }
  return true;
}

// "2024-01-31", "31.01.2024", "1/31/2024": three numbers, 8 to 10 characters together.
bool looks_like_date(const std::string& text) {
  constexpr std::size_t kShortest = 8, kLongest = 10;
  const auto separators =
      std::ranges::count_if(text, [](char c) { return c == '-' || c == '/' || c == '.'; });
  return text.size() >= kShortest && text.size() <= kLongest && separators == 2 &&
         text.find_first_not_of("0123456789-/.") == text.npos;
}

std::string hint_of_texts(const std::vector<std::string>& levels) {
  if (std::ranges::all_of(levels, may_have_thousands))
    return "their commas may separate thousands: write them without; if they are decimal commas: "
           "--decimal comma";
  if (std::ranges::all_of(levels, has_decimal_comma))
    return "they look like numbers with a decimal comma: --decimal comma";
  if (std::ranges::all_of(levels, looks_like_date))
    return "a date is no number: give the days, or years, since a start in a column of the file";
  return "declare it as array[] int and index by it, or give numbers in the file";
}

// Remedies for cells without a value, the safest first.
std::string way_out_of_missing(const ColumnFacts& column, const Wanted& wanted) {
  const std::string list = fmt::format(
      "--missing list makes them parameters, of a program that declares {0}_observed and "
      "{0}_missing",
      wanted.name);
  const std::string nan =
      "--missing nan keeps gaps in the outcomes of a program with observation_lpdf";
  if (column.lines == nullptr)
    return fmt::format("give the values; {}; {} (docs/data.md, Missing values)", nan, list);
  return fmt::format(
      "--missing drop leaves out the rows that lack a value in a column of the program; {}; {} "
      "(docs/data.md, Missing values)",
      nan, list);
}

[[noreturn]] void refuse_missing(const ColumnFacts& column, const Wanted& wanted,
                                 std::span<const Index> elements, Index num_elements,
                                 const std::string& hint) {
  const bool of_table = column.lines != nullptr;
  throw Error(
      ErrorCode::data,
      fmt::format("variable {}: {} {} has no value in {} {}; values are missing in {} of {} {}",
                  wanted.name, of_table ? "column" : "variable", column.name,
                  of_table ? "row" : "element", elements.front() / column.width + 1,
                  elements.size(), num_elements, of_table ? "cells" : "elements"),
      column.where(elements.front()), hint);
}

// Refuses texts among numbers, and missing values.
void require_numbers(const ColumnFacts& column, const Wanted& wanted, Index num_elements) {
  if (!column.odd.empty())
    throw Error(
        ErrorCode::data,
        fmt::format("variable {}: `{}` is no number, but other cells of column {} are", wanted.name,
                    column.odd, column.name),
        column.where(column.odd_element),
        may_have_thousands(column.odd)
            ? std::string("if the comma separates thousands, write the number without it; a "
                          "decimal comma is read with --decimal comma")
        : has_decimal_comma(column.odd)
            ? std::string("a decimal comma is read with --decimal comma, or in files with "
                          "semicolons")
            : fmt::format("correct the cell; where the cells are names of groups: --columns "
                          "'{}=factor({})'",
                          wanted.name, column.name));
  if (!column.missing.empty())
    refuse_missing(column, wanted, column.missing, num_elements,
                   way_out_of_missing(column, wanted));
}

void require_amounts(const ColumnFacts& column, const DataValue& value, const Wanted& wanted) {
  if (column.numbers_rows)
    throw Error(
        ErrorCode::data,
        fmt::format("variable {}: these are numbers of rows, {}", wanted.name, expected(wanted)),
        value.where, fmt::format("declare it as array[] int; the values are {}", column.name));
  if (column.levels.empty()) return;
  throw Error(
      ErrorCode::data,
      fmt::format("variable {}: column {} is a factor with {} levels ({}), whose codes are no "
                  "amounts, {}",
                  wanted.name, column.name, column.levels.size(), first_levels(column.levels),
                  expected(wanted)),
      value.where, hint_of_texts(column.levels));
}

// True if the value has numbers. False if it is missing or empty, as the declaration allows.
bool has_numbers(const DataValue* value, const Wanted& wanted, const std::string& source) {
  if (value == nullptr) {
    if (product(wanted.dims) != 0) missing(wanted, source);
    return false;
  }
  if (value->column != nullptr) require_numbers(*value->column, wanted, value->num_elements());
  if (value->kind == DataKind::tuples || !shape_fits(value->dims, wanted.dims)) {
    mismatch(*value, wanted, describe(*value), shape_hint(*value, wanted));
  }
  return value->kind != DataKind::empty;
}

// For data in columns of tables: their names, and how a column gets the name.
std::string hint_of_columns(const DataTable& table, const Wanted& wanted) {
  const std::string columns = table.columns_text();
  if (columns.empty()) return {};
  if (wanted.dims.empty())
    return fmt::format("give it in a JSON file beside the table: --data FILE.json with \"{}\"",
                       wanted.name);
  return fmt::format("the columns are {}: --columns {}=COLUMN names one so", columns, wanted.name);
}

}  // namespace

std::string way_to_take(const DataTable& table, std::string_view name, const Wanted& wanted) {
  const DataValue* value = table.find(name);
  if (value == nullptr || value->column == nullptr || value->column->lines == nullptr) return {};
  return fmt::format(": --columns {}={}", wanted.name, value->column->name);
}

const DataValue* find_or_suggest(const DataTable& table, const Wanted& wanted) {
  const DataValue* value = table.find(wanted.name);
  if (value != nullptr || product(wanted.dims) == 0) return value;
  for (const std::string& name : table.names()) {
    if (::strcasecmp(name.c_str(), wanted.name.c_str()) == 0) {
      missing(wanted, table.source(),
              fmt::format("the file has \"{}\"; names are case-sensitive{}", name,
                          way_to_take(table, name, wanted)));
    }
  }
  missing(wanted, table.source(), hint_of_columns(table, wanted));
}

Index RowLines::line_of(Index row) const {
  const auto after = std::upper_bound(runs.begin(), runs.end(), row,
                                      [](Index r, const auto& run) { return r < run.first; });
  if (after == runs.begin()) return header_line;
  return (after - 1)->second + row - (after - 1)->first;
}

std::string ColumnFacts::where(Index element) const {
  if (lines == nullptr) return {};
  const Index place = element / width;
  const bool listed = place < ssize(rows);
  return fmt::format("{}:{}", lines->source,
                     lines->line_of(listed ? rows[static_cast<std::size_t>(place)] : place));
}

Index DataValue::num_elements() const { return product(dims); }

void DataTable::add(std::string name, DataValue value) {
  const auto [entry, is_new] = values_.try_emplace(name, std::move(value));
  if (!is_new) {
    throw Error(ErrorCode::data,
                fmt::format("variable {} is given twice, first at {}", name, entry->second.where),
                value.where, "keep one of them");
  }
  names_.push_back(std::move(name));
}

void DataTable::merge(DataTable other) {
  for (const std::string& name : other.names_) {
    const Text text = other.text_of(name);
    add(name, std::move(other.values_.find(name)->second));
    merged_[name] = text;
  }
  std::ranges::move(other.notes_, std::back_inserter(notes_));
  own_.source += (own_.source.empty() ? "" : ", ") + other.own_.source;
}

void DataTable::replace(std::string_view name, DataValue value) {
  values_.find(name)->second = std::move(value);
}

const DataTable::Text& DataTable::text_of(std::string_view name) const {
  const auto found = merged_.find(name);
  return found == merged_.end() ? own_ : found->second;
}

std::string DataTable::columns_text() const {
  constexpr std::size_t kShown = 12;
  std::vector<std::string> all;
  for (const std::string& name : names_) {
    const auto& column = find(name)->column;
    if (column != nullptr && column->lines != nullptr && !column->numbers_rows)
      all.push_back(column->name);
  }
  const auto shown = std::span(all).first(std::min(kShown, all.size()));
  return fmt::format("{}{}", fmt::join(shown, ", "), all.size() > kShown ? ", ..." : "");
}

namespace {
std::string place_in(const std::string& source, const std::string& text, std::size_t offset) {
  const auto begin = text.begin();
  const auto line = std::count(begin, begin + static_cast<std::ptrdiff_t>(offset), '\n') + 1;
  const std::size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  return fmt::format("{}:{}:{}", source, line,
                     newline == std::string::npos ? offset + 1 : offset - newline);
}
}  // namespace

// Passes k numbers of the value, which is made of brackets, commas and numbers.
std::string DataTable::where_element(std::string_view name, Index k) const {
  const DataValue* value = find(name);
  const auto& [source, kept] = text_of(name);
  if (value == nullptr) return source;
  if (value->column != nullptr && value->column->lines != nullptr) return value->column->where(k);
  if (kept == nullptr || value->kind == DataKind::tuples) return value->where;
  const std::string& text = *kept;
  bool in_number = false;
  for (std::size_t at = value->offset; at < text.size(); ++at) {
    const bool between = ends_number(text[at]) || text[at] == '[';
    if (!between && !in_number && k-- == 0) return place_in(source, text, at);
    in_number = !between;
  }
  return value->where;
}

std::string DataTable::where_name(std::string_view name) const {
  const DataValue* value = find(name);
  const auto& [source, text] = text_of(name);
  if (value == nullptr) return source;
  if (text == nullptr) return value->where.empty() ? source : value->where;
  const std::size_t at = text->rfind("\"" + std::string(name) + "\"", value->offset);
  return at == std::string::npos ? value->where : place_in(source, *text, at);
}

const DataValue* DataTable::find(std::string_view name) const {
  const auto entry = values_.find(name);
  return entry == values_.end() ? nullptr : &entry->second;
}

std::vector<std::int32_t> int_values(const DataValue* value, const Wanted& wanted,
                                     const std::string& source) {
  if (!has_numbers(value, wanted, source)) return {};
  if (value->kind == DataKind::integers) return value->integers;
  if (value->column != nullptr && !value->column->gaps.empty())
    refuse_missing(*value->column, wanted, value->column->gaps, value->num_elements(),
                   "an int can't be NaN: --missing nan is for columns that the program declares as "
                   "real numbers; --missing drop leaves out the rows");
  if (value->column != nullptr && all_whole(value->reals))
    return {value->reals.begin(), value->reals.end()};
  mismatch(*value, wanted,
           value->not_int + " (an int is written without point or exponent and fits 32 bits)",
           int_hint(value->not_int), value->where_not_int);
}

std::vector<double> real_values(const DataValue* value, const Wanted& wanted,
                                const std::string& source) {
  if (!has_numbers(value, wanted, source)) return {};
  if (value->column != nullptr) require_amounts(*value->column, *value, wanted);
  if (value->kind == DataKind::reals) return value->reals;
  return {value->integers.begin(), value->integers.end()};
}

std::span<const DataValue> tuple_slots(const DataValue* value, Index num_slots,
                                       const Wanted& wanted, const std::string& source) {
  const bool none_wanted = product(wanted.dims) == 0;
  if (value == nullptr && !none_wanted) missing(wanted, source);
  if (value == nullptr) return {};
  if (!shape_fits(value->dims, wanted.dims))
    mismatch(*value, wanted, describe(*value), shape_hint(*value, wanted));
  if (value->kind == DataKind::empty && none_wanted) return {};
  if (value->kind != DataKind::tuples || ssize(value->slots) != num_slots)
    mismatch(*value, wanted, describe(*value), "a tuple is {\"1\": ..., \"2\": ...}");
  return value->slots;
}

std::vector<std::int32_t> int_values(const DataTable& table, const Wanted& wanted) {
  return int_values(find_or_suggest(table, wanted), wanted, table.source());
}

std::vector<double> real_values(const DataTable& table, const Wanted& wanted) {
  return real_values(find_or_suggest(table, wanted), wanted, table.source());
}

std::string describe(const DataValue& value) {
  const bool scalar = value.dims.empty();
  if (value.kind == DataKind::tuples) {
    const std::string one = fmt::format("a tuple of {}", value.slots.size());
    return scalar ? one
                  : fmt::format("an array of {} tuples of {}", sizes_text(value.dims),
                                value.slots.size());
  }
  const bool integers = value.kind == DataKind::integers;
  if (scalar) return integers ? "an integer" : "a real number";
  if (value.kind == DataKind::empty)
    return fmt::format("an empty array ({})", sizes_text(value.dims));
  return fmt::format("an array of {} {}", sizes_text(value.dims),
                     integers ? "integers" : "real numbers");
}

}  // namespace credo::io
