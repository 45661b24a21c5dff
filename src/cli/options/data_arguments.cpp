#include "cli/options/data_arguments.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/data_recipe.hpp"

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
                   "cells without a value: refuse them, or list: y has the values that there are, "
                   "y_observed and y_missing their rows and the others",
                   one_of({"refuse", "list"}));
  arguments.option("--separator", separator,
                   "between the cells of a table; the default is by the "
                   "ending of its name",
                   one_of({"comma", "semicolon", "tab"}));
  arguments.group(group);
}

std::string DataArguments::recipe(const std::string& before) const {
  io::DataRecipe recipe = io::parse_data_recipe(before);
  if (files.empty() && recipe.files.empty() &&
      !(columns.empty() && missing.empty() && separator.empty()))
    throw Error(ErrorCode::usage, "this says how data are read, but none are named",
                !columns.empty()   ? columns_option
                : !missing.empty() ? "--missing"
                                   : "--separator",
                "name them: --data FILE");
  for (auto file = files.begin(); file != files.end(); ++file)
    if (std::find(files.begin(), file, *file) != file)
      throw Error(ErrorCode::usage, fmt::format("{} is named twice: each file is read once", *file),
                  "--data", "name it once");
  if (!files.empty()) recipe.files = files;
  if (!columns.empty()) recipe.columns = columns;
  if (!missing.empty()) recipe.missing = missing;
  if (!separator.empty()) recipe.separator = separator;
  return recipe.text();
}

}  // namespace credo::cli
