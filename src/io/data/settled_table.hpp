// Applies --missing and --levels to a table. Their effect depends on the columns that the program declares.
//
//   const DataTable seen = settled(read_data(recipe), {"y", "x"});
//
//   --missing drop: rows without a value in a declared column are left out of their table and named in a note, as are
//     levels that no remaining row has.
//   --missing nan: cells without a value are NaN, in columns of numbers.
//   --missing list: a declared column that lacks values must be declared with NAME_observed or NAME_missing, because
//     its elements are no longer the rows of the table.
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {

// Throws Error{data}. The result has no rules left, so that settling it again changes nothing.
DataTable settled(DataTable table, std::span<const std::string> declared);
bool is_settled(const DataTable& table);

}  // namespace credo::io
