// SVG as PNG or PDF, by the program rsvg-convert.
#pragma once
#include "base/std.hpp"

namespace credo::report {

// `format`: "png", "pdf". Throws Error(usage) where the program isn't installed, with the package that has it, and Error(io)
// where it fails.
std::string converted(std::string_view svg, const std::string& format);

}  // namespace credo::report
