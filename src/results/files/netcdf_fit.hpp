// A NetCDF file in the layout of ArviZ' InferenceData, from any program, as a fit.
#pragma once
#include "results/files/fit.hpp"

namespace credo::results {

// Throws Error(io) for another file, or one of a later schema.
std::unique_ptr<Fit> open_netcdf_fit(const std::string& path);

}  // namespace credo::results
