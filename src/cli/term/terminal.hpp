// Properties of standard output and error, and text laid out for them.
#pragma once
#include "base/types.hpp"

namespace credo::cli {

struct Screen {
  bool redraws = false;  // a terminal that can move its cursor
  bool colour = false;   // NO_COLOR isn't set (no-color.org)
  int width = 80, height = 24;
};
Screen screen_of(int descriptor);

// Columns for running text: COLUMNS where it is set, else the terminal's, else 80; 40 to 100.
int text_width(int descriptor);

// The text in lines of at most `width` columns; only longer words stick out. `first` and `hang` are
// the blanks before the first line and before the others. Line breaks of the text stay.
struct Indent {
  int first = 0, hang = 0;
};
std::string wrapped(std::string_view text, int width, Indent indent = {});
// Commands of a shell, one a line, those too long broken by backslashes.
std::string wrapped_commands(std::string_view text, int width);

// The text with its control characters written out, "\\x1b" for an escape, so that a terminal shows
// them and doesn't obey: all but line breaks and tabs, and bytes that aren't UTF-8.
std::string visible(std::string_view text);

// Columns that a text in UTF-8 takes, and its first `width` columns; one column a character.
Index columns_of_text(std::string_view text);
std::string_view cut_text(std::string_view text, Index width);

// Cells in columns, aligned at the left, with `before` in front of each line.
std::string text_columns(const std::vector<std::vector<std::string>>& rows,
                         std::string_view before = "");

}  // namespace credo::cli
