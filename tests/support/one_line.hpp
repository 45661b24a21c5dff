// A message's words, however its lines are broken.
#pragma once
#include "base/types.hpp"

namespace credo {

// Blanks and line breaks that follow each other count as one blank.
inline std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c != '\n' && c != ' ')
      line += c;
    else if (!line.ends_with(' '))
      line += ' ';
  }
  return line;
}

}  // namespace credo
