// Which files data come from and how they are read, as one text: what --data, --columns, --missing and
// --separator say. A run specification and a result hold it (docs/data.md).
#pragma once
#include "base/std.hpp"

namespace credo::io {
struct JsonValue;

struct DataRecipe {
  std::vector<std::string> files;    // a variable may be in one of them only
  std::vector<std::string> columns;  // lists of column uses, below
  std::string missing;               // "list": see docs/data.md; "refuse", or empty
  std::string separator;  // of tables: comma, semicolon or tab; empty: by the file's name

  // The path where there is nothing else, else a JSON object; empty without files.
  std::string text() const;
};
// Throws Error(usage) where a text that begins with { isn't what text() writes.
DataRecipe parse_data_recipe(const std::string& text);
// Of a member of a JSON file: a text as above, a list of paths, or the object itself.
DataRecipe data_recipe(const JsonValue& value);

// "weight", "[height,age]" (a matrix), "factor(year)", and the name that it gets: "y=weight".
struct ColumnUse {
  std::string name;
  std::vector<std::string> columns;
  bool matrix = false, factor = false;
};
// Of "y=weight,X=[height,age],g=factor(\"a, b\")". Throws Error(usage).
std::vector<ColumnUse> parse_column_uses(std::string_view text);

// What a program can call a column: letters, digits and single underscores, a letter first.
// "log.mass" is log_mass, "2010" x2010.
std::string name_for_programs(std::string_view column);
bool is_name_for_programs(std::string_view name);

}  // namespace credo::io
