#include "io/data_table.hpp"

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

// What to do about a value of another shape.
std::string shape_hint(const DataValue& value, const Wanted& wanted) {
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

// Equal sizes, or no element on either side: [] stands for every shape without elements, [[],[]]
// only for one that begins with 2 x 0.
bool shape_fits(const std::vector<Index>& found, const std::vector<Index>& dims) {
  if (found == dims) return true;
  if (product(dims) != 0 || found.empty() || product(found) != 0) return false;
  if (found.size() == 1) return true;
  return found.size() <= dims.size() && std::equal(found.begin(), found.end(), dims.begin());
}

// True: there are numbers to take. False: missing or empty, and that is what is wanted.
bool has_numbers(const DataValue* value, const Wanted& wanted, const std::string& source) {
  if (value == nullptr) {
    if (product(wanted.dims) != 0) missing(wanted, source);
    return false;
  }
  if (value->kind == DataKind::tuples || !shape_fits(value->dims, wanted.dims)) {
    mismatch(*value, wanted, describe(*value), shape_hint(*value, wanted));
  }
  return value->kind != DataKind::empty;
}

}  // namespace

const DataValue* find_or_suggest(const DataTable& table, const Wanted& wanted) {
  const DataValue* value = table.find(wanted.name);
  if (value != nullptr || product(wanted.dims) == 0) return value;
  for (const std::string& name : table.names()) {
    if (::strcasecmp(name.c_str(), wanted.name.c_str()) == 0) {
      missing(wanted, table.source(), "the file has \"" + name + "\"; names are case-sensitive");
    }
  }
  missing(wanted, table.source());
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

// Passes k numbers of the value, which is made of brackets, commas and numbers.
std::string DataTable::where_element(std::string_view name, Index k) const {
  const DataValue* value = find(name);
  if (value == nullptr) return source_;
  if (text_ == nullptr || value->kind == DataKind::tuples) return value->where;
  const std::string& text = *text_;
  bool in_number = false;
  for (std::size_t at = value->offset; at < text.size(); ++at) {
    const bool between = ends_number(text[at]) || text[at] == '[';
    if (!between && !in_number && k-- == 0) return place(at);
    in_number = !between;
  }
  return value->where;
}

std::string DataTable::where_name(std::string_view name) const {
  const DataValue* value = find(name);
  if (value == nullptr || text_ == nullptr) return source_;
  const std::size_t at = text_->rfind("\"" + std::string(name) + "\"", value->offset);
  return at == std::string::npos ? value->where : place(at);
}

std::string DataTable::place(std::size_t offset) const {
  const auto begin = text_->begin();
  const auto line = std::count(begin, begin + static_cast<std::ptrdiff_t>(offset), '\n') + 1;
  const std::size_t newline = offset == 0 ? std::string::npos : text_->rfind('\n', offset - 1);
  return fmt::format("{}:{}:{}", source_, line,
                     newline == std::string::npos ? offset + 1 : offset - newline);
}

const DataValue* DataTable::find(std::string_view name) const {
  const auto entry = values_.find(name);
  return entry == values_.end() ? nullptr : &entry->second;
}

std::vector<std::int32_t> int_values(const DataValue* value, const Wanted& wanted,
                                     const std::string& source) {
  if (!has_numbers(value, wanted, source)) return {};
  if (value->kind == DataKind::integers) return value->integers;
  mismatch(*value, wanted,
           value->not_int + " (an int is written without point or exponent and fits 32 bits)",
           int_hint(value->not_int), value->where_not_int);
}

std::vector<double> real_values(const DataValue* value, const Wanted& wanted,
                                const std::string& source) {
  if (!has_numbers(value, wanted, source)) return {};
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
