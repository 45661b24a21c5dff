#include "io/summary_table.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/json_writer.hpp"

namespace credo::io {
namespace {
constexpr int kDigitsOfExactValues = 6;
constexpr int kShortestName = 12;
constexpr double kLargestFixed = 1e9, kSmallestUnit = 1e-6;

std::string fixed_or_scientific(double value, int unit_exponent);
std::string mean_text(const SummaryRow& row) { return text_to_precision(row.mean, row.mcse_mean); }
std::string sd_text(const SummaryRow& row) { return text_to_precision(row.sd, row.mcse_sd); }
std::string q5_text(const SummaryRow& row) { return text_to_precision(row.q5, row.mcse_q5); }
std::string q50_text(const SummaryRow& row) { return text_to_precision(row.q50, row.mcse_q50); }
std::string q95_text(const SummaryRow& row) { return text_to_precision(row.q95, row.mcse_q95); }
std::string mcse_text(const SummaryRow& row) {
  if (std::isnan(row.mcse_mean)) return "-";
  return row.mcse_mean == 0 ? "0" : fmt::format("{:.2g}", row.mcse_mean);
}
std::string count_text(double count) {
  return std::isnan(count) ? "-" : fmt::format("{:.0f}", count);
}
std::string ess_bulk_text(const SummaryRow& row) { return count_text(row.ess_bulk); }
std::string ess_tail_text(const SummaryRow& row) { return count_text(row.ess_tail); }
std::string r_hat_text(const SummaryRow& row) {
  return std::isnan(row.r_hat) ? "-" : fmt::format("{:.3f}", row.r_hat);
}

struct ColumnFormat {
  const char* head;
  double SummaryRow::*field;
  std::string (*text)(const SummaryRow&);
  int leaves;  // rank in which it leaves a narrow table; 0: stays
  const char* key;
};
constexpr std::array kColumns = {
    ColumnFormat{"mean", &SummaryRow::mean, mean_text, 0, "mean"},
    ColumnFormat{"sd", &SummaryRow::sd, sd_text, 0, "sd"},
    ColumnFormat{"mcse_mean", &SummaryRow::mcse_mean, mcse_text, 1, "mcse_mean"},
    ColumnFormat{"5%", &SummaryRow::q5, q5_text, 4, "q5"},
    ColumnFormat{"50%", &SummaryRow::q50, q50_text, 2, "q50"},
    ColumnFormat{"95%", &SummaryRow::q95, q95_text, 5, "q95"},
    ColumnFormat{"ess_bulk", &SummaryRow::ess_bulk, ess_bulk_text, 0, "ess_bulk"},
    ColumnFormat{"ess_tail", &SummaryRow::ess_tail, ess_tail_text, 3, "ess_tail"},
    ColumnFormat{"r_hat", &SummaryRow::r_hat, r_hat_text, 0, "r_hat"},
};
constexpr int kMostHidden = 5;

// In JSON only, after the columns.
struct JsonField {
  const char* key;
  double SummaryRow::*field;
};
constexpr std::array kErrors = {
    JsonField{"mcse_sd", &SummaryRow::mcse_sd}, JsonField{"mcse_q5", &SummaryRow::mcse_q5},
    JsonField{"mcse_q50", &SummaryRow::mcse_q50}, JsonField{"mcse_q95", &SummaryRow::mcse_q95}};

struct TableColumn {
  int leaves;                      // as in its format
  std::vector<std::string> cells;  // the head first
  int width = 0;
};

// Characters of UTF-8 text: bytes that don't continue one.
int characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool is_number(const std::string& cell) {
  return std::ranges::any_of(cell, [](char c) { return '0' <= c && c <= '9'; });
}

// The decimal point of a number and the digits behind it.
int width_of_decimals(const std::string& cell) {
  const std::size_t point = cell.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(cell.size() - point);
}

// Blanks behind numbers that have fewer decimals, so that all decimal points stand below each other. Other texts stay
// at the right.
void align_decimals(std::span<std::string> cells) {
  int most = 0;
  for (const std::string& cell : cells) most = std::max(most, width_of_decimals(cell));
  for (std::string& cell : cells)
    if (is_number(cell)) cell.append(static_cast<std::size_t>(most - width_of_decimals(cell)), ' ');
}

using CellText = std::function<std::string(const SummaryRow&)>;

TableColumn make_column(const std::string& head, int leaves, const CellText& text,
                        std::span<const SummaryRow> rows) {
  TableColumn column{leaves, {head}};
  for (const SummaryRow& row : rows) column.cells.push_back(text(row));
  align_decimals(std::span(column.cells).subspan(1));
  for (const std::string& cell : column.cells)
    column.width = std::max(column.width, characters(cell));
  return column;
}

// Requested quantiles also stay in a narrow table.
void add_quantiles(std::vector<TableColumn>& columns, std::span<const SummaryRow> rows) {
  for (std::size_t k = 0; k < rows[0].quantiles.size(); ++k) {
    const auto text = [k](const SummaryRow& row) {
      return text_to_precision(row.quantiles[k].value, row.quantiles[k].mcse);
    };
    const std::string head = fmt::format("{:g}%", rows[0].quantiles[k].percent);
    columns.push_back(make_column(head, 0, text, rows));
  }
}

std::vector<TableColumn> columns_of(std::span<const SummaryRow> rows) {
  const bool has_own = !rows.empty() && !rows[0].quantiles.empty();
  const bool has_r_hat = std::ranges::any_of(rows, [](const SummaryRow& row) {
    return !std::isnan(row.r_hat);
  });  // weighted draws have none
  std::vector<TableColumn> columns;
  for (const ColumnFormat& format : kColumns) {
    if (format.field == &SummaryRow::r_hat && !has_r_hat) continue;
    const bool is_quantile = std::string_view(format.key).starts_with('q');
    if (has_own && format.field == &SummaryRow::q5) add_quantiles(columns, rows);
    if (!has_own || !is_quantile)
      columns.push_back(make_column(format.head, format.leaves, format.text, rows));
  }
  return columns;
}

int name_width(std::span<const SummaryRow> rows) {
  int width = characters("name");
  for (const SummaryRow& row : rows) width = std::max(width, characters(row.name));
  return width;
}

// The columns that fit beside names of the shortest allowed width, and a note on the others.
std::string hide_columns(std::vector<TableColumn>& columns, int shortest_name, int limit) {
  std::vector<std::string> hidden;
  for (int rank = 1; rank <= kMostHidden; ++rank) {
    int width = shortest_name;
    for (const TableColumn& column : columns) width += 2 + column.width;
    if (width <= limit) break;
    const auto leaving =
        std::find_if(columns.begin(), columns.end(),
                     [&](const TableColumn& column) { return column.leaves == rank; });
    if (leaving == columns.end()) continue;
    hidden.push_back(leaving->cells[0]);
    columns.erase(leaving);
  }
  if (hidden.empty()) return {};
  return fmt::format("(hidden in this width: {})\n", fmt::join(hidden, ", "));
}

// The middle is left out, since indices distinguish elements of one container. Cuts between characters
// only for ASCII names, which those of a Stan program are.
std::string shortened(const std::string& name, int width) {
  const auto limit = static_cast<std::size_t>(width);
  if (name.size() <= limit) return name;
  const std::size_t tail = (limit - 2) / 2, head = limit - 2 - tail;
  return name.substr(0, head) + ".." + name.substr(name.size() - tail);
}

std::string table_line(const std::string& name, int width, std::span<const TableColumn> columns,
                       std::size_t line) {
  std::string text = fmt::format("{:<{}}", shortened(name, width), width);
  for (const TableColumn& column : columns)
    text += fmt::format("  {:>{}}", column.cells[line], column.width);
  return text + '\n';
}

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }
int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

// `value` rounded to a multiple of 10^unit_exponent.
std::string fixed_or_scientific(double value, int unit_exponent) {
  const double unit = power_of_ten(unit_exponent);
  if (std::abs(value) < kLargestFixed && unit >= kSmallestUnit) {
    if (unit_exponent <= 0) return fmt::format("{:.{}f}", value, -unit_exponent);
    return fmt::format("{:.0f}", std::round(value / unit) * unit);
  }
  const int digits = value == 0 ? 0 : std::max(0, exponent_of(value) - unit_exponent);
  return fmt::format("{:.{}e}", value, std::min(digits, 16));
}
}  // namespace

std::string text_to_precision(double value, double mcse) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (!(mcse > 0) || std::isinf(mcse)) return fmt::format("{:.{}g}", value, kDigitsOfExactValues);
  std::string text = fixed_or_scientific(value, static_cast<int>(std::lround(std::log10(mcse))));
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string summary_table(std::span<const SummaryRow> rows, int width) {
  std::vector<TableColumn> columns = columns_of(rows);
  int names = name_width(rows);
  const int limit = width > 0 ? width : std::numeric_limits<int>::max();
  const std::string note = hide_columns(columns, std::min(names, kShortestName), limit);
  int used = 0;
  for (const TableColumn& column : columns) used += 2 + column.width;
  names = std::min(names, std::max(limit - used, kShortestName));
  std::string text = table_line("name", names, columns, 0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    text += table_line(rows[k].name, names, columns, k + 1);
  return text + note;
}

std::string summary_json(std::span<const SummaryRow> rows) {
  JsonWriter json;
  json.begin_array();
  for (const SummaryRow& row : rows) {
    json.line_break().begin_object().key("name").string(row.name);
    for (const ColumnFormat& column : kColumns) json.key(column.key).number(row.*column.field);
    for (const JsonField& error : kErrors) json.key(error.key).number(row.*error.field);
    if (!row.quantiles.empty())
      json.key("quantiles").array(row.quantiles, [&](const SummaryQuantile& q) {
        json.object("percent", q.percent, "value", q.value, "mcse", q.mcse);
      });
    json.end_object();
  }
  json.line_break().end_array();
  return json.text();
}

}  // namespace credo::io
