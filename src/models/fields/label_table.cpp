#include "models/fields/label_table.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "io/data/data_files.hpp"

namespace credo::models {

bool LabelColumn::is_missing(Index row) const {
  const auto n = static_cast<std::size_t>(row);
  return is_text ? codes[n] < 0 : std::isnan(numbers[n]);
}
const std::string& LabelColumn::text(Index row) const {
  return levels[static_cast<std::size_t>(codes[static_cast<std::size_t>(row)])];
}
std::string LabelColumn::where(Index row) const {
  return facts != nullptr ? facts->where(row) : std::string();
}

LabelTable::LabelTable(io::DataRecipe recipe, const LabelTextOf& text_of)
    : recipe_(std::move(recipe)),
      text_of_(text_of),
      plain_(io::read_data(recipe_.text(), text_of)) {
  for (const std::string& variable : plain_.names()) {
    const io::DataValue& value = *plain_.find(variable);
    if (value.column == nullptr || value.column->width != 1) continue;
    names_.push_back(value.column->name);
    num_rows_ = value.num_elements();
  }
  if (names_.empty())
    throw Error(ErrorCode::data, "the file is no table", path(),
                "labels are those of a CSV or TSV file with a row for each token");
  if (num_rows_ == 0)
    throw Error(ErrorCode::data, "the table has no rows", path(), "a row for each token is needed");
}

bool LabelTable::has(const std::string& name) const {
  return std::ranges::find(names_, name) != names_.end();
}

const io::DataValue& LabelTable::value_of(const std::string& name) const {
  for (const std::string& variable : plain_.names())
    if (const io::DataValue* value = plain_.find(variable);
        value->column != nullptr && value->column->name == name)
      return *value;
  const std::string near = did_you_mean(name, names_);
  throw Error(ErrorCode::data, fmt::format("there is no column {}", name), path(),
              near.empty() ? fmt::format("the columns are {}", fmt::join(names_, ", ")) : near);
}

bool LabelTable::is_text(const std::string& name) const {
  return !value_of(name).column->levels.empty();
}

const LabelColumn& LabelTable::kept(LabelColumn column, bool may_be_missing) {
  const std::vector<Index>& missing = column.facts->missing;
  if (!missing.empty() && !may_be_missing)
    throw Error(ErrorCode::data,
                fmt::format("{} has no value in {} row{}; the first is row {}", column.name,
                            missing.size(), missing.size() == 1 ? "" : "s", missing[0] + 1),
                column.where(missing[0]), "complete the cell, or leave the sequence out");
  for (const Index row : missing) {
    if (column.is_text)
      column.codes[static_cast<std::size_t>(row)] = -1;
    else
      column.numbers[static_cast<std::size_t>(row)] = kNaN;
  }
  for (Index row = 0; row < ssize(column.numbers); ++row)
    if (std::isinf(column.numbers[static_cast<std::size_t>(row)]))
      throw Error(ErrorCode::data, fmt::format("{} is infinite in row {}", column.name, row + 1),
                  column.where(row), "numbers of a field are finite");
  const std::pair<std::string, bool> key{column.name, column.is_text};
  return columns_[key] = std::move(column);
}

const LabelColumn& LabelTable::texts(const std::string& name, bool may_be_missing) {
  if (const auto known = columns_.find({name, true}); known != columns_.end())
    return kept(known->second, may_be_missing);
  value_of(name);
  io::DataRecipe recipe = recipe_;
  recipe.columns = {io::text_of({.name = "own", .columns = {name}, .factor = true})};
  const io::DataTable table = io::read_data(recipe.text(), text_of_);
  const io::DataValue& value = *table.find("own");
  LabelColumn column{.name = name, .is_text = true, .facts = value.column};
  column.levels = value.column->levels;
  for (const std::int32_t code : value.integers) column.codes.push_back(code - 1);
  return kept(std::move(column), may_be_missing);
}

const LabelColumn& LabelTable::numbers(const std::string& name, bool may_be_missing) {
  if (const auto known = columns_.find({name, false}); known != columns_.end())
    return kept(known->second, may_be_missing);
  const io::DataValue& value = value_of(name);
  const io::ColumnFacts& facts = *value.column;
  if (!facts.levels.empty())
    throw Error(ErrorCode::data,
                fmt::format("{} has texts ({}), and numbers are needed", name, facts.levels[0]),
                path(), "correct the cells, or use another column");
  if (!facts.odd.empty())
    throw Error(ErrorCode::data,
                fmt::format("{} has the text '{}' among its numbers", name, facts.odd),
                facts.where(facts.odd_element),
                fmt::format("correct the cell, or use the cells as texts: factor({})", name));
  LabelColumn column{.name = name, .facts = value.column};
  if (value.kind == io::DataKind::integers)
    column.numbers.assign(value.integers.begin(), value.integers.end());
  else
    column.numbers = value.reals;
  return kept(std::move(column), may_be_missing);
}

std::vector<RowRange> sequences_of(const LabelColumn& column) {
  std::vector<RowRange> ranges;
  std::vector<Index> first_of(column.levels.size(), -1);
  for (Index n = 0; n < ssize(column.codes); ++n) {
    const std::int32_t code = column.codes[static_cast<std::size_t>(n)];
    if (n > 0 && code == column.codes[static_cast<std::size_t>(n - 1)]) {
      ++ranges.back().length;
      continue;
    }
    Index& first = first_of[static_cast<std::size_t>(code)];
    if (first >= 0)
      throw Error(ErrorCode::data,
                  fmt::format("{} {} comes back in row {}; its rows began with row {}", column.name,
                              column.text(n), n + 1, first + 1),
                  column.where(n),
                  "rows of a sequence stand together, in their order: sort the table, or give each "
                  "sequence a name of its own");
    first = n;
    ranges.push_back({.first = n, .length = 1});
  }
  return ranges;
}

}  // namespace credo::models
