// A NetCDF file in the layout of ArviZ' InferenceData, ours or another's, as a fit.
#pragma once
#include "cli/fit.hpp"

namespace credo::cli {

// Throws Error(io) for another file, or one of a later schema.
std::unique_ptr<Fit> open_netcdf_fit(const std::string& path);

}  // namespace credo::cli
