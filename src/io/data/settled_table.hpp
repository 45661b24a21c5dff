// A table as a program sees it that declares some of its columns: what --missing and --levels ask for depends on which.
//
//   const DataTable seen = settled(read_data(recipe), {"y", "x"});
//
//   --missing drop: of each table the rows stay that have a value in every column that is declared. The
//     others are named in a note. Levels that no row has any more are left out.
//   --missing nan: a cell without a value is NaN, in columns of numbers.
//   --missing list: a declared column that lacks values must be declared with NAME_observed or
//     NAME_missing, because its elements are no longer those of the table's rows.
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {

// Throws Error{data}. The result has no rules any more: settling it again changes nothing.
DataTable settled(DataTable table, std::span<const std::string> declared);
bool is_settled(const DataTable& table);

}  // namespace credo::io
