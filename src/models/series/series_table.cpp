#include "models/series/series_table.hpp"

#include <fmt/format.h>

#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"
#include "io/number_text.hpp"

namespace credo::models {
namespace {
io::DataTable plain_table_of(io::DataRecipe recipe, const SeriesTextOf& text_of) {
  recipe.columns.clear();
  recipe.levels.clear();
  recipe.missing.clear();
  return io::read_data(recipe.text(), text_of);
}

std::string text_of_cell(const io::DataValue& value, const std::vector<std::string>& levels,
                         Index k) {
  const auto place = static_cast<std::size_t>(k);
  if (std::ranges::find(value.column->missing, k) != value.column->missing.end()) return {};
  if (value.kind == io::DataKind::reals) return io::number_text(value.reals[place]);
  const std::int32_t code = value.integers[place];
  if (levels.empty()) return fmt::format("{}", code);
  return code >= 1 && code <= ssize(levels) ? levels[static_cast<std::size_t>(code - 1)]
                                            : std::string();
}
}  // namespace

SeriesTable::SeriesTable(const io::DataRecipe& recipe,
                         const std::function<bool(const std::string&)>& is_usable,
                         const SeriesTextOf& text_of, FormulaFaults& faults)
    : recipe_(recipe),
      text_of_(text_of),
      plain_(plain_table_of(recipe, text_of)),
      names_(is_usable),
      frame_(plain_, names_, faults) {}

void SeriesTable::read() {
  io::DataRecipe recipe = recipe_;
  recipe.missing = "nan";
  for (std::string& use : frame_.column_uses()) recipe.columns.push_back(std::move(use));
  io::DataTable rows = io::read_data(recipe.text(), text_of_);
  std::vector<std::string> declared;
  for (const UsedColumn& used : frame_.used()) declared.push_back(used.name);
  frame_.set_rows(io::settled(std::move(rows), declared));
  num_rows_ = frame_.num_rows();
}

std::vector<std::string> SeriesTable::texts(const std::string& column) const {
  std::vector<std::string> cells;
  for (const std::string& name : plain_.names()) {
    const io::DataValue* value = plain_.find(name);
    if (value->column == nullptr || (value->column->name != column && name != column)) continue;
    const std::vector<std::string>& levels = value->column->levels;
    for (Index k = 0; k < value->num_elements(); ++k)
      cells.push_back(text_of_cell(*value, levels, k));
    break;
  }
  return cells;
}

std::string SeriesTable::where(Index row) const {
  for (const std::string& name : plain_.names())
    if (const auto& facts = plain_.find(name)->column; facts != nullptr) return facts->where(row);
  return fmt::format("row {}", row + 1);
}

}  // namespace credo::models
