#include "score/csv_columns.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/number_text.hpp"
#include "io/text_encoding.hpp"

namespace credo::score {
namespace {

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  while (!text.empty() && kSpace.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

// True if the text is valid UTF-8, because labels go into JSON.
bool is_utf8(std::string_view text) {
  const auto is_within = [](unsigned char c) { return c >= 0x80 && c < 0xC0; };
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at++]);
    const int more = c < 0x80 ? 0 : c < 0xC2 ? -1 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : c < 0xF5 ? 3 : -1;
    if (more < 0) return false;
    for (int k = 0; k < more; ++k, ++at)
      if (at >= text.size() || !is_within(static_cast<unsigned char>(text[at]))) return false;
  }
  return true;
}

bool looks_like_formula(std::string_view text) {
  constexpr std::string_view kBegins = "=+-@\t\r";
  return !text.empty() && kBegins.find(text[0]) != kBegins.npos && !io::parse_number(text);
}

std::string without_guard(std::string field) {
  if (field.starts_with('\'') && looks_like_formula(std::string_view(field).substr(1)))
    field.erase(0, 1);
  return field;
}

// Takes the first field off a line. Throws Error(data) where a quote isn't closed.
std::string take_field(std::string_view& line, const std::string& place) {
  std::string_view rest = without_spaces(line);
  if (rest.empty() || rest[0] != '"') {
    const std::size_t end = std::min(line.find(','), line.size());
    const std::string field(without_spaces(line.substr(0, end)));
    line.remove_prefix(end);
    return field;
  }
  std::string field;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] != '"') {
      field += rest[at];
    } else if (at + 1 < rest.size() && rest[at + 1] == '"') {
      field += rest[at++];
    } else {
      line = without_spaces(rest.substr(at + 1));
      return field;
    }
  }
  throw Error(ErrorCode::data, "a quote isn't closed", place);
}

std::vector<std::string> fields_of(std::string_view line, const std::string& place) {
  std::vector<std::string> fields;
  for (;;) {
    fields.push_back(without_guard(take_field(line, place)));
    if (line.empty()) return fields;
    if (line[0] != ',') throw Error(ErrorCode::data, "text stands behind a quoted field", place);
    line.remove_prefix(1);
  }
}
}  // namespace

std::string csv_text(std::string_view text) {
  std::string cell = looks_like_formula(text) ? "'" : "";
  cell += text;
  if (cell.find_first_of(",\"\n\r\t") == cell.npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

bool is_missing(std::string_view cell) { return cell.empty() || cell == "NA"; }

CsvColumns::CsvColumns(std::string_view text, std::string source) : source_(std::move(source)) {
  if (const std::string_view encoding = io::foreign_encoding(text); !encoding.empty())
    throw Error(ErrorCode::data, fmt::format("the table is {}, not UTF-8", encoding), source_,
                io::to_utf8_hint(encoding));
  if (!is_utf8(text))
    throw Error(ErrorCode::data, "the table is not valid UTF-8", source_, "save the file as UTF-8");
  if (text.starts_with("\xEF\xBB\xBF"))
    text.remove_prefix(3);  // byte order mark of some spreadsheets
  for (Index line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view own = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (without_spaces(own).empty()) continue;
    const std::string place = fmt::format("{}:{}", source_, line);
    std::vector<std::string> fields = fields_of(own, place);
    if (names_.empty()) {
      names_ = std::move(fields);
      continue;
    }
    if (fields.size() != names_.size())
      throw Error(ErrorCode::data,
                  fmt::format("{} fields, the first line has {}", fields.size(), names_.size()),
                  place, "every row has a field for each column");
    lines_.push_back(line);
    std::move(fields.begin(), fields.end(), std::back_inserter(cells_));
  }
  if (lines_.empty()) throw Error(ErrorCode::data, "there is no row in the table", source_);
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (*find(names_[k]) != static_cast<Index>(k))
      throw Error(ErrorCode::data, fmt::format("two columns are called '{}'", names_[k]), source_);
}

std::optional<Index> CsvColumns::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return found - names_.begin();
}

std::string CsvColumns::place(Index row, Index column) const {
  return fmt::format("{}:{}, column {}", source_, lines_[static_cast<std::size_t>(row)],
                     names_[static_cast<std::size_t>(column)]);
}

double CsvColumns::number(Index row, Index column) const {
  const std::string& text = cell(row, column);
  if (is_missing(text)) return kNaN;
  const auto value = io::parse_number(text);
  if (!value)
    throw Error(ErrorCode::data, fmt::format("'{}' is no number", text), place(row, column));
  return *value;
}

double CsvColumns::finite(Index row, Index column) const {
  const double value = number(row, column);
  if (!std::isfinite(value))
    throw Error(ErrorCode::data, fmt::format("'{}' is no finite number", cell(row, column)),
                place(row, column));
  return value;
}

std::vector<double> CsvColumns::numbers(Index column) const {
  std::vector<double> all;
  for (Index i = 0; i < num_rows(); ++i) all.push_back(finite(i, column));
  return all;
}

}  // namespace credo::score
