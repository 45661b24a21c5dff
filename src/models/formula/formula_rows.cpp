#include "models/formula/formula_rows.hpp"

#include <fmt/format.h>

#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"

namespace credo::models {
namespace {
io::DataTable table_without_uses(const io::DataRecipe& data, const FormulaRows::TextOf& text_of) {
  io::DataRecipe recipe = data;
  recipe.columns.clear(), recipe.levels.clear(), recipe.missing.clear();
  return io::read_data(recipe.text(), text_of);
}
}  // namespace

FormulaRows::FormulaRows(const io::DataRecipe& data,
                         std::function<bool(const std::string&)> is_usable, const TextOf& text_of,
                         FormulaFaults& faults)
    : data_(data),
      text_of_(text_of),
      faults_(faults),
      table_(table_without_uses(data, text_of)),
      names_(std::move(is_usable)),
      frame_(table_, names_, faults) {}

bool FormulaRows::read(Index least) {
  if (frame_.used().empty()) {
    faults_.add_of_table("", "no column of the table is used", "name its columns");
    return false;
  }
  io::DataRecipe recipe = data_;
  for (std::string& use : frame_.column_uses()) recipe.columns.push_back(std::move(use));
  io::DataTable rows = io::read_data(recipe.text(), text_of_);
  std::vector<std::string> declared;
  for (const UsedColumn& used : frame_.used()) {
    declared.push_back(used.name);
    const std::vector<Index>& missing = rows.find(used.name)->column->missing;
    missing_.insert(missing.begin(), missing.end());
  }
  if (recipe.missing != "drop" && !require_complete(rows)) return false;
  num_before_ = rows.find(declared[0])->num_elements();
  frame_.set_rows(io::settled(std::move(rows), declared));
  num_dropped_ = num_before_ - num_rows();
  for (const UsedColumn& used : frame_.used())
    if (frame_.length(used.name) != num_rows()) {
      faults_.add_of_table("",
                           fmt::format("{} has {} rows, and {} has {}", used.column,
                                       frame_.length(used.name), frame_.used()[0].column,
                                       num_rows()),
                           "all columns are of tables of one length");
      return false;
    }
  if (num_rows() >= least) return true;
  faults_.add_of_table("", fmt::format("the table has {} complete rows", num_rows()),
                       fmt::format("{} are needed at least", least));
  return false;
}

std::vector<Index> FormulaRows::kept() const {
  std::vector<Index> rows;
  for (Index n = 0; n < num_before_; ++n)
    if (!missing_.contains(n)) rows.push_back(n);
  return rows;
}

bool FormulaRows::require_complete(const io::DataTable& rows) {
  for (const UsedColumn& used : frame_.used()) {
    const io::ColumnFacts& facts = *rows.find(used.name)->column;
    if (facts.missing.empty()) continue;
    faults_.add_of_table(facts.where(facts.missing[0]),
                         fmt::format("{} has no value in {} row{}; the first is row {}",
                                     used.column, facts.missing.size(),
                                     facts.missing.size() == 1 ? "" : "s", facts.missing[0] + 1),
                         "--missing drop leaves these rows out");
  }
  return faults_.empty();
}

}  // namespace credo::models
