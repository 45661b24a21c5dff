// Line by line: a comment is a setting, a part of the adaptation or a time; the first other line
// names the columns; the rest are rows. Rows are gathered row by row and turned into columns at the
// end.
#include <fmt/format.h>
#include <charconv>
#include <set>

#include "base/error.hpp"
#include "io/number_text.hpp"
#include "io/stan_csv.hpp"

namespace credo::io {
namespace {
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& source) : rest_(text), source_(source) {}
  StanCsv read();

 private:
  void line(std::string_view text);
  void comment(std::string_view text);
  void metric_row(std::string_view text);
  void seconds(std::string_view text);
  void names(std::string_view text);
  void row(std::string_view text);
  [[noreturn]] void fail(const std::string& message) const;

  std::string_view rest_;
  std::string source_;
  Index line_ = 0;
  bool in_metric_ = false;  // the comments are rows of the inverse metric
  std::vector<double> rows_;
  StanCsv result_;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The text up to the separator; both leave `rest`.
std::string_view next_field(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const std::string_view field = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return field;
}

constexpr int kAllDigits = 15;  // numbers with so many digits count as exact

// Number of significant digits as written: 0.00120 has 3.
int digits_of(std::string_view text) {
  int count = 0;
  for (const char c : text) {
    if (c == 'e' || c == 'E') break;
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && (count > 0 || c != '0')) ++count;
  }
  return count;
}

std::vector<double> columns_from_rows(const std::vector<double>& rows, std::size_t num_columns) {
  const std::size_t num_rows = num_columns == 0 ? 0 : rows.size() / num_columns;
  std::vector<double> columns(rows.size());
  for (std::size_t s = 0; s < num_rows; ++s) {
    for (std::size_t k = 0; k < num_columns; ++k)
      columns[k * num_rows + s] = rows[s * num_columns + k];
  }
  return columns;
}

StanCsv CsvReader::read() {
  while (!rest_.empty()) {
    ++line_;
    if (rest_.find('\n') == std::string_view::npos)
      fail("the file ends in the middle of a line: it is incomplete");
    line(next_field(rest_, '\n'));
  }
  if (result_.columns.empty()) fail("no line of column names: this is not a CSV file of draws");
  result_.num_rows = ssize(rows_) / ssize(result_.columns);
  result_.values = columns_from_rows(rows_, result_.columns.size());
  return std::move(result_);
}

void CsvReader::line(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return;
  if (text.front() == '#') return comment(trimmed(text.substr(1)));
  in_metric_ = false;
  if (result_.columns.empty()) return names(text);
  row(text);
}

void CsvReader::comment(std::string_view text) {
  if (text == "Adaptation terminated") {
    result_.num_warmup_rows = result_.columns.empty() ? 0 : ssize(rows_) / ssize(result_.columns);
    return;
  }
  if (text.ends_with("lements of inverse mass matrix:")) {
    in_metric_ = true;
    result_.inverse_metric = {.dense = text.front() == 'E', .dimension = 0, .values = {}};
    return;
  }
  const bool ends_metric = text.empty() || text.starts_with("Elapsed");
  if (in_metric_ && !ends_metric) return metric_row(text);
  in_metric_ = false;
  if (text.find(" seconds (") != std::string_view::npos) return seconds(text);
  if (text.find('=') == std::string_view::npos) return;
  const std::string_view name = trimmed(next_field(text, '='));
  if (text.ends_with("(Default)")) text.remove_suffix(9);
  if (name == "Step size")
    result_.step_size = parse_number(trimmed(text));
  else
    result_.settings.push_back({std::string(name), std::string(trimmed(text))});
}

void CsvReader::metric_row(std::string_view text) {
  InverseMetric& metric = result_.inverse_metric;
  const Index width_before = std::exchange(metric.dimension, 0);
  while (!text.empty()) {
    const std::string_view field = trimmed(next_field(text, ','));
    const auto value = parse_number(field);
    if (!value) fail(fmt::format("expected a number of the inverse metric, found \"{}\"", field));
    metric.values.push_back(*value);
    ++metric.dimension;
  }
  if (width_before == 0 || metric.dimension == width_before) return;
  fail(fmt::format("{} values in a row of the inverse metric, {} in the row before",
                   metric.dimension, width_before));
}

// "Elapsed Time: 0.02 seconds (Warm-up)", "0.03 seconds (Sampling)"
void CsvReader::seconds(std::string_view text) {
  if (text.starts_with("Elapsed Time:")) text = trimmed(text.substr(13));
  const double value = parse_number(next_field(text, ' ')).value_or(kNaN);
  if (text.ends_with("(Warm-up)")) result_.warmup_seconds = value;
  if (text.ends_with("(Sampling)")) result_.sampling_seconds = value;
}

void CsvReader::names(std::string_view text) {
  while (!text.empty()) result_.columns.emplace_back(trimmed(next_field(text, ',')));
  if (result_.columns.front().find_first_not_of("0123456789+-.eE") == std::string::npos) {
    fail("expected the column names, found numbers");
  }
  std::set<std::string_view> seen;
  for (const std::string& name : result_.columns)
    if (!seen.insert(name).second) fail(fmt::format("the column {} is there twice", name));
}

void CsvReader::row(std::string_view text) {
  const std::size_t num_before = rows_.size();
  while (!text.empty()) {
    const std::string_view field = trimmed(next_field(text, ','));
    const auto value = parse_number(field);
    if (!value) fail(fmt::format("expected a number, found \"{}\"", field.substr(0, 40)));
    rows_.push_back(*value);
    if (result_.num_digits < kAllDigits)
      result_.num_digits = std::max(result_.num_digits, digits_of(field));
  }
  if (rows_.size() - num_before == result_.columns.size()) return;
  fail(fmt::format("{} values in a row of {} columns", rows_.size() - num_before,
                   result_.columns.size()));
}

void CsvReader::fail(const std::string& message) const {
  throw Error(ErrorCode::data, message, fmt::format("{}:{}", source_, line_));
}
}  // namespace

std::span<const double> StanCsv::column(Index index) const {
  CREDO_ASSERT(index >= 0 && index < ssize(columns), "the column exists");
  return std::span(values).subspan(static_cast<std::size_t>(index * num_rows),
                                   static_cast<std::size_t>(num_rows));
}

std::optional<Index> StanCsv::find_column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return found - columns.begin();
}

const std::string* StanCsv::find_setting(std::string_view name) const {
  for (const Setting& setting : settings) {
    if (setting.name == name) return &setting.value;
  }
  return nullptr;
}

StanCsv read_stan_csv(const std::string& path) { return parse_stan_csv(read_file(path), path); }

StanCsv parse_stan_csv(std::string_view text, const std::string& source) {
  return CsvReader(text, source).read();
}

}  // namespace credo::io
