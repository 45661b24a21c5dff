// Data files and how they are read, as one text: the values of --data, --columns, --missing, --levels, --separator
// and --decimal. Run specifications and results store it (docs/data.md).
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {
struct JsonValue;

struct DataRecipe {
  std::vector<std::string> files = {};    // each variable is in one of them
  std::vector<std::string> columns = {};  // lists of column uses, below
  std::string missing = {};    // "drop", "nan", "list" or "refuse" (docs/data.md); empty: "refuse"
  std::string separator = {};  // for tables: comma, semicolon or tab; empty: by the file's name
  std::string decimal = {};    // "comma" or "point"; empty: a comma with semicolons, else a point
  std::vector<LevelOrder> levels = {};

  // The path if no other field is set, otherwise a JSON object; empty without files.
  std::string text() const;
};
// Throws Error(usage) if a text that begins with { wasn't written by text().
DataRecipe parse_data_recipe(const std::string& text);
// Reads a member of a JSON file: a text as above, a list of paths, or the object itself.
DataRecipe data_recipe(const JsonValue& value);

// Use of columns: "weight", "[height,age]" (a matrix), "factor(year)" or "is(smoker,Yes)" (1 where the cell is Yes,
// else 0), with a new name if there is one: "y=weight".
struct ColumnUse {
  std::string name;
  std::vector<std::string> columns;
  bool matrix = false, factor = false;
  std::string level = {};  // for is(COLUMN,LEVEL)
};
// Parses "y=weight,X=[height,age],g=factor(\"a, b\"),z=is(smoker,Yes)". Throws Error(usage).
std::vector<ColumnUse> parse_column_uses(std::string_view text);
std::string text_of(const ColumnUse& use);  // text that parse_column_uses reads

// Name of a column in programs: letters, digits and single underscores, with a letter first. "log.mass" becomes
// log_mass, "2010" becomes x2010.
std::string name_for_programs(std::string_view column);
bool is_name_for_programs(std::string_view name);

}  // namespace credo::io
