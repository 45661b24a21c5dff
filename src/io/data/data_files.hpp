// Data from files, whatever their format: the one place where a text becomes the data of a program.
#pragma once
#include "io/data/data_recipe.hpp"
#include "io/data/data_table.hpp"

namespace credo::io {

enum class DataFormat { json, table, r_dump, netcdf };
// Format by the ending of the name; for other names by the first bytes of the text.
DataFormat data_format(const std::string& path, std::string_view text);
std::string_view name_of(DataFormat format);  // "JSON", "a table"

// Data in the text of one file alone. Throws Error{data} with the place.
DataTable parse_data(std::string_view text, const std::string& path);

// All files of a recipe in one table, to which its rules are still to be applied (io/data/settled_table.hpp). Throws
// Error{data} as parse_data, for variables that two files have and for columns that no file has; Error{usage} for an
// invalid recipe.
DataTable read_data(const std::string& recipe,
                    const std::function<const std::string&(const std::string& path)>& text_of);
// From the texts of files by their paths, which hold all of its files.
DataTable read_data(const std::string& recipe, const std::map<std::string, std::string>& texts);
// From the disk. Tables are read in pieces, so that no more than their numbers is in memory.
DataTable read_data(const std::string& recipe);

// The uses whose columns are all in the recipe's tables; only the header rows are read.
std::vector<ColumnUse> uses_with_columns(
    std::span<const ColumnUse> uses, const DataRecipe& recipe,
    const std::function<const std::string&(const std::string& path)>& text_of);

std::vector<std::string> data_files(const std::string& recipe);
// True if the recipe names files and all of them are among the texts.
bool holds_data(const std::map<std::string, std::string>& texts, const std::string& recipe);

}  // namespace credo::io
