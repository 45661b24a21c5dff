#include "io/data/data_recipe.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/data/level_order.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"

namespace credo::io {
namespace {
constexpr const char* kColumnsOption = "--columns";
constexpr const char* kUseForm =
    "write name=COLUMN, name=factor(COLUMN), name=is(COLUMN,LEVEL) or name=[COLUMN,COLUMN], with "
    "commas between several; a column whose name has such a sign stands in double quotes";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

void write_levels(JsonWriter& json, const char* name, std::span<const LevelOrder> levels,
                  bool of_fit) {
  std::vector<LevelOrder> chosen;
  std::ranges::copy_if(levels, std::back_inserter(chosen),
                       [&](const LevelOrder& order) { return order.of_fit == of_fit; });
  if (chosen.empty()) return;
  json.key(name);
  write_level_orders(json, chosen);
}

void take_levels(DataRecipe& recipe, const JsonValue& value, bool of_fit) {
  for (LevelOrder& order : level_orders(value)) {
    order.of_fit = of_fit;
    recipe.levels.push_back(std::move(order));
  }
}

class UseParser {
 public:
  explicit UseParser(std::string_view text) : text_(text) {}

  std::vector<ColumnUse> all() {
    std::vector<ColumnUse> uses;
    do uses.push_back(one());
    while (accept(','));
    if (at_ < text_.size()) fail(fmt::format("expected ',' or the end, found `{}`", rest()));
    return uses;
  }

 private:
  ColumnUse one() {
    ColumnUse use;
    const std::size_t equals = text_.find('=', at_);
    if (equals == text_.npos) fail(fmt::format("`{}` has no =", rest()));
    use.name = stripped(text_.substr(at_, equals - at_));
    if (!is_name_for_programs(use.name))
      fail(fmt::format("'{}' is no name that a program can declare", use.name));
    at_ = std::min(text_.find_first_not_of(' ', equals + 1), text_.size());
    if (accept('[')) {
      use.matrix = true;
      do use.columns.push_back(column(",]"));
      while (accept(','));
      require(']');
    } else if (text_.substr(at_).starts_with("factor(")) {
      at_ += std::string_view("factor(").size();
      use.factor = true;
      use.columns.push_back(column_of_factor());
    } else if (text_.substr(at_).starts_with("is(")) {
      at_ += std::string_view("is(").size();
      use.columns.push_back(column(","));
      require(',');
      use.level = column(")");
      require(')');
    } else {
      use.columns.push_back(column(","));
    }
    return use;
  }

  // Up to the bracket with which this use ends.
  std::string column_of_factor() {
    if (at_ < text_.size() && text_[at_] == '"') {
      std::string name = column(")");
      require(')');
      return name;
    }
    std::size_t end = text_.find(')', at_);
    while (end != text_.npos && end + 1 < text_.size() && text_[end + 1] != ',')
      end = text_.find(')', end + 1);
    if (end == text_.npos) fail("a bracket isn't closed");
    std::string name = stripped(text_.substr(at_, end - at_));
    at_ = end + 1;
    if (name.empty()) fail("a column without a name");
    return name;
  }

  std::string column(std::string_view ends) {
    at_ = std::min(text_.find_first_not_of(' ', at_), text_.size());
    std::string name;
    if (accept('"')) {
      const std::size_t end = text_.find('"', at_);
      if (end == text_.npos) fail("a quote isn't closed");
      name = std::string(text_.substr(at_, end - at_));
      at_ = end + 1;
    } else {
      const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
      name = stripped(text_.substr(at_, end - at_));
      at_ = end;
    }
    if (name.empty()) fail("a column without a name");
    return name;
  }

  std::string_view rest() const { return text_.substr(at_); }
  bool accept(char c) {
    const bool is_there = at_ < text_.size() && text_[at_] == c;
    if (is_there) ++at_;
    return is_there;
  }
  void require(char c) {
    if (!accept(c)) fail(fmt::format("expected {}, found `{}`", c, rest()));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::usage, fmt::format("'{}': {}", text_, what), kColumnsOption, kUseForm);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};
}  // namespace

std::string DataRecipe::text() const {
  if (files.empty()) return {};
  const bool is_plain = files.size() == 1 && columns.empty() && separator.empty() &&
                        decimal.empty() && levels.empty() &&
                        (missing.empty() || missing == "refuse");
  if (is_plain && !files[0].starts_with('{')) return files[0];
  JsonWriter json;
  json.begin_object();
  if (!files.empty()) json.members("files", files);
  if (!columns.empty()) json.members("columns", columns);
  if (!missing.empty() && missing != "refuse") json.members("missing", missing);
  if (!separator.empty()) json.members("separator", separator);
  if (!decimal.empty()) json.members("decimal", decimal);
  write_levels(json, "levels", levels, false);
  write_levels(json, "fit_levels", levels, true);
  return json.end_object().text();
}

DataRecipe parse_data_recipe(const std::string& text) {
  DataRecipe recipe;
  if (text.empty()) return recipe;
  if (!text.starts_with('{')) {
    recipe.files = {text};
    return recipe;
  }
  return data_recipe(parse_json_value(text, "data"));
}

DataRecipe data_recipe(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::string) return parse_data_recipe(value.text);
  DataRecipe recipe;
  if (value.kind == JsonValue::Kind::array) {
    recipe.files = value.as_strings("data");
    return recipe;
  }
  if (value.kind != JsonValue::Kind::object)
    throw Error(ErrorCode::usage,
                "data are a path, a list of paths or an object, found " + describe(value),
                value.where, "as in {\"files\": [\"a.csv\"], \"columns\": [\"y=weight\"]}");
  for (const auto& [name, member] : value.members) {
    if (name == "files")
      recipe.files = member.as_strings("files");
    else if (name == "columns")
      recipe.columns = member.as_strings("columns");
    else if (name == "missing")
      recipe.missing = member.as_string("missing");
    else if (name == "separator")
      recipe.separator = member.as_string("separator");
    else if (name == "decimal")
      recipe.decimal = member.as_string("decimal");
    else if (name == "levels" || name == "fit_levels")
      take_levels(recipe, member, name == "fit_levels");
    else
      throw Error(ErrorCode::usage, fmt::format("data have no member '{}'", name), member.where,
                  "there are files, columns, missing, separator, decimal, levels and fit_levels");
  }
  return recipe;
}

std::vector<ColumnUse> parse_column_uses(std::string_view text) { return UseParser(text).all(); }

std::string text_of(const ColumnUse& use) {
  std::vector<std::string> columns;
  for (const std::string& column : use.columns) columns.push_back("\"" + column + "\"");
  const std::string all = fmt::format("{}", fmt::join(columns, ","));
  if (use.matrix) return fmt::format("{}=[{}]", use.name, all);
  if (!use.level.empty()) return fmt::format("{}=is({},\"{}\")", use.name, all, use.level);
  return use.factor ? fmt::format("{}=factor({})", use.name, all)
                    : fmt::format("{}={}", use.name, all);
}

std::string name_for_programs(std::string_view column) {
  if (is_name_for_programs(column)) return std::string(column);
  std::string name;
  for (const char c : column) {
    const bool stays = is_letter(c) || is_digit(c);
    if (stays)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  if (name.empty() || !is_letter(name.front())) name.insert(0, "x");
  return name;
}

// True for Stan's identifiers: a letter first, no two underscores at the end.
bool is_name_for_programs(std::string_view name) {
  if (name.empty() || !is_letter(name.front()) || name.ends_with("__")) return false;
  return std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

}  // namespace credo::io
