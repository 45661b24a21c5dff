#include "io/data/data_files.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "io/data/netcdf_data.hpp"
#include "io/data/r_dump.hpp"
#include "io/data/table_reader.hpp"
#include "io/file.hpp"
#include "io/json_reader.hpp"

namespace credo::io {
namespace {
using TextOf = std::function<const std::string&(const std::string&)>;

bool ends_in_one_of(const std::string& path, std::initializer_list<std::string_view> endings) {
  std::string name = path;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_named_as_table(const std::string& path) {
  return ends_in_one_of(path, {".csv", ".tsv", ".tab"});
}

char separator_of(const DataRecipe& recipe, const std::string& path, std::string_view text) {
  if (recipe.separator == "semicolon") return ';';
  if (recipe.separator == "tab") return '\t';
  if (!recipe.separator.empty()) return ',';
  if (ends_in_one_of(path, {".csv"})) return ',';
  if (ends_in_one_of(path, {".tsv", ".tab"})) return '\t';
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.find('\t') != line.npos ? '\t' : ',';
}

void check_words(const DataRecipe& recipe) {
  const auto check = [](const std::string& word, std::initializer_list<const char*> words,
                        const char* option) {
    if (word.empty() || std::find(words.begin(), words.end(), word) != words.end()) return;
    throw Error(ErrorCode::usage, fmt::format("unknown word '{}'", word), option,
                fmt::format("use one of {}", fmt::join(words, ", ")));
  };
  check(recipe.missing, {"refuse", "drop", "nan", "list"}, "--missing");
  check(recipe.separator, {"comma", "semicolon", "tab"}, "--separator");
  check(recipe.decimal, {"point", "comma"}, "--decimal");
}

MissingUse missing_use(const std::string& word) {
  if (word == "drop") return MissingUse::drop;
  if (word == "nan") return MissingUse::nan;
  return word == "list" ? MissingUse::list : MissingUse::refuse;
}

bool names_column(const std::string& name, const std::string& column) {
  return name == column || name == name_for_programs(column);
}

// Columns of all tables by name.
class Assembly {
 public:
  explicit Assembly(const DataRecipe& recipe) : recipe_(recipe) {
    check_words(recipe);
    for (const std::string& text : recipe.columns)
      std::ranges::move(parse_column_uses(text), std::back_inserter(uses_));
    for (const LevelOrder& order : recipe.levels)
      if (!order.numbers) factors_.push_back(order.name);
  }

  void add_text(const std::string& path, std::string_view text) {
    const DataFormat format = data_format(path, text);
    if (format == DataFormat::table) {
      TableReader reader = reader_of(path, text, text.size());
      reader.feed(text, true);
      return add(reader);
    }
    DataTable table = format == DataFormat::json     ? parse_json_data(text, path)
                      : format == DataFormat::r_dump ? parse_r_dump(text, path)
                                                     : parse_netcdf_data(text, path);
    all_.merge(lists_missing() ? listed(table, path) : std::move(table));
  }

  void add_pieces(const std::string& path) {
    TableReader reader = reader_of(path, {}, file_size(path));
    read_pieces(path, [&](std::string_view piece, bool is_last) { reader.feed(piece, is_last); });
    add(reader);
  }

  DataTable finish() {
    for (const ColumnUse& use : uses_)
      if (std::find(used_.begin(), used_.end(), use.name) == used_.end()) fail_unused(use);
    for (const LevelOrder& order : recipe_.levels)
      if (!order.of_fit) require_factor(order);
    all_.set_rules({.missing = missing_use(recipe_.missing), .levels = recipe_.levels});
    return std::move(all_);
  }

 private:
  bool lists_missing() const { return recipe_.missing == "list"; }

  TableReader reader_of(const std::string& path, std::string_view text,
                        std::size_t num_bytes) const {
    const char separator = separator_of(recipe_, path, text);
    return {
        path,
        {.separator = separator,
         .decimal_comma = recipe_.decimal.empty() ? separator == ';' : recipe_.decimal == "comma",
         .uses = uses_,
         .factors = factors_,
         .lists_missing = lists_missing(),
         .num_bytes = num_bytes}};
  }

  void add(TableReader& reader) {
    all_.merge(reader.finish());
    std::ranges::copy(reader.used(), std::back_inserter(used_));
    std::ranges::copy(reader.column_names(), std::back_inserter(columns_));
  }

  // Arrays of other formats of which elements are missing.
  static DataTable listed(const DataTable& table, const std::string& path) {
    DataTable result(path);
    for (const std::string& name : table.names()) {
      const DataValue& value = *table.find(name);
      const bool misses = value.column != nullptr && !value.column->missing.empty();
      if (misses && value.dims.size() == 1)
        add_with_missing_listed(result, name, value);
      else
        result.add(name, value);
    }
    for (const DataNote& note : table.notes()) result.note(note);
    return result;
  }

  void require_factor(const LevelOrder& order) const {
    const DataValue* value = all_.find(order.name);
    if (value != nullptr && value->column != nullptr && value->column->num_codes > 0) return;
    if (value != nullptr && value->num_elements() == 0) return;
    const std::string near = value == nullptr ? did_you_mean(order.name, all_.names()) : "";
    throw Error(ErrorCode::usage,
                value == nullptr ? fmt::format("the data have no variable {}", order.name)
                                 : fmt::format("{} is no column of a table", order.name),
                "--levels",
                !near.empty() ? near
                : value == nullptr
                    ? "levels are those of a variable, by the name it has in the program"
                    : "levels are those of a column of texts");
  }

  [[noreturn]] void fail_unused(const ColumnUse& use) const {
    if (columns_.empty())
      throw Error(ErrorCode::usage,
                  fmt::format("'{}' asks for columns, but no data file is a table", use.name),
                  "--columns", "name a CSV or TSV file: --data FILE.csv");
    for (const std::string& name : use.columns) {
      const bool is_there = std::ranges::any_of(
          columns_, [&](const std::string& column) { return names_column(name, column); });
      if (is_there) continue;
      const std::string near = did_you_mean(name, columns_);
      throw Error(
          ErrorCode::usage, fmt::format("there is no column {}", name), "--columns",
          near.empty() ? fmt::format("the columns are {}", fmt::join(columns_, ", ")) : near);
    }
    throw Error(ErrorCode::usage, fmt::format("the columns of {} are in different files", use.name),
                "--columns", "a matrix is made of columns of one table");
  }

  const DataRecipe& recipe_;
  std::vector<ColumnUse> uses_;
  std::vector<std::string> used_, columns_, factors_;
  DataTable all_;
};
}  // namespace

DataFormat data_format(const std::string& path, std::string_view text) {
  if (ends_in_one_of(path, {".json"})) return DataFormat::json;
  if (is_named_as_table(path)) return DataFormat::table;
  if (ends_in_one_of(path, {".r", ".rdump", ".dump"})) return DataFormat::r_dump;
  if (ends_in_one_of(path, {".nc"}) || is_netcdf(text)) return DataFormat::netcdf;
  constexpr std::size_t kLooked = 1000;  // bytes
  const std::string_view beginning = text.substr(0, kLooked);
  const std::size_t first = beginning.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  const std::string_view line = beginning.substr(0, beginning.find('\n'));
  if (first == beginning.npos || beginning[first] == '{' || beginning[first] == '[')
    return DataFormat::json;
  if (beginning.find("<-") != beginning.npos) return DataFormat::r_dump;
  return line.find_first_of(",\t") != line.npos ? DataFormat::table : DataFormat::json;
}

std::string_view name_of(DataFormat format) {
  constexpr std::array<std::string_view, 4> kNames{"JSON", "a table", "R's dump format", "NetCDF"};
  return kNames[static_cast<std::size_t>(format)];
}

DataTable parse_data(std::string_view text, const std::string& path) {
  const DataRecipe recipe{.files = {path}, .columns = {}, .missing = {}, .separator = {}};
  Assembly assembly(recipe);
  assembly.add_text(path, text);
  return assembly.finish();
}

DataTable read_data(const std::string& recipe_text, const TextOf& text_of) {
  if (recipe_text.empty()) return DataTable(std::string(kNoDataFile));
  const DataRecipe recipe = parse_data_recipe(recipe_text);
  Assembly assembly(recipe);
  for (const std::string& path : recipe.files) assembly.add_text(path, text_of(path));
  return assembly.finish();
}

DataTable read_data(const std::string& recipe, const std::map<std::string, std::string>& texts) {
  return read_data(recipe,
                   [&](const std::string& path) -> const std::string& { return texts.at(path); });
}

bool holds_data(const std::map<std::string, std::string>& texts, const std::string& recipe) {
  const std::vector<std::string> files = data_files(recipe);
  return !files.empty() &&
         std::ranges::all_of(files, [&](const std::string& path) { return texts.contains(path); });
}

DataTable read_data(const std::string& recipe_text) {
  if (recipe_text.empty()) return DataTable(std::string(kNoDataFile));
  const DataRecipe recipe = parse_data_recipe(recipe_text);
  Assembly assembly(recipe);
  for (const std::string& path : recipe.files)
    if (is_named_as_table(path))
      assembly.add_pieces(path);
    else
      assembly.add_text(path, read_file(path));
  return assembly.finish();
}

std::vector<ColumnUse> uses_with_columns(std::span<const ColumnUse> uses, const DataRecipe& recipe,
                                         const TextOf& text_of) {
  std::vector<std::string> columns;
  for (const std::string& path : recipe.files) {
    const std::string& text = text_of(path);
    if (data_format(path, text) != DataFormat::table) continue;
    TableReader reader(path, {.separator = separator_of(recipe, path, text)});
    for (std::size_t at = 0; at < text.size() && reader.column_names().empty();) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      reader.feed(std::string_view(text).substr(at, end - at), end == text.size());
      at = end;
    }
    std::ranges::move(reader.column_names(), std::back_inserter(columns));
  }
  std::vector<ColumnUse> found;
  for (const ColumnUse& use : uses) {
    const auto is_there = [&](const std::string& name) {
      return std::ranges::any_of(
          columns, [&](const std::string& column) { return names_column(name, column); });
    };
    if (std::ranges::all_of(use.columns, is_there)) found.push_back(use);
  }
  return found;
}

std::vector<std::string> data_files(const std::string& recipe) {
  return parse_data_recipe(recipe).files;
}

}  // namespace credo::io
