#include "cli/term/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/number_text.hpp"

namespace credo::cli {
namespace {
constexpr int kDefaultWidth = 80, kMinWidth = 40, kMaxWidth = 100;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

// Width from the environment; 0 if it isn't set.
int columns_wanted() {
  const auto number = io::parse_number(environment("COLUMNS"));
  return number && *number >= 1.0 && *number < 1e6 ? static_cast<int>(*number) : 0;
}

winsize size_of(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return {};
  return size;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }
}  // namespace

Screen screen_of(int descriptor) {
  Screen screen;
  const std::string_view kind = environment("TERM");
  screen.redraws = isatty(descriptor) != 0 && !kind.empty() && kind != "dumb";
  screen.colour = screen.redraws && environment("NO_COLOR").empty();
  const winsize size = size_of(descriptor);
  if (size.ws_col > 0) screen.width = size.ws_col;
  if (size.ws_row > 0) screen.height = size.ws_row;
  if (const int wanted = columns_wanted(); wanted > 0)
    screen.width = size.ws_col > 0 ? std::min(screen.width, wanted) : wanted;
  return screen;
}

int text_width(int descriptor) {
  int width = columns_wanted();
  if (width == 0) width = size_of(descriptor).ws_col;
  if (width == 0) width = kDefaultWidth;
  return std::clamp(width, kMinWidth, kMaxWidth);
}

Index columns_of_text(std::string_view text) {
  return std::count_if(text.begin(), text.end(), begins_character);
}

std::string_view cut_text(std::string_view text, Index width) {
  std::size_t end = 0;
  while (end < text.size() && width >= (begins_character(text[end]) ? 1 : 0)) {
    if (begins_character(text[end])) --width;
    ++end;
  }
  return text.substr(0, end);
}

// ---- control characters ----

namespace {
// Bytes of the character that the text begins with; 0: it isn't one of UTF-8.
std::size_t character_size(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead < 0x80U   ? 1
                           : lead < 0xc2U ? 0
                           : lead < 0xe0U ? 2
                           : lead < 0xf0U ? 3
                           : lead < 0xf5U ? 4
                                          : 0;
  if (size > text.size()) return 0;
  const std::string_view rest = text.substr(0, size).substr(std::min<std::size_t>(size, 1));
  return std::none_of(rest.begin(), rest.end(), begins_character) ? size : 0;
}

// C0 and DEL; C1, which are C2 80 to C2 9F.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1)
    return (first < 0x20U && first != '\n' && first != '\t') || first == 0x7fU;
  return first == 0xc2U && static_cast<unsigned char>(character[1]) < 0xa0U;
}
}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    if (size > 0 && !is_control(character))
      shown += character;
    else
      for (const char byte : character)
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    text.remove_prefix(character.size());
  }
  return shown;
}

// ---- running text ----

namespace {
// The next word, which the rest then lacks; empty at the end of the line.
std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(word.size());
  return word;
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

struct LineBreaks {
  int width = 80;
  Indent indent = {};
  std::string_view at_break = {};  // text at the end of a line that is broken
  bool commands = false;           // an option stays with its value
};

std::string_view take_piece(std::string_view& rest, bool commands) {
  const std::string_view before = rest, word = take_word(rest);
  if (!commands || !word.starts_with('-')) return word;
  std::string_view behind = rest;
  const std::string_view value = take_word(behind);
  if (value.empty() || value.starts_with('-')) return word;
  rest = behind;
  return before.substr(static_cast<std::size_t>(word.data() - before.data()),
                       static_cast<std::size_t>(value.data() + value.size() - word.data()));
}

std::string broken(std::string_view line, const LineBreaks& breaks) {
  std::string text(static_cast<std::size_t>(breaks.indent.first), ' ');
  Index column = breaks.indent.first;
  bool empty = true;
  const Index room = breaks.width - ssize(breaks.at_break);
  for (std::string_view word; !(word = take_piece(line, breaks.commands)).empty(); empty = false) {
    const Index size = columns_of_text(word);
    if (!empty && column + 1 + size > room) {
      text += std::string(breaks.at_break) + "\n" +
              std::string(static_cast<std::size_t>(breaks.indent.hang), ' ');
      column = breaks.indent.hang;
    } else if (!empty) {
      text += ' ';
      ++column;
    }
    text += word;
    column += size;
  }
  return text;
}

std::string broken_lines(std::string_view text, LineBreaks breaks) {
  std::string all;
  while (!text.empty()) {
    all += broken(take_line(text), breaks);
    if (!text.empty()) all += '\n';
    if (breaks.at_break.empty()) breaks.indent.first = breaks.indent.hang;
  }
  return all;
}
}  // namespace

std::string wrapped(std::string_view text, int width, Indent indent) {
  return broken_lines(text, {.width = width, .indent = indent});
}

std::string wrapped_commands(std::string_view text, int width) {
  return broken_lines(
      text,
      {.width = width, .indent = {.first = 2, .hang = 6}, .at_break = " \\", .commands = true});
}

std::string text_columns(const std::vector<std::vector<std::string>>& rows,
                         std::string_view before) {
  std::vector<Index> widths;
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (widths.size() == k) widths.push_back(0);
      widths[k] = std::max(widths[k], columns_of_text(row[k]));
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line(before);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Index room = widths[k] - columns_of_text(row[k]);
      line += row[k] + std::string(static_cast<std::size_t>(room) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace credo::cli
