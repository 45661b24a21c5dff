// --data, --columns, --missing, --levels, --separator, --decimal: data files and how they are read.
#pragma once
#include "cli/options/arguments.hpp"

namespace credo::cli {

struct DataArguments {
  std::vector<std::string> files, columns, levels;
  std::string missing, separator, decimal;
  std::string columns_option = "--columns";  // of commands that have another of this name: another

  // `files_help`: of --data. Without it there are the other options only.
  void describe(Arguments& arguments, const std::string& files_help);
  void describe_reading(Arguments& arguments);
  // First given option that changes how data are read; empty if there is none.
  std::string first_given() const;
  // Recipe (io/data/data_recipe.hpp): `before`, with its parts replaced by the given options.
  std::string recipe(const std::string& before = {}) const;
};

}  // namespace credo::cli
