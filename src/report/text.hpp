// A picture as characters, for terminals: lines and points as dots of Braille cells, areas and bars as blocks, intervals
// as bars between their ends.
#pragma once
#include "report/picture.hpp"

namespace credo::report {

struct TextOptions {
  int width = 80, height = 12;  // characters; lines of each panel without rows of its own
  bool has_colours = false;     // escapes of terminals
};

std::string text_of(const Picture& picture, const TextOptions& options = {});

}  // namespace credo::report
