// A picture as one SVG file: for papers, and for other programs to make PNG and PDF of.
#pragma once
#include "report/picture.hpp"

namespace credo::report {

struct SvgOptions {
  double width = 720.0;  // pixels, at least 160
  double height = 0.0;   // of each panel; 0: the picture's
};

// Each mark is a group with its kind, role and chain as data attributes, each panel one with the ends of its axes in its
// units and in pixels (data-x="low high left right", data-y="low high bottom top"): drawn values can be read back.
std::string svg_of(const Picture& picture, const SvgOptions& options = {});

}  // namespace credo::report
