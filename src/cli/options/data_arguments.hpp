// --data, --columns, --missing, --levels, --separator, --decimal: which files data come from and how they are read.
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
  // The option by which reading was told something; empty: none.
  std::string first_given() const;
  // The recipe (io/data/data_recipe.hpp) that was there before, with what is given here in its place.
  std::string recipe(const std::string& before = {}) const;
};

}  // namespace credo::cli
