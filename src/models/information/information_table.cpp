#include "models/information/information_table.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"

namespace credo::models {
namespace {
// Cells of a joint table of counts: 128 MiB.
constexpr double kMostCells = 16.0 * 1024 * 1024;
// Names of the columns in notes and errors; those that programs couldn't have twice are numbered.
std::vector<std::string> names_of(std::span<const std::string> columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    const std::string own = io::name_for_programs(column);
    names.push_back(std::ranges::find(names, own) == names.end()
                        ? own
                        : own + "_" + std::to_string(names.size() + 1));
  }
  return names;
}
}  // namespace

InformationTable::InformationTable(io::DataRecipe data, const TextOf& text_of)
    : data_(std::move(data)), text_of_(text_of) {}

io::DataTable InformationTable::read(std::span<const std::string> columns, bool as_levels) const {
  io::DataRecipe recipe = data_;
  const std::vector<std::string> names = names_of(columns);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    recipe.columns.push_back(io::text_of(io::ColumnUse{
        .name = names[k], .columns = {columns[k]}, .matrix = false, .factor = as_levels}));
  }
  io::DataTable table = io::settled(io::read_data(recipe.text(), text_of_), names);
  for (const io::DataNote& note : table.notes())
    if (note.is_loss &&
        (note.variable.empty() || std::ranges::find(names, note.variable) != names.end()) &&
        std::ranges::find(notes_, note.text) == notes_.end())
      notes_.push_back(note.text);
  return table;
}

std::vector<LevelColumn> InformationTable::levels(std::span<const std::string> columns) const {
  const io::DataTable table = read(columns, true);
  const std::vector<std::string> names = names_of(columns);
  std::vector<LevelColumn> made;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const io::DataValue& value = *table.find(names[k]);
    const io::Wanted wanted{
        .name = names[k], .type = "levels", .declared_at = "", .dims = value.dims};
    LevelColumn& own = made.emplace_back();
    own.name = columns[k];
    own.codes = io::int_values(table, wanted);
    for (std::int32_t& code : own.codes) --code;
    own.levels = value.column->levels;
    if (own.codes.empty())
      throw Error(ErrorCode::data, fmt::format("no row has a value of {}", columns[k]), "--data",
                  "columns with values");
  }
  return made;
}

std::vector<NumberColumn> InformationTable::numbers(std::span<const std::string> columns) const {
  const io::DataTable table = read(columns, false);
  const std::vector<std::string> names = names_of(columns);
  std::vector<NumberColumn> made;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const io::DataValue& value = *table.find(names[k]);
    if (value.column != nullptr && !value.column->levels.empty())
      throw Error(ErrorCode::data, fmt::format("{} has texts", columns[k]), "--estimator",
                  "estimators of levels: plugin, miller_madow, nsb");
    made.push_back(
        {.name = columns[k],
         .values = io::real_values(
             table, {.name = names[k], .type = "numbers", .declared_at = "", .dims = value.dims})});
  }
  return made;
}

bool InformationTable::are_measured(std::span<const std::string> columns) const {
  const io::DataTable table = read(columns, false);
  const std::vector<std::string> names = names_of(columns);
  bool is_measured = false;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const io::DataValue& value = *table.find(names[k]);
    if (value.column != nullptr && !value.column->levels.empty()) return false;
    is_measured = is_measured ||
                  std::ranges::any_of(value.reals, [](double x) { return x != std::floor(x); });
  }
  return is_measured;
}

LevelColumn combined(std::span<const LevelColumn> columns) {
  LevelColumn made;
  std::map<std::vector<std::int32_t>, std::int32_t> codes;
  for (std::size_t n = 0; n < columns[0].codes.size(); ++n) {
    std::vector<std::int32_t> key;
    for (const LevelColumn& column : columns) key.push_back(column.codes[n]);
    const auto [at, is_new] = codes.try_emplace(key, static_cast<std::int32_t>(codes.size()));
    made.codes.push_back(at->second);
    if (!is_new) continue;
    std::string level;
    for (std::size_t k = 0; k < columns.size(); ++k)
      level += (k > 0 ? ", " : "") + columns[k].levels[static_cast<std::size_t>(key[k])];
    made.levels.push_back(std::move(level));
  }
  for (const LevelColumn& column : columns)
    made.name += (made.name.empty() ? "" : ", ") + column.name;
  return made;
}

void require_rows_per_level(const LevelColumn& column, std::string_view option,
                            std::string_view hint) {
  constexpr Index kRowsPerLevel = 4;
  if (kRowsPerLevel * column.num_levels() > ssize(column.codes) && column.num_levels() > 2)
    throw Error(ErrorCode::data,
                fmt::format("{} has {} levels in {} rows, and counts of them say nothing",
                            column.name, column.num_levels(), column.codes.size()),
                std::string(option), std::string(hint));
}

void require_few_cells(std::span<const LevelColumn> columns) {
  double cells = 1.0;
  for (const LevelColumn& column : columns) cells *= static_cast<double>(column.num_levels());
  if (cells > kMostCells)
    throw Error(
        ErrorCode::data,
        fmt::format("{:.3g} combinations of levels are more than {:.3g}", cells, kMostCells),
        "columns", "fewer columns, or columns with fewer levels");
}

JointTable counts_of(std::span<const LevelColumn> columns) {
  require_few_cells(columns);
  JointTable made;
  std::size_t cells = 1;
  for (const LevelColumn& column : columns) {
    made.sizes.push_back(column.num_levels());
    cells *= column.levels.size();
  }
  made.cells.assign(cells, 0.0);
  for (std::size_t n = 0; n < columns[0].codes.size(); ++n) {
    std::size_t place = 0;
    for (const LevelColumn& column : columns)
      place = place * column.levels.size() + static_cast<std::size_t>(column.codes[n]);
    made.cells[place] += 1.0;
  }
  return made;
}

}  // namespace credo::models
