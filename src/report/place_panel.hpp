// Places that are uniform where predictions are calibrated: their distribution function less that of uniform numbers, with the band
// in which all of it lies then [sailynoja2022].
#pragma once
#include "report/material.hpp"

namespace credo::report {

// `label`: of the places' axis. Of many places so many are taken as the band's cost, which is quadratic, allows.
Panel place_panel(const Material& material, const std::string& name, const Series& places,
                  const std::string& label);

}  // namespace credo::report
