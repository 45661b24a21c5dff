#include "models/effects/changed_rows.hpp"

namespace credo::models {
namespace {
std::string quoted_cell(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}
}  // namespace

double RowSum::of(std::span<const double> values) const {
  double sum = 0.0;
  for (const auto& [row, weight] : weights_) sum += weight * values[static_cast<std::size_t>(row)];
  for (const auto& [rows, weight] : differences_)
    sum += weight * (values[static_cast<std::size_t>(rows.first)] -
                     values[static_cast<std::size_t>(rows.second)]);
  return sum;
}

Index ChangedRows::written(Index row, std::span<const Cell> cells) {
  std::string line;
  for (Index c = 0; c < ssize(table_.columns); ++c) {
    const TextColumn& column = table_.columns[static_cast<std::size_t>(c)];
    const auto changed = std::ranges::find(cells, c, &Cell::column);
    const std::string& text =
        changed == cells.end() ? column.cells[static_cast<std::size_t>(row)] : changed->text;
    line += (c == 0 ? "" : ",") + (column.is_factor ? quoted_cell(text) : text);
  }
  const auto [entry, is_new] = numbers_.try_emplace(line, num_written());
  if (is_new) lines_.push_back(line);
  return entry->second;
}

std::string ChangedRows::csv() const {
  std::string text;
  for (const TextColumn& column : table_.columns)
    text += (text.empty() ? "" : ",") + quoted_cell(column.name);
  text += "\n";
  for (const std::string& line : lines_) text += line + "\n";
  return text;
}

}  // namespace credo::models
