#include "report/text.hpp"

#include <fmt/format.h>

namespace credo::report {
namespace {
constexpr int kLabel = 10;  // columns before the frame; more for names of rows

// Cells, each with one sign: a character that was put there, else the dots of a Braille cell, else a block of eighths.
class Grid {
 public:
  Grid(int width, int height)
      : width_(width), cells_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}
  int width() const { return width_; }
  int height() const { return static_cast<int>(cells_.size()) / width_; }

  void put(int x, int y, const char* sign, int colour) {
    if (Cell* cell = at(x, y)) cell->sign = sign, cell->colour = colour;
  }
  // In half columns from the left and quarter lines from the top.
  void dot(int x, int y, int colour) {
    constexpr std::array<std::array<unsigned, 2>, 4> kBits{
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    if (x < 0 || y < 0) return;
    if (Cell* cell = at(x / 2, y / 4)) {
      cell->dots |= kBits[static_cast<std::size_t>(y % 4)][static_cast<std::size_t>(x % 2)];
      cell->colour = colour;
    }
  }
  // From the bottom up to so many eighths of a line.
  void column(int x, int eighths, int colour) {
    for (int y = height() - 1; y >= 0 && eighths > 0; --y, eighths -= 8)
      if (Cell* cell = at(x, y)) {
        cell->eighths = std::max(cell->eighths, std::min(eighths, 8));
        if (cell->dots == 0) cell->colour = colour;
      }
  }
  std::string line(int y, bool has_colours) const {
    std::string text;
    int colour = 0;
    for (int x = 0; x < width_; ++x) {
      const Cell& cell = cells_[static_cast<std::size_t>(y * width_ + x)];
      const std::string sign = sign_of(cell);
      if (has_colours && sign != " " && cell.colour != colour) {
        text += fmt::format("\033[{}m", cell.colour);
        colour = cell.colour;
      }
      text += sign;
    }
    if (colour != 0) return text + "\033[0m";
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

 private:
  struct Cell {
    const char* sign = nullptr;
    unsigned dots = 0;
    int eighths = 0, colour = 0;
  };
  static std::string sign_of(const Cell& cell) {
    constexpr std::array<const char*, 9> kBlocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    if (cell.sign != nullptr) return cell.sign;
    if (cell.dots == 0) return kBlocks[static_cast<std::size_t>(cell.eighths)];
    const unsigned code = 0x2800 + cell.dots;  // in UTF-8
    return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
            static_cast<char>(0x80 | (code & 0x3F))};
  }
  Cell* at(int x, int y) {
    if (x < 0 || y < 0 || x >= width_ || y >= height()) return nullptr;
    return &cells_[static_cast<std::size_t>(y * width_ + x)];
  }

  int width_;
  std::vector<Cell> cells_;
};

int escape_of(const Mark& mark) {
  constexpr std::array<int, 8> kChains{34, 33, 32, 35, 36, 91, 94, 90};
  switch (mark.role) {
    case Role::chain:
      return kChains[static_cast<std::size_t>(mark.chain) % kChains.size()];
    case Role::prior:
      return 33;
    case Role::replicate:
    case Role::interval:
    case Role::inner:
    case Role::posterior:
      return 34;
    case Role::reference:
      return 90;
    case Role::divergent:
    case Role::unreliable:
      return 31;
    case Role::all:
    case Role::observed:
      return 39;
  }
  return 39;
}

// Positions of a panel's values on the grid.
struct CellFrame {
  Range x, y;
  Grid& grid;
  double share_x(double v) const { return (v - x.low) / (x.high - x.low); }
  double share_y(double v) const { return (v - y.low) / (y.high - y.low); }  // from the bottom
  static int place(double share, int count) {
    if (!(share >= 0.0 && share <= 1.0)) return -1;
    return std::min(static_cast<int>(share * count), count - 1);
  }
  int dot_x(double v) const { return place(share_x(v), 2 * grid.width()); }
  int dot_y(double v) const { return place(1.0 - share_y(v), 4 * grid.height()); }
  int cell_x(double v) const { return place(share_x(v), grid.width()); }
  int cell_y(double v) const { return place(1.0 - share_y(v), grid.height()); }
};

void draw_segment(const CellFrame& f, std::array<int, 4> ends, int colour) {
  const auto [x1, y1, x2, y2] = ends;
  const int steps = std::max({std::abs(x2 - x1), std::abs(y2 - y1), 1});
  for (int k = 0; k <= steps; ++k)
    f.grid.dot(x1 + (x2 - x1) * k / steps, y1 + (y2 - y1) * k / steps, colour);
}

void draw_line(const CellFrame& f, const Series& x, const Series& y, int colour) {
  for (std::size_t k = 1; k < x.size(); ++k) {
    const std::array<int, 4> ends{f.dot_x(x[k - 1]), f.dot_y(y[k - 1]), f.dot_x(x[k]),
                                  f.dot_y(y[k])};
    if (std::all_of(ends.begin(), ends.end(), [](int e) { return e >= 0; }))
      draw_segment(f, ends, colour);
  }
}

// Upon the bottom: blocks; above it: its two edges.
void draw_area(const CellFrame& f, const Mark& m, int colour) {
  const bool stands =
      std::all_of(m.y2.begin(), m.y2.end(), [&](double v) { return v <= std::max(f.y.low, 0.0); });
  if (!stands) {
    draw_line(f, m.x, m.y, colour);
    draw_line(f, m.x, m.y2, colour);
    return;
  }
  for (std::size_t k = 1; k < m.x.size(); ++k) {
    const int from = f.cell_x(m.x[k - 1]), to = f.cell_x(m.x[k]);
    if (from < 0 || to < 0 || !std::isfinite(m.y[k])) continue;
    for (int x = from; x <= to; ++x)
      f.grid.column(x,
                    static_cast<int>(std::lround(8.0 * f.grid.height() *
                                                 std::clamp(f.share_y(m.y[k]), 0.0, 1.0))),
                    colour);
  }
}

void draw_bars(const CellFrame& f, const Mark& m, int colour) {
  const double base = f.share_y(std::max(f.y.low, std::min(0.0, f.y.high)));
  for (std::size_t k = 0; k < m.x.size(); ++k) {
    const int from = f.cell_x(m.x[k]), end = f.cell_x(m.x2[k]);
    const double top = f.share_y(std::max(m.y[k], m.y2[k]));
    for (int x = from; x >= 0 && x < std::max(end, from + 1); ++x) {
      if (base <= 0.05)
        f.grid.column(
            x, static_cast<int>(std::lround(8.0 * f.grid.height() * std::clamp(top, 0.0, 1.0))),
            colour);
      else
        draw_segment(f, {2 * x, f.dot_y(m.y[k]), 2 * x, f.dot_y(m.y2[k])}, colour);
    }
  }
}

void draw_intervals(const CellFrame& f, const Mark& m, int colour) {
  const char* sign = m.role == Role::inner ? "━" : "─";
  for (std::size_t k = 0; k < m.y.size(); ++k) {
    if (!std::isfinite(m.x[k]) || !std::isfinite(m.x2[k])) continue;
    const int to = f.cell_x(m.x2[k]);
    for (int x = f.cell_x(m.x[k]); x <= to; ++x) f.grid.put(x, f.cell_y(m.y[k]), sign, colour);
  }
}

void draw_points(const CellFrame& f, const Mark& m, bool has_rows, int colour) {
  for (std::size_t k = 0; k < m.x.size(); ++k) {
    if (has_rows || m.role == Role::divergent)
      f.grid.put(f.cell_x(m.x[k]), f.cell_y(m.y[k]), m.role == Role::divergent ? "×" : "●", colour);
    else
      f.grid.dot(f.dot_x(m.x[k]), f.dot_y(m.y[k]), colour);
  }
}

void draw_cells(const CellFrame& f, const Mark& m, bool has_rows) {
  const int colour = escape_of(m);
  switch (m.kind) {
    case Mark::Kind::line:
      return draw_line(f, m.x, m.y, colour);
    case Mark::Kind::area:
      return draw_area(f, m, colour);
    case Mark::Kind::points:
      return draw_points(f, m, has_rows, colour);
    case Mark::Kind::bars:
      return draw_bars(f, m, colour);
    case Mark::Kind::intervals:
      return draw_intervals(f, m, colour);
    case Mark::Kind::spans:
      for (std::size_t k = 0; k < m.x.size(); ++k)
        draw_line(f, {m.x[k], m.x[k]}, {m.y[k], m.y2[k]}, colour);
      return;
    case Mark::Kind::rule_x:
      for (const double x : m.x)
        for (int y = 0; y < f.grid.height(); ++y) f.grid.put(f.cell_x(x), y, "│", colour);
      return;
    case Mark::Kind::rule_y:
      for (const double y : m.y)
        for (int x = 0; x < f.grid.width(); ++x) f.grid.put(x, f.cell_y(y), "┈", colour);
      return;
  }
}

std::string padded(const std::string& text, int width) {
  const auto letters =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return std::string(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, width - letters)), ' ') +
         text;
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

int label_width(const Panel& panel, int width) {
  std::size_t widest = 0;
  for (const std::string& row : panel.y.rows) widest = std::max(widest, row.size());
  return std::clamp(static_cast<int>(widest), kLabel, std::max(kLabel, width / 3));
}

std::string left_of(const Panel& panel, const Range& y, int line, int height, int width) {
  if (!panel.y.rows.empty()) {
    const std::string& row = panel.y.rows[static_cast<std::size_t>(line)];
    return padded(row.substr(0, static_cast<std::size_t>(width)), width);
  }
  const bool is_end = line == 0 || line + 1 == height;
  return padded(is_end && !panel.y.is_hidden ? number(line == 0 ? y.high : y.low) : "", width);
}

std::string panel_text(const Panel& panel, const TextOptions& options) {
  const int label = label_width(panel, options.width);
  const bool has_rows = !panel.y.rows.empty();
  Grid grid(std::max(10, options.width - label - 3),
            has_rows ? static_cast<int>(panel.y.rows.size()) : std::max(2, options.height));
  Range y = range_of_y(panel);
  const Range x = range_of_x(panel);
  if (has_rows) y = {static_cast<double>(panel.y.rows.size()) - 0.5, -0.5};
  const CellFrame frame{x, y, grid};
  for (const Mark& mark : panel.marks) draw_cells(frame, mark, has_rows);
  std::string text = panel.title.empty() ? ""
                                         : std::string(static_cast<std::size_t>(label + 2), ' ') +
                                               panel.title + "\n";
  if (!panel.y.label.empty() && !has_rows) text += panel.y.label + "\n";  // above its axis
  for (int line = 0; line < grid.height(); ++line)
    text += left_of(panel, y, line, grid.height(), label) + " │" +
            grid.line(line, options.has_colours) + "\n";
  if (panel.x.is_hidden) return text;
  const std::string low = number(x.low), high = number(x.high);
  const auto room = static_cast<std::size_t>(
      std::max(0, grid.width() - static_cast<int>(low.size() + high.size())));
  std::string middle(room, ' ');
  if (panel.x.label.size() + 2 < room)
    middle.replace((room - panel.x.label.size()) / 2, panel.x.label.size(), panel.x.label);
  return text + std::string(static_cast<std::size_t>(label + 2), ' ') + low + middle + high + "\n";
}

// Without control characters: names come from files, and terminals obey them.
std::string plain(std::string text) {
  for (char& c : text)
    if ((c >= 0 && c < 0x20) || c == 0x7f) c = '?';
  return text;
}

// Symbol of a mark.
const char* key_of(const Mark& mark, bool has_rows) {
  switch (mark.kind) {
    case Mark::Kind::line:
      return "⠒";
    case Mark::Kind::area:
    case Mark::Kind::bars:
      return "▄";
    case Mark::Kind::points:
      return mark.role == Role::divergent ? "×" : has_rows ? "●" : "⠂";
    case Mark::Kind::intervals:
      return mark.role == Role::inner ? "━" : "─";
    case Mark::Kind::spans:
      return "⡇";
    case Mark::Kind::rule_x:
      return "│";
    case Mark::Kind::rule_y:
      return "┈";
  }
  return "";
}

std::string legend_text(const Picture& picture, bool has_colours) {
  std::vector<std::string> labels;
  std::string text;
  for (const Panel& panel : picture.panels)
    for (const Mark& mark : panel.marks) {
      const bool is_one_of_many = mark.role == Role::chain && !has_colours;  // they look alike
      const std::string label = is_one_of_many ? "each chain" : label_of(mark);
      if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
      labels.push_back(label);
      const char* key = key_of(mark, !panel.y.rows.empty());
      text += has_colours ? fmt::format("  \033[{}m{}\033[0m {}", escape_of(mark), key, label)
                          : fmt::format("  {} {}", key, label);
    }
  return labels.size() < 2 ? "" : "shown:" + text + "\n";
}

std::string wrapped_words(std::string_view words, std::size_t width) {
  std::string text, line;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (!line.empty() && line.size() + 1 + end > width) text += line + "\n", line.clear();
    line += (line.empty() ? "" : " ") + std::string(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return text + line + "\n";
}
}  // namespace

std::string text_of(const Picture& shown, const TextOptions& options) {
  Picture picture = shown;
  for (std::string* words : {&picture.title, &picture.words}) *words = plain(std::move(*words));
  for (Panel& panel : picture.panels) {
    for (std::string* words : {&panel.title, &panel.x.label, &panel.y.label})
      *words = plain(std::move(*words));
    for (std::string& row : panel.y.rows) row = plain(std::move(row));
    for (Mark& mark : panel.marks) mark.label = plain(std::move(mark.label));
  }
  std::string text = picture.title + "\n" + legend_text(picture, options.has_colours);
  for (const Panel& panel : picture.panels)
    if (!panel.marks.empty()) text += panel_text(panel, options);
  return text + wrapped_words(picture.words, static_cast<std::size_t>(std::max(20, options.width)));
}

}  // namespace credo::report
