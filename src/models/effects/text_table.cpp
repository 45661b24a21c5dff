#include "models/effects/text_table.hpp"

#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"
#include "io/number_text.hpp"

namespace credo::models {
namespace {
TextColumn factor_of(const UsedColumn& used, const io::DataValue& value, const Regression& made) {
  TextColumn column{.name = used.column,
                    .is_factor = true,
                    .levels = made.levels.at(used.name),
                    .is_free = !made.fixed_factors.contains(used.name)};
  for (const std::int32_t code : value.integers)
    column.cells.push_back(value.column->levels[static_cast<std::size_t>(code - 1)]);
  return column;
}

TextColumn numbers_of(const UsedColumn& used, const io::DataValue& value) {
  TextColumn column{.name = used.column, .is_whole = used.role == ColumnRole::count};
  if (value.kind == io::DataKind::reals)
    column.numbers = value.reals;
  else
    column.numbers.assign(value.integers.begin(), value.integers.end());
  for (const double x : column.numbers) column.cells.push_back(io::number_text(x));
  return column;
}
}  // namespace

const TextColumn* TextTable::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &TextColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<std::string> TextTable::names() const {
  std::vector<std::string> all;
  for (const TextColumn& column : columns) all.push_back(column.name);
  return all;
}

TextTable table_of(const Regression& made,
                   const std::function<const std::string&(const std::string&)>& text_of) {
  std::vector<std::string> declared;
  for (const UsedColumn& used : made.columns) declared.push_back(used.name);
  const io::DataTable rows = io::settled(io::read_data(made.recipe.text(), text_of), declared);
  TextTable table{.columns = {}, .num_rows = made.num_rows};
  for (const UsedColumn& used : made.columns) {
    if (made.outcome.is_column(used.name)) continue;
    const io::DataValue& value = *rows.find(used.name);
    TextColumn column =
        used.role == ColumnRole::factor ? factor_of(used, value, made) : numbers_of(used, value);
    // A column may be used as numbers and as a factor, whose texts are the cells of the file.
    const auto known = std::ranges::find(table.columns, used.column, &TextColumn::name);
    if (known == table.columns.end())
      table.columns.push_back(std::move(column));
    else if (column.is_factor)
      *known = std::move(column);
  }
  return table;
}

}  // namespace credo::models
