// Data from NetCDF files: the variables of the root, or of observed_data and constant_data where the root
// has none, as results of credo and ArviZ have them.
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {

bool is_netcdf(std::string_view bytes);  // by the first ones

// `bytes`: the file. Numbers with their sizes; coordinates (variables of the name of their only dimension) and
// texts are left out. NaN and what _FillValue says are missing values. Throws Error(io).
DataTable parse_netcdf_data(std::string_view bytes, const std::string& source);

}  // namespace credo::io
