#include "cli/options/data_arguments.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/data/data_recipe.hpp"
#include "io/data/level_order.hpp"

namespace credo::cli {

void DataArguments::describe(Arguments& arguments, const std::string& files_help) {
  arguments.option("-d,--data", files, files_help, any_file());
  describe_reading(arguments);
}

void DataArguments::describe_reading(Arguments& arguments) {
  const std::string group = arguments.group_for(std::string(kTablesGroup));
  arguments.option(columns_option, columns,
                   "names for columns of a CSV or TSV file, as y=weight, g=factor(year) or "
                   "X=[height,age], with commas between them; may be repeated",
                   {.word = "NAME=COLUMN"});
  arguments.option("--missing", missing,
                   "cells without a value: refuse them; drop: leave out the rows that lack a value "
                   "in a column of the program; nan: keep them as gaps, for a program with "
                   "observation_lpdf; list: y has the observed values, y_observed their rows and "
                   "y_missing the other rows",
                   one_of({"refuse", "drop", "nan", "list"}));
  arguments.option(
      "--levels", levels,
      "the order of a factor's levels, as g=[c,a,b], code 1 first, or g=[c,...] for one "
      "that comes first; the default is by their bytes; may be repeated",
      {.word = "NAME=[LEVEL,...]"});
  arguments.option("--decimal", decimal,
                   "the decimal sign of a table's numbers; the default is a comma where semicolons "
                   "separate the cells, else a point",
                   one_of({"point", "comma"}));
  arguments.option("--separator", separator,
                   "between the cells of a table; the default is by the "
                   "ending of its name",
                   one_of({"comma", "semicolon", "tab"}));
  arguments.group(group);
}

std::string DataArguments::recipe(const std::string& before) const {
  io::DataRecipe recipe = io::parse_data_recipe(before);
  if (files.empty() && recipe.files.empty() && !first_given().empty())
    throw Error(ErrorCode::usage, "this says how data are read, but no data are given",
                first_given(), "name them: --data FILE");
  for (auto file = files.begin(); file != files.end(); ++file)
    if (std::find(files.begin(), file, *file) != file)
      throw Error(ErrorCode::usage, fmt::format("{} is named twice: each file is read once", *file),
                  "--data", "name it once");
  if (!files.empty()) recipe.files = files;
  if (!columns.empty()) recipe.columns = columns;
  if (!missing.empty()) recipe.missing = missing;
  if (!separator.empty()) recipe.separator = separator;
  if (!decimal.empty()) recipe.decimal = decimal;
  if (!levels.empty()) recipe.levels.clear();
  for (const std::string& text : levels)
    std::ranges::move(io::parse_level_orders(text), std::back_inserter(recipe.levels));
  return recipe.text();
}

std::string DataArguments::first_given() const {
  if (!columns.empty()) return columns_option;
  if (!missing.empty()) return "--missing";
  if (!levels.empty()) return "--levels";
  if (!separator.empty()) return "--separator";
  return decimal.empty() ? "" : "--decimal";
}

}  // namespace credo::cli
