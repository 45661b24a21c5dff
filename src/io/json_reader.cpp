// JSON by simdjson's on-demand interface, the only file that knows it.
//
// The parser walks the tokens; this file decides from a token's first character on its type, so that
// the bare NaN and Infinity of CmdStan's files need no second pass. While a variable is read it is
// a Column: numbers are appended as they come (row-major is the order of the text), sizes are fixed
// by the first array that closes at a level and compared by all later ones. A tuple is a column of
// columns, so an array of tuples costs no object per element.
#include "io/json_reader.hpp"
#include "io/number_text.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/stop.hpp"
#include "io/file.hpp"
#include "io/number_text.hpp"
#include "io/text_encoding.hpp"

namespace credo::io {
namespace {
namespace ondemand = simdjson::ondemand;

struct Column {
  DataKind kind = DataKind::empty;
  std::vector<Index> sizes;  // sizes of the arrays at each level; kOpen until the first one closes
  Index rank = -1;           // level of the numbers or tuples; -1 until the first
  std::vector<std::int32_t> integers;
  std::vector<double> reals;
  std::vector<Column> slots;
  Index num_tuples = 0;  // kind tuples: how many so far
  Index num_given = 0;   // a slot: in how many tuples so far
  std::string where, not_int, where_not_int;
  std::size_t offset = 0;
};
constexpr Index kOpen = -1;
constexpr std::size_t kKeptText = std::size_t{64} << 20;  // bytes; more isn't kept for messages

class Reader {
 public:
  Reader(std::string_view text, const std::string& source, const ReadLimits& limits);
  DataTable table();
  std::vector<DataTable> tables();
  DataValue array();

 private:
  DataTable read_table(ondemand::object object);
  DataValue read_variable(ondemand::value value);
  void read_value(ondemand::value value, Column& column, Index level);
  void read_array(ondemand::value value, Column& column, Index level);
  void read_tuple(ondemand::value value, Column& column, Index level);
  void read_slots(ondemand::object object, Column& column);
  void read_scalar(ondemand::value value, Column& column, std::string_view token);
  void read_number(ondemand::value value, Column& column, std::string_view token);
  void append_real(Column& column, double number, std::string_view token);
  Column& slot(Column& tuple, std::string_view key, const char* place);
  void start_leaf(Column& column, Index level, DataKind kind, const char* place);
  void close_array(Column& column, Index level, Index size, const char* place);
  void count_slots(const Column& column, Index num_given, const char* place);
  DataValue finish(Column& column, const std::vector<Index>& outer);
  void open(const char* expected);
  void expect_end();
  [[noreturn]] void fail_behind_end(const char* place);
  const char* behind_first_value(std::string_view expected) const;

  std::string position(const char* place);
  const char* here();
  [[noreturn]] void fail(const char* place, const std::string& message,
                         const std::string& hint = {});
  [[noreturn]] void fail_token(const char* place, std::string_view token);
  [[noreturn]] void malformed(simdjson::error_code code, const char* expected);
  void look_for_missing_comma(const char* place, std::string_view expected);
  std::string what_it_is(const char* place) const;
  std::string element_text() const;
  template <class T>
  T take(simdjson::simdjson_result<T> result, const char* expected);

  std::string source_;
  ReadLimits limits_;
  // With the padding that the parser may read; tables share it to find places.
  std::shared_ptr<std::string> owned_ = std::make_shared<std::string>();
  std::string& text_ = *owned_;
  std::size_t size_ = 0;
  std::string name_;         // the variable being read; empty outside
  std::vector<Index> path_;  // and its element, from 1
  int depth_ = 0;
  const char* counted_to_ = nullptr;  // position() has counted the lines up to here
  const char* line_begin_ = nullptr;
  Index line_ = 1;
  ondemand::parser parser_;
  ondemand::document document_;
  bool is_open_ = false;  // document_ has a place
};

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

std::string_view without_end(std::string_view token) {
  const auto last = token.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view() : token.substr(0, last + 1);
}

// A token as it may be shown: short, and without characters that a terminal would obey.
std::string shown(std::string_view token) {
  constexpr std::size_t kLongest = 40;
  std::string text(token.substr(0, kLongest));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return token.size() > kLongest ? text + "..." : text;
}

std::optional<double> special_number(std::string_view token) {
  if (token == "NaN" || token == "\"NaN\"") return kNaN;
  if (token == "Infinity" || token == "\"Infinity\"" || token == "\"Inf\"") return kInfinity;
  if (token == "-Infinity" || token == "\"-Infinity\"" || token == "\"-Inf\"") return -kInfinity;
  return std::nullopt;
}

Reader::Reader(std::string_view text, const std::string& source, const ReadLimits& limits)
    : source_(source), limits_(limits) {
  if (const std::string_view encoding = foreign_encoding(text); !encoding.empty())
    throw Error(ErrorCode::data, fmt::format("the text is in {}, data are UTF-8", encoding),
                source + ":1:1", to_utf8_hint(encoding));
  text = without_byte_order_mark(text);
  if (text.size() > limits.max_bytes) {
    throw Error(ErrorCode::data,
                fmt::format("{} bytes of data, the limit is {}", text.size(), limits.max_bytes),
                source);
  }
  size_ = text.size();
  text_.reserve(size_ + simdjson::SIMDJSON_PADDING);
  text_.append(text).append(simdjson::SIMDJSON_PADDING, '\0');
  counted_to_ = line_begin_ = text_.data();
}

DataTable Reader::table() {
  open("one object {\"name\": value, ...} in JSON");
  auto object = take(document_.get_object(), "one object {\"name\": value, ...} alone");
  DataTable result = read_table(object);
  expect_end();
  return result;
}

std::vector<DataTable> Reader::tables() {
  open("a list of objects [{...}, ...]");
  std::vector<DataTable> result;
  for (auto element : take(document_.get_array(), "a list of objects [{...}, ...] alone")) {
    auto value = take(element, "an object, ',' or ']'");
    result.push_back(read_table(take(value.get_object(), "an object {\"name\": value, ...}")));
  }
  expect_end();
  return result;
}

DataValue Reader::array() {
  open("an array [...]");
  Column column;
  column.where = position(text_.data());
  const char* const place = text_.data();
  Index size = 0;
  column.sizes.push_back(kOpen);
  for (auto element : take(document_.get_array(), "one array [...] alone")) {
    read_value(take(element, "a value, ',' or ']'"), column, 1);
    ++size;
  }
  close_array(column, 0, size, place);
  expect_end();
  return finish(column, {});
}

DataTable Reader::read_table(ondemand::object object) {
  DataTable result(source_);
  if (size_ <= kKeptText) result.keep(owned_);
  for (auto member : object) {
    auto field = take(std::move(member), "a name in quotes, ',' or '}'");
    name_ = std::string(take(field.unescaped_key(), "a name in quotes"));
    result.add(name_, read_variable(field.value()));
    name_.clear();
  }
  return result;
}

DataValue Reader::read_variable(ondemand::value value) {
  Column column;
  read_value(value, column, 0);
  return finish(column, {});
}

void Reader::read_value(ondemand::value value, Column& column, Index level) {
  stop_if_asked();
  const std::string_view token = value.raw_json_token();
  if (column.where.empty()) {
    column.where = position(token.data());
    column.offset = static_cast<std::size_t>(token.data() - text_.data());
  }
  switch (token.empty() ? '\0' : token.front()) {
    case '[':
      return read_array(value, column, level);
    case '{':
      return read_tuple(value, column, level);
    default:
      if (column.rank != level || column.kind == DataKind::tuples) {
        start_leaf(column, level, DataKind::integers, token.data());
      }
      return read_scalar(value, column, token);
  }
}

void Reader::read_array(ondemand::value value, Column& column, Index level) {
  const char* const place = value.raw_json_token().data();
  if (column.rank >= 0 && level >= column.rank)
    fail(place, "an array where the elements before are single values");
  if (++depth_ > limits_.max_depth)
    fail(place, fmt::format("nested deeper than {} levels", limits_.max_depth));
  if (ssize(column.sizes) == level) column.sizes.push_back(kOpen);
  Index size = 0;
  path_.push_back(0);
  for (auto element : take(value.get_array(), "an array")) {
    path_.back() = size + 1;
    read_value(take(element, "a value, ',' or ']'"), column, level + 1);
    ++size;
  }
  path_.pop_back();
  close_array(column, level, size, place);
  --depth_;
}

void Reader::read_tuple(ondemand::value value, Column& column, Index level) {
  const char* const place = value.raw_json_token().data();
  if (++depth_ > limits_.max_depth)
    fail(place, fmt::format("nested deeper than {} levels", limits_.max_depth));
  start_leaf(column, level, DataKind::tuples, place);
  ++column.num_tuples;
  read_slots(take(value.get_object(), "an object"), column);
  --depth_;
}

// The slots of one tuple: each exactly once, in any order.
void Reader::read_slots(ondemand::object object, Column& column) {
  Index num_given = 0;
  const char* place = here();
  for (auto member : object) {
    auto field = take(std::move(member), "a key in quotes, ',' or '}'");
    const std::string_view key = take(field.unescaped_key(), "a key in quotes");
    auto value = field.value();
    place = value.raw_json_token().data();
    Column& target = slot(column, key, place);
    if (++target.num_given > column.num_tuples)
      fail(place, fmt::format("element {} of a tuple is given twice", key));
    read_value(value, target, 0);
    ++num_given;
  }
  count_slots(column, num_given, place);
}

void Reader::count_slots(const Column& column, Index num_given, const char* place) {
  if (num_given == 0)
    fail(place, "a tuple without elements", "a tuple is {\"1\": ..., \"2\": ...}");
  if (num_given == ssize(column.slots)) return;
  fail(place, fmt::format("a tuple with {} of its {} elements", num_given, column.slots.size()),
       "every tuple has the keys \"1\", \"2\", ... without gaps");
}

Column& Reader::slot(Column& tuple, std::string_view key, const char* place) {
  int number = 0;
  for (const char c : key) {
    number = c >= '0' && c <= '9' && number <= limits_.max_slots ? 10 * number + (c - '0')
                                                                 : limits_.max_slots + 1;
  }
  if (number < 1 || number > limits_.max_slots || key.front() == '0') {
    fail(place,
         fmt::format("key \"{}\" in an object; a tuple has the keys \"1\", \"2\", ... (at most {})",
                     shown(key), limits_.max_slots),
         "vectors, arrays and matrices are written in brackets, a matrix row by row, as in "
         "[[1, 2], [3, 4]]");
  }
  const auto position = static_cast<std::size_t>(number);
  const bool first_tuple = tuple.num_tuples == 1;
  if (position > tuple.slots.size() && !first_tuple) {
    fail(place,
         fmt::format("element {} in a tuple, the ones before have {}", number, tuple.slots.size()));
  }
  if (position > tuple.slots.size()) tuple.slots.resize(position);
  return tuple.slots[position - 1];
}

// Line `level` of nested arrays holds single values from now on.
void Reader::start_leaf(Column& column, Index level, DataKind kind, const char* place) {
  const bool was_tuples = column.kind == DataKind::tuples;
  const bool holds_values = column.kind != DataKind::empty;
  if (holds_values && was_tuples != (kind == DataKind::tuples))
    fail(place, "numbers and tuples in one array");
  if (ssize(column.sizes) != level || (column.rank >= 0 && column.rank != level)) {
    fail(place, "a single value where the elements before are arrays");
  }
  column.rank = level;
  if (!holds_values) column.kind = kind;
}

void Reader::close_array(Column& column, Index level, Index size, const char* place) {
  Index& expected = column.sizes[static_cast<std::size_t>(level)];
  if (expected == kOpen) expected = size;
  if (size == expected) return;
  fail(place, fmt::format("a row of {} where the rows before have {}", size, expected),
       fmt::format("give it {} elements: all rows of an array have one length", expected));
}

void Reader::read_scalar(ondemand::value value, Column& column, std::string_view token) {
  const char first = token.empty() ? '\0' : token.front();
  const bool negative_number = first == '-' && token.size() > 1 && token[1] != 'I';
  if ((first >= '0' && first <= '9') || negative_number) return read_number(value, column, token);
  token = without_end(token);
  const std::optional<double> special = special_number(token);
  if (!special) fail_token(token.data(), token);
  append_real(column, *special, token);
}

void Reader::read_number(ondemand::value value, Column& column, std::string_view token) {
  ondemand::number number;
  // Reals of 19 digits and more come out of the library as 0 or as another number, without an error.
  constexpr std::size_t kMostDigits = 17;
  const std::string_view text = without_end(token);
  const bool is_long = text.size() > kMostDigits && text.find_first_of(".eE") != text.npos;
  if (is_long || value.get_number().get(number) != simdjson::SUCCESS) {
    double real = 0;  // an integer beyond 64 bits is not a `number`, but a fine real
    if (value.get_double().get(real) != simdjson::SUCCESS) fail_token(token.data(), text);
    return append_real(column, is_long ? parse_number(text).value_or(real) : real, token);
  }
  if (column.kind == DataKind::integers && number.is_int64()) {
    const std::int64_t integer = number.get_int64();
    if (integer == static_cast<std::int32_t>(integer)) {
      return column.integers.push_back(static_cast<std::int32_t>(integer));
    }
  }
  append_real(column, number.as_double(), token);
}

// The first real turns the integers before it into reals.
void Reader::append_real(Column& column, double number, std::string_view token) {
  if (column.kind == DataKind::integers) {
    column.not_int = shown(without_end(token));
    column.where_not_int = position(token.data());
    column.reals.assign(column.integers.begin(), column.integers.end());
    column.integers = {};
    column.kind = DataKind::reals;
  }
  column.reals.push_back(number);
}

DataValue Reader::finish(Column& column, const std::vector<Index>& outer) {
  DataValue value;
  value.kind = column.kind;
  value.dims = outer;
  value.dims.insert(value.dims.end(), column.sizes.begin(), column.sizes.end());
  value.integers = std::move(column.integers);
  value.reals = std::move(column.reals);
  value.where = std::move(column.where);
  value.offset = column.offset;
  value.not_int = std::move(column.not_int);
  value.where_not_int = std::move(column.where_not_int);
  for (Column& element : column.slots) value.slots.push_back(finish(element, value.dims));
  return value;
}

void Reader::open(const char* expected) {
  document_ = take(parser_.iterate(text_.data(), size_, text_.size()), expected);
  is_open_ = true;
}

void Reader::expect_end() {
  if (here() != text_.data() + size_) fail_behind_end(here());
}

void Reader::fail_behind_end(const char* place) {
  const std::string_view rest(place, static_cast<std::size_t>(text_.data() + size_ - place));
  fail(place,
       fmt::format("text after the end of the data: `{}`", shown(rest.substr(0, rest.find('\n')))),
       "the file is over with the brace or bracket that closes the first one: remove what stands "
       "behind it, or move it inside");
}

// Text behind the end of the expected object or array; null without such text, or if the value has
// no end.
const char* Reader::behind_first_value(std::string_view expected) const {
  const std::string_view text = std::string_view(text_).substr(0, size_);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const char open = expected.starts_with("one object") ? '{' : '[';
  if (begin == text.npos || text[begin] != open) return nullptr;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '{' || c == '[') ++depth;
    if (c != '}' && c != ']') continue;
    if (--depth > 0) continue;
    const std::size_t next = text.find_first_not_of(" \t\r\n", i + 1);
    return depth < 0 || next == text.npos ? nullptr : text.data() + next;
  }
  return nullptr;
}

// "file:line:column", columns in bytes from 1. Places come nearly always in the order of the text.
std::string Reader::position(const char* place) {
  if (place < counted_to_) {
    counted_to_ = line_begin_ = text_.data();
    line_ = 1;
  }
  while (const auto* newline = static_cast<const char*>(
             std::memchr(counted_to_, '\n', static_cast<std::size_t>(place - counted_to_)))) {
    ++line_;
    counted_to_ = line_begin_ = newline + 1;
  }
  counted_to_ = place;
  return fmt::format("{}:{}:{}", source_, line_, place - line_begin_ + 1);
}

const char* Reader::here() {
  const char* place = nullptr;
  const char* const end = text_.data() + size_;
  if (document_.current_location().get(place) != simdjson::SUCCESS || place > end) return end;
  return place;
}

void Reader::fail(const char* place, const std::string& message, const std::string& hint) {
  const std::string subject =
      name_.empty() ? std::string() : "variable " + shown(name_) + element_text() + ": ";
  throw Error(ErrorCode::data, subject + message, position(place), hint);
}

// "[3,1]"
std::string Reader::element_text() const {
  return path_.empty() ? std::string() : fmt::format("[{}]", fmt::join(path_, ","));
}

// Advice by the form of the text that was given instead of one object.
std::string Reader::what_it_is(const char* place) const {
  const std::string_view rest(place, static_cast<std::size_t>(text_.data() + size_ - place));
  const std::string_view line = rest.substr(0, rest.find('\n'));
  if (rest.starts_with('[')) return "give the array a name, as in {\"y\": [1, 2]}";
  if (rest.substr(0, 1000).find("<-") != rest.npos)
    return "this looks like R's dump format: call the file FILE.R";
  if (!rest.starts_with('{') && line.find(',') != line.npos)
    return "this looks like a table: call the file FILE.csv, or FILE.tsv where tabs separate its "
           "cells";
  return "data are JSON: {\"N\": 2, \"y\": [3, 4]}";
}

// A missing comma belongs behind the value before.
void Reader::look_for_missing_comma(const char* place, std::string_view expected) {
  const char* const begin = text_.data();
  if (expected.find("','") == expected.npos || place >= begin + size_) return;
  const char* before = place;
  while (before > begin && std::string_view(" \t\r\n").find(before[-1]) != std::string_view::npos)
    --before;
  const bool follows_value =
      before > begin && std::string_view("[{,:\"").find(before[-1]) == std::string_view::npos;
  if (!follows_value || std::string_view(",]}/").find(*place) != std::string_view::npos) return;
  fail(before, fmt::format("not valid JSON: expected {}, found {}", expected, shown({place, 1})),
       "put , between the two");
}

// True for words of spreadsheets, R and Python for a missing value.
bool stands_for_missing(std::string_view token) {
  if (token.size() >= 2 && token.front() == '"') token = token.substr(1, token.size() - 2);
  static constexpr std::array<std::string_view, 12> kWords{
      "null", "NULL", "None", "NA", "N/A", "nan", "NAN", "NaN", "na", "missing", ".", ""};
  return std::find(kWords.begin(), kWords.end(), token) != kWords.end();
}
constexpr const char* kMissingData =
    "data have no missing values: leave the element out, and where it matters declare it as a "
    "parameter beside the observed ones (docs/files.md, Missing data)";

void Reader::fail_token(const char* place, std::string_view token) {
  std::string hint = "only numbers are data; NaN, Infinity and -Infinity count as numbers";
  if (token == "true" || token == "false") hint = "write 1 and 0";
  if (stands_for_missing(token)) hint = kMissingData;
  const char first = token.empty() ? '\0' : token.front();
  const bool numeric =
      (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.';
  const std::string_view inner = token.size() > 2 ? token.substr(1, token.size() - 2) : "";
  if (first == '"' && inner.find_first_not_of("0123456789.+-eE") == inner.npos &&
      inner.find_first_of("0123456789") != inner.npos)
    hint = fmt::format("remove the quotes: {}", inner);
  if (numeric)
    hint = "a number has digits on both sides of its point, no leading + or 0, and fits a double";
  fail(place,
       token.empty() ? "expected a value, found nothing"
                     : "expected a number, found " + shown(token),
       hint);
}

void Reader::malformed(simdjson::error_code code, const char* expected) {
  using namespace simdjson;
  if (code == UTF8_ERROR)
    throw Error(ErrorCode::data, "the text is not valid UTF-8", source_,
                "save the file as UTF-8; names and numbers of data need ASCII only");
  if (code == UNCLOSED_STRING) throw Error(ErrorCode::data, "a string is not closed", source_);
  if (code == UNESCAPED_CHARS)
    throw Error(ErrorCode::data, "a control character in a string", source_);
  if (code == EMPTY)
    throw Error(ErrorCode::data, fmt::format("the file is empty, expected {}", expected), source_);
  if (code == MEMALLOC) throw_out_of_memory(size_);
  const std::string_view text = std::string_view(text_).substr(0, size_);
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const bool is_cut_off = text.find('{') != text.npos && text.find('}') == text.npos;
  if (code == INCOMPLETE_ARRAY_OR_OBJECT && is_cut_off) {
    fail(text_.data() + last + 1, "not valid JSON: expected '}' or ']', found the end",
         "close the open part with } or ]");
  }
  if (std::string_view(expected).ends_with("alone"))
    if (const char* rest = behind_first_value(expected); rest != nullptr) fail_behind_end(rest);
  const char* const place = is_open_ ? here() : text_.data();
  look_for_missing_comma(place, expected);
  const std::string_view wanted = expected;
  const bool at_end = place >= text_.data() + size_;
  std::string hint = "see docs/files.md for what a data file is";
  if (!at_end && *place == '\'') hint = "names stand in double quotes, as in \"N\"";
  if (!at_end && (*place == ']' || *place == '}')) hint = "remove the , before it";
  if (!at_end && wanted.starts_with("one object")) hint = what_it_is(place);
  fail(place,
       fmt::format("not valid JSON: expected {}, found {}", expected,
                   at_end ? "the end" : "`" + shown({place, 1}) + "`"),
       hint);
}

template <class T>
T Reader::take(simdjson::simdjson_result<T> result, const char* expected) {
  T value;
  if (const simdjson::error_code code = std::move(result).get(value)) malformed(code, expected);
  return value;
}
}  // namespace

DataTable parse_json_data(std::string_view text, const std::string& source,
                          const ReadLimits& limits) {
  return Reader(text, source, limits).table();
}

DataTable read_json_data(const std::string& path, const ReadLimits& limits) {
  return parse_json_data(read_file(path, limits.max_bytes), path, limits);
}

std::vector<DataTable> parse_json_tables(std::string_view text, const std::string& source,
                                         const ReadLimits& limits) {
  return Reader(text, source, limits).tables();
}

DataValue parse_json_array(std::string_view text, const std::string& source,
                           const ReadLimits& limits) {
  return Reader(text, source, limits).array();
}

}  // namespace credo::io
