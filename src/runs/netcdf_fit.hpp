// A NetCDF file in the layout of ArviZ' InferenceData, ours or another's, as a fit.
#pragma once
#include "runs/fit.hpp"

namespace credo::runs {

// Throws Error(io) for another file, or one of a later schema.
std::unique_ptr<Fit> open_netcdf_fit(const std::string& path);

}  // namespace credo::runs
