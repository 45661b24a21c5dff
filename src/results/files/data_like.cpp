#include "results/files/data_like.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/data/data_files.hpp"
#include "io/data/level_order.hpp"
#include "io/data/settled_table.hpp"
#include "results/files/facts.hpp"

namespace credo::results {
namespace {

std::vector<std::string> declared_names(const Fit& fit, const io::DataTable& table) {
  std::vector<std::string> names;
  for (const density::DataVariable& variable : fit.origin().data) names.push_back(variable.name);
  return names.empty() ? table.names() : names;
}

// The fit's data as its program saw them.
io::DataTable own_table(const Fit& fit, const io::InputFiles::Contents& kept) {
  io::DataTable table = io::read_data(fit.origin().data_path, kept);
  const std::vector<std::string> names = declared_names(fit, table);
  return io::settled(std::move(table), names);
}

std::vector<io::ColumnUse> uses_of(const io::DataRecipe& recipe) {
  std::vector<io::ColumnUse> uses;
  for (const std::string& text : recipe.columns)
    std::ranges::move(io::parse_column_uses(text), std::back_inserter(uses));
  return uses;
}

const io::ColumnUse* find_use(std::span<const io::ColumnUse> uses, const std::string& name) {
  const auto use = std::ranges::find(uses, name, &io::ColumnUse::name);
  return use == uses.end() ? nullptr : &*use;
}

// Refuses the same columns in another order, because the fit's coefficients would be applied to the wrong columns.
void require_same_order(const io::ColumnUse& then, const io::ColumnUse& now) {
  const bool same = std::ranges::is_permutation(then.columns, now.columns);
  if (!same || then.columns == now.columns) return;
  throw Error(ErrorCode::usage,
              fmt::format("the columns of {} were [{}] for the fit, and are [{}] here", then.name,
                          fmt::join(then.columns, ","), fmt::join(now.columns, ",")),
              "--columns", "leave it out: the columns are taken by name, as for the fit");
}

void take_columns(io::DataRecipe& now, const io::DataRecipe& then, const FileText& text_of) {
  const std::vector<io::ColumnUse> given = uses_of(now);
  std::vector<io::ColumnUse> wanted;
  for (const io::ColumnUse& use : uses_of(then)) {
    const io::ColumnUse* own = find_use(given, use.name);
    if (own == nullptr)
      wanted.push_back(use);
    else
      require_same_order(use, *own);
  }
  for (const io::ColumnUse& use : io::uses_with_columns(wanted, now, text_of))
    now.columns.push_back(io::text_of(use));
}

// Refuses levels that differ from those of the fit.
void require_same_levels(const io::LevelOrder& given, const std::vector<std::string>& of_fit) {
  if (given.levels == of_fit) return;
  const bool begins_alike = given.has_rest && given.levels.size() <= of_fit.size() &&
                            std::equal(given.levels.begin(), given.levels.end(), of_fit.begin());
  if (begins_alike) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("the levels of {} are {} in the fit, in this order, and {} here", given.name,
                  io::levels_in_short(of_fit), io::levels_in_short(given.levels)),
      "--levels", "leave it out: levels are taken by name, as for the fit");
}

bool is_whole(const Fit& fit, const std::string& name) {
  return std::ranges::any_of(fit.origin().data, [&](const density::DataVariable& variable) {
    return variable.name == name && variable.whole;
  });
}

void take_levels(const Fit& fit, const io::DataTable& own, io::DataRecipe& now) {
  for (const std::string& name : declared_names(fit, own)) {
    const io::DataValue* value = own.find(name);
    if (value == nullptr) continue;
    const bool is_factor = value->column != nullptr && !value->column->levels.empty();
    const auto given = std::ranges::find(now.levels, name, &io::LevelOrder::name);
    if (is_factor && given != now.levels.end()) require_same_levels(*given, value->column->levels);
    if (given != now.levels.end()) now.levels.erase(given);
    if (is_factor)
      now.levels.push_back({.name = name, .levels = value->column->levels, .of_fit = true});
    else if (value->kind == io::DataKind::integers && is_whole(fit, name))
      now.levels.push_back({.name = name, .numbers = true, .of_fit = true});
  }
}

// Refuses factors of other tables whose levels in the fit are unknown, because their codes may mean other levels.
void require_known_levels(const Fit& fit, const io::DataRecipe& now, const FileText& text_of) {
  const io::DataTable table = io::read_data(now.text(), text_of);
  for (const std::string& name : declared_names(fit, table)) {
    const io::DataValue* value = table.find(name);
    if (value == nullptr || value->column == nullptr || value->column->levels.empty()) continue;
    if (std::ranges::find(now.levels, name, &io::LevelOrder::name) != now.levels.end()) continue;
    throw Error(ErrorCode::usage,
                fmt::format("variable {}: column {} has texts ({}), and the draws don't say which "
                            "levels their parameters belong to",
                            name, value->column->name, io::levels_in_short(value->column->levels)),
                fit.origin().source,
                fmt::format("give the levels in the order of the fit: --levels '{}=[...]'", name));
  }
}

// True for the data of a result that was written without them (--no-data).
bool is_same_text(const Fit& fit, const io::DataRecipe& now, const FileText& text_of) {
  std::string all;
  for (const std::string& path : now.files) all += text_of(path);
  return !fit.origin().data_hash.empty() && hash_of(all) == fit.origin().data_hash;
}
}  // namespace

io::DataRecipe recipe_like(const Fit& fit, io::DataRecipe now, const FileText& text_of,
                           GivenData given) {
  if (now.files.empty()) return now;
  const io::InputFiles::Contents kept = fit.files();
  const io::DataRecipe then = io::parse_data_recipe(fit.origin().data_path);
  take_columns(now, then, text_of);
  if (now.missing.empty()) now.missing = then.missing;
  if (io::holds_data(kept, fit.origin().data_path)) {
    take_levels(fit, own_table(fit, kept), now);
    return now;
  }
  if (is_same_text(fit, now, text_of)) {
    if (now.levels.empty()) now.levels = then.levels;
  } else if (given == GivenData::other || !fit.origin().data_hash.empty()) {
    require_known_levels(fit, now, text_of);
  }
  return now;
}

}  // namespace credo::results
