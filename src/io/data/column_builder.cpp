#include "io/data/column_builder.hpp"

#include <charconv>

#include "base/error.hpp"
#include "io/number_text.hpp"

namespace credo::io {
namespace {
constexpr std::size_t kLongestShown = 40;  // bytes of a cell in a message
constexpr std::size_t kLongestLevel = 10'000;

std::string shown_cell(std::string_view text) {
  std::string shown(text.substr(0, kLongestShown));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return text.size() > kLongestShown ? shown + "..." : shown;
}

std::optional<bool> truth_of(std::string_view text) {
  for (const std::string_view word : {"TRUE", "True", "true"})
    if (text == word) return true;
  for (const std::string_view word : {"FALSE", "False", "false"})
    if (text == word) return false;
  return std::nullopt;
}

std::optional<std::int32_t> int_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

// Numbers by size, and before texts; texts by their bytes.
bool level_is_before(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& text) {
    const auto x = parse_number(text);
    return x && std::isnan(*x) ? std::nullopt : x;
  };
  const auto x = number(a), y = number(b);
  if (x && y) return *x != *y ? *x < *y : a < b;
  if (x || y) return x.has_value();
  return a < b;
}
}  // namespace

bool is_missing(const Cell& cell) {
  if (cell.text.empty()) return true;
  if (cell.quoted) return false;
  static constexpr std::array<std::string_view, 9> kWords{"NA",  "NaN",  "N/A",  "na", "nan",
                                                          "n/a", "null", "NULL", "NAN"};
  return std::find(kWords.begin(), kWords.end(), cell.text) != kWords.end();
}

ColumnBuilder::ColumnBuilder(std::string name, bool as_factor, bool decimal_comma)
    : name_(std::move(name)),
      as_factor_(as_factor),
      decimal_comma_(decimal_comma),
      kind_(as_factor ? Kind::text : Kind::unknown) {}

void ColumnBuilder::reserve(Index rows) {
  reserved_ = rows;
  if (kind_ == Kind::real)
    reals_.reserve(static_cast<std::size_t>(rows));
  else if (kind_ != Kind::unknown)
    integers_.reserve(static_cast<std::size_t>(rows));
}

void ColumnBuilder::add(const Cell& cell) {
  if (is_missing(cell)) {
    add_missing();
  } else if (kind_ == Kind::text) {
    add_text(cell.text);
  } else {
    add_number(cell);
  }
  ++num_rows_;
}

// Until now the column had only missing values.
void ColumnBuilder::set_kind(Kind kind) {
  kind_ = kind;
  const auto rows = static_cast<std::size_t>(num_rows_);
  if (kind == Kind::real)
    reals_.assign(rows, kNaN);
  else
    integers_.assign(rows, 0);
  reserve(reserved_);
}

void ColumnBuilder::add_missing() {
  facts_.missing.push_back(num_rows_);
  if (kind_ == Kind::real)
    reals_.push_back(kNaN);
  else if (kind_ != Kind::unknown)
    integers_.push_back(0);
}

std::optional<double> ColumnBuilder::number_of(std::string_view text) {
  if (!decimal_comma_) return parse_number(text);
  const bool has_comma = text.find(',') != text.npos, has_point = text.find('.') != text.npos;
  if (!has_comma && !has_point) return parse_number(text);
  if (has_comma == has_point || (has_comma ? saw_point_ : saw_comma_)) return std::nullopt;
  scratch_ = text;
  if (has_comma) scratch_[text.find(',')] = '.';
  const auto number = parse_number(scratch_);
  if (number) (has_comma ? saw_comma_ : saw_point_) = true;
  return number;
}

void ColumnBuilder::add_number(const Cell& cell) {
  if (kind_ == Kind::unknown || kind_ == Kind::truth) {
    if (const auto truth = truth_of(cell.text)) {
      if (kind_ == Kind::unknown) set_kind(Kind::truth);
      return integers_.push_back(*truth ? 1 : 0);
    }
  }
  if (kind_ == Kind::unknown || kind_ == Kind::whole) {
    if (const auto value = int_of(cell.text)) {
      if (kind_ == Kind::unknown) set_kind(Kind::whole);
      return integers_.push_back(*value);
    }
  }
  const auto number = kind_ == Kind::truth ? std::nullopt : number_of(cell.text);
  if (number) return add_real(*number, cell.text);
  if (kind_ != Kind::unknown) return add_odd(cell.text);
  set_kind(Kind::text);
  add_text(cell.text);
}

void ColumnBuilder::add_real(double number, std::string_view text) {
  if (kind_ != Kind::real) {
    not_int_ = shown_cell(text);
    first_not_int_ = num_rows_;
    reals_.reserve(static_cast<std::size_t>(std::max(reserved_, num_rows_ + 1)));
    reals_.assign(integers_.begin(), integers_.end());
    reals_.resize(static_cast<std::size_t>(num_rows_));
    integers_ = {};
    for (const Index row : facts_.missing) reals_[static_cast<std::size_t>(row)] = kNaN;
    kind_ = Kind::real;
  }
  reals_.push_back(number);
}

void ColumnBuilder::add_text(std::string_view text) {
  if (text.size() > kLongestLevel) return add_odd(text);
  if (!as_factor_ && number_of(text)) return add_odd(text);
  auto found = codes_.find(text);
  if (found == codes_.end())
    found = codes_.emplace(std::string(text), static_cast<std::int32_t>(codes_.size()) + 1).first;
  integers_.push_back(found->second);
}

void ColumnBuilder::add_odd(std::string_view text) {
  if (facts_.odd.empty()) facts_.odd = shown_cell(text), facts_.odd_element = num_rows_;
  if (kind_ == Kind::real)
    reals_.push_back(kNaN);
  else
    integers_.push_back(0);
}

void ColumnBuilder::sort_levels() {
  std::vector<std::string> levels;
  for (const auto& [text, code] : codes_) levels.push_back(text);
  std::sort(levels.begin(), levels.end(), level_is_before);
  std::vector<std::int32_t> places(levels.size() + 1, 0);  // by code; 0 stays: no value
  for (std::size_t k = 0; k < levels.size(); ++k)
    places[static_cast<std::size_t>(codes_.find(levels[k])->second)] =
        static_cast<std::int32_t>(k) + 1;
  for (std::int32_t& code : integers_) code = places[static_cast<std::size_t>(code)];
  facts_.num_codes = ssize(levels);
  facts_.levels = std::move(levels);
}

DataValue ColumnBuilder::finish(std::shared_ptr<const RowLines> lines) {
  if (kind_ == Kind::unknown && num_rows_ > 0) set_kind(Kind::real);
  if (kind_ == Kind::text) sort_levels();
  facts_.name = name_;
  facts_.lines = lines;
  DataValue value;
  value.kind = num_rows_ == 0        ? DataKind::empty
               : kind_ == Kind::real ? DataKind::reals
                                     : DataKind::integers;
  value.dims = {num_rows_};
  value.integers = std::move(integers_);
  value.reals = std::move(reals_);
  value.where = lines == nullptr ? "" : lines->source + ":" + std::to_string(lines->header_line);
  value.not_int = not_int_;
  value.column = std::make_shared<const ColumnFacts>(std::move(facts_));
  if (first_not_int_ >= 0) value.where_not_int = value.column->where(first_not_int_);
  return value;
}

}  // namespace credo::io
