// --data, --columns, --missing, --levels, --separator, --decimal: data files and how they are read.
#pragma once
#include "cli/options/arguments.hpp"

namespace credo::cli {

struct DataArguments {
  std::vector<std::string> files, columns, levels;
  std::string missing, separator, decimal;
  std::string columns_option = "--columns";  // another name in commands with other --columns

  // `files_help`: help of --data. describe_reading describes the other options alone.
  void describe(Arguments& arguments, const std::string& files_help);
  void describe_reading(Arguments& arguments);
  // First given option that changes how data are read; empty without one.
  std::string first_given() const;
  // Recipe (io/data/data_recipe.hpp): `before`, with its parts replaced by the given options.
  std::string recipe(const std::string& before = {}) const;
};

}  // namespace credo::cli
