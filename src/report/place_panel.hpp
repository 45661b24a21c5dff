// Places that are uniform where predictions are calibrated: their distribution function less that of uniform numbers, with the band
// in which all of it lies then [sailynoja2022].
#pragma once
#include "report/material.hpp"

namespace credo::report {

// `label`: name of the places' axis. If there are many places, a subset is used: the band's cost is quadratic.
Panel place_panel(const Material& material, const std::string& name, const Series& places,
                  const std::string& label);

}  // namespace credo::report
