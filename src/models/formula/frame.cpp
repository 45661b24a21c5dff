#include "models/formula/frame.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"

namespace credo::models {

Frame::Frame(const io::DataTable& table, ProgramNames& names, FormulaFaults& faults)
    : table_(table), names_(names), faults_(faults) {
  for (const std::string& name : table.names())
    if (const auto& facts = table.find(name)->column; facts != nullptr && facts->width == 1)
      columns_.push_back(facts->name);
}

const io::DataValue* Frame::find(const Expression& name) const {
  for (const std::string& variable : table_.names()) {
    const io::DataValue* value = table_.find(variable);
    const bool is_column = value->column != nullptr && value->column->width == 1;
    if (is_column && (value->column->name == name.word || variable == name.word)) return value;
  }
  faults_.add(name.place, fmt::format("there is no column {}", name.word),
              columns_.empty() ? ""
              : did_you_mean(name.word, columns_).empty()
                  ? fmt::format("the columns are {}", fmt::join(columns_, ", "))
                  : did_you_mean(name.word, columns_));
  return nullptr;
}

bool Frame::is_text(const Expression& name) const {
  const io::DataValue* value = find(name);
  return value != nullptr && !value->column->levels.empty();
}

bool Frame::has_order(const io::DataValue& column) const {
  const std::string& name = column.column->name;
  return std::ranges::any_of(orders_, [&](const io::LevelOrder& order) {
    return order.name == name || order.name == io::name_for_programs(name);
  });
}

std::optional<UsedColumn> Frame::use(const Expression& name, ColumnRole role) {
  return use_column(name, role, false);
}
std::optional<UsedColumn> Frame::use_with_gaps(const Expression& name) {
  return use_column(name, ColumnRole::number, true);
}

std::optional<UsedColumn> Frame::use_column(const Expression& name, ColumnRole role,
                                            bool has_gaps) {
  const io::DataValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  const std::string& column = value->column->name;
  const bool is_text = !value->column->levels.empty();
  for (const UsedColumn& known : used_)
    if (known.column == column && known.role == role && known.level.empty() &&
        known.has_gaps == has_gaps)
      return known;
  if (is_text && role != ColumnRole::factor) {
    faults_.add(name.place,
                fmt::format("{} has texts ({}), and a number is needed here", column,
                            fmt::join(value->column->levels.begin(),
                                      value->column->levels.begin() +
                                          std::min<Index>(3, ssize(value->column->levels)),
                                      ", ")),
                "texts are levels: use the column by its name, or correct the cells");
    return std::nullopt;
  }
  if (!value->column->odd.empty() && role != ColumnRole::factor) {
    faults_.add_of_table(
        value->column->where(value->column->odd_element),
        fmt::format("{} has the text '{}' among its numbers", column, value->column->odd),
        "correct the cell, or leave it empty and choose --missing");
    return std::nullopt;
  }
  const bool is_again =
      std::ranges::any_of(used_, [&](const UsedColumn& known) { return known.column == column; });
  const bool is_levels = role == ColumnRole::factor;
  if (!is_text && std::ranges::any_of(used_, [&](const UsedColumn& known) {
        return known.column == column && (known.role == ColumnRole::factor) != is_levels;
      })) {
    faults_.add(name.place,
                fmt::format("{} is used as a number and as levels, which is not there yet", column),
                "give the table a second column with the same numbers under another name");
    return std::nullopt;
  }
  const std::string plain = io::name_for_programs(column);
  const char* const ending = !is_again                    ? ""
                             : role == ColumnRole::factor ? "_levels"
                             : role == ColumnRole::count  ? "_count"
                                                          : "_number";
  used_.push_back({.column = column,
                   .role = role,
                   .name = names_.take(plain + ending),
                   .is_text = is_text,
                   .has_gaps = has_gaps});
  return used_.back();
}

UsedColumn Frame::use_level(const std::string& column, const std::string& level) {
  used_.push_back({.column = column,
                   .role = ColumnRole::count,
                   .name = names_.take(io::name_for_programs(column + "_" + level)),
                   .is_text = true,
                   .level = level});
  return used_.back();
}

std::vector<std::string> Frame::column_uses() const {
  std::vector<std::string> uses;
  for (const UsedColumn& used : used_) {
    const auto count = std::ranges::count(used_, used.column, &UsedColumn::column);
    const bool as_factor = used.role == ColumnRole::factor && !used.is_text;
    if (!used.level.empty()) {
      uses.push_back(
          io::text_of({.name = used.name, .columns = {used.column}, .level = used.level}));
      continue;
    }
    if (count == 1 && !as_factor && used.name == io::name_for_programs(used.column)) continue;
    uses.push_back(io::text_of({.name = used.name, .columns = {used.column}, .factor = as_factor}));
  }
  return uses;
}

void Frame::set_rows(io::DataTable rows) {
  rows_ = std::move(rows);
  num_rows_ = 0;
  for (const UsedColumn& used : used_)
    if (const io::DataValue* found = rows_.find(used.name)) num_rows_ = found->num_elements();
}

const io::DataValue& Frame::value(const std::string& name) const { return *rows_.find(name); }

std::vector<double> Frame::numbers(const std::string& name) const {
  const io::DataValue& all = value(name);
  if (all.kind == io::DataKind::reals) return all.reals;
  return {all.integers.begin(), all.integers.end()};
}

std::vector<std::int32_t> Frame::codes(const std::string& name) const {
  return value(name).integers;
}

std::vector<std::string> Frame::levels(const std::string& name) const {
  return value(name).column->levels;
}

std::vector<Index> Frame::missing(const std::string& name) const {
  return value(name).column->missing;
}

std::string Frame::where(const std::string& name, Index row) const {
  return value(name).column->where(row);
}

}  // namespace credo::models
