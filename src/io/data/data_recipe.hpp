// Which files data come from and how they are read, as one text: what --data, --columns, --missing, --levels,
// --separator and --decimal say. A run specification and a result hold it (docs/data.md).
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {
struct JsonValue;

struct DataRecipe {
  std::vector<std::string> files = {};    // a variable may be in one of them only
  std::vector<std::string> columns = {};  // lists of column uses, below
  std::string missing = {};    // "drop", "nan", "list": see docs/data.md; "refuse", or empty
  std::string separator = {};  // of tables: comma, semicolon or tab; empty: by the file's name
  std::string decimal = {};    // "comma" or "point"; empty: a comma with semicolons, else a point
  std::vector<LevelOrder> levels = {};

  // The path where there is nothing else, else a JSON object; empty without files.
  std::string text() const;
};
// Throws Error(usage) where a text that begins with { isn't what text() writes.
DataRecipe parse_data_recipe(const std::string& text);
// Of a member of a JSON file: a text as above, a list of paths, or the object itself.
DataRecipe data_recipe(const JsonValue& value);

// "weight", "[height,age]" (a matrix), "factor(year)", "is(smoker,Yes)" (1 where the cell is Yes, else 0), and the name that
// it gets: "y=weight".
struct ColumnUse {
  std::string name;
  std::vector<std::string> columns;
  bool matrix = false, factor = false;
  std::string level = {};  // of is(COLUMN,LEVEL)
};
// Of "y=weight,X=[height,age],g=factor(\"a, b\"),z=is(smoker,Yes)". Throws Error(usage).
std::vector<ColumnUse> parse_column_uses(std::string_view text);
std::string text_of(const ColumnUse& use);  // that parse_column_uses reads

// What a program can call a column: letters, digits and single underscores, a letter first.
// "log.mass" is log_mass, "2010" x2010.
std::string name_for_programs(std::string_view column);
bool is_name_for_programs(std::string_view name);

}  // namespace credo::io
