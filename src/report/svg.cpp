#include "report/svg.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/error.hpp"

namespace credo::report {
namespace {
constexpr double kLetter = 6.1;  // mean width of a letter of 11 pixels
constexpr double kRow = 17.0, kHeight = 200.0, kTitle = 26.0, kLegend = 20.0, kWords = 15.0;
constexpr double kBetween = 14.0;  // pixels between a panel's axis and the next title

// After Okabe and Ito: told apart by those who don't see all colours, on white and in grey.
constexpr std::array<std::string_view, 8> kChainColours{"#0072b2", "#d55e00", "#009e73", "#b25b8c",
                                                        "#56b4e9", "#e69f00", "#7a5195", "#6b6b6b"};
constexpr std::string_view kInk = "#1c2530", kFaint = "#5b6673", kGrid = "#e3e7ec";

std::string_view colour_of(const Mark& mark) {
  switch (mark.role) {
    case Role::chain:
      return kChainColours[static_cast<std::size_t>(mark.chain) % kChainColours.size()];
    case Role::prior:
      return "#e69f00";
    case Role::replicate:
    case Role::interval:
      return "#6a9fc9";
    case Role::inner:
    case Role::posterior:
      return "#0072b2";
    case Role::reference:
      return kFaint;
    case Role::divergent:
    case Role::unreliable:
      return "#c1121f";
    case Role::all:
    case Role::observed:
      return kInk;
  }
  return kInk;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n')
      out += c;
  }
  return out;
}

// Letters, not bytes.
double width_of(std::string_view text) {
  const auto letters =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return kLetter * static_cast<double>(letters);
}

std::vector<std::string> lines_of(std::string_view words, double width) {
  std::vector<std::string> lines;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string word(words.substr(0, end));
    if (lines.empty() || width_of(lines.back()) + width_of(word) + kLetter > width)
      lines.push_back(word);
    else
      lines.back() += " " + word;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return lines;
}

// A rectangle of pixels, and the units that it shows.
struct Frame {
  double left, right, top, bottom;
  Range x, y;
  double at_x(double v) const { return left + (v - x.low) / (x.high - x.low) * (right - left); }
  // Rows stand below each other from the first one.
  double at_y(double v) const { return bottom - (v - y.low) / (y.high - y.low) * (bottom - top); }
};

class Canvas {
 public:
  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }
  void text(double x, double y, std::string_view words, std::string_view attributes = "") {
    add("<text x=\"{:.2f}\" y=\"{:.2f}\" {}>{}</text>\n", x, y, attributes, escaped(words));
  }
  void line(double x1, double y1, double x2, double y2, std::string_view colour) {
    add("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, colour);
  }
  std::string& string() { return text_; }

 private:
  std::string text_;
};

// ---- marks, as the data of one path each

std::string line_path(const Mark& mark, const Frame& frame) {
  std::string path;
  char next = 'M';
  for (std::size_t k = 0; k < mark.x.size(); ++k) {
    if (!std::isfinite(mark.x[k]) || !std::isfinite(mark.y[k])) {
      next = 'M';
      continue;
    }
    fmt::format_to(std::back_inserter(path), "{}{:.2f} {:.2f}", next, frame.at_x(mark.x[k]),
                   frame.at_y(mark.y[k]));
    next = 'L';
  }
  return path;
}

std::string area_path(const Mark& mark, const Frame& frame) {
  std::string path = line_path(mark, frame);
  for (std::size_t k = mark.x.size(); k-- > 0;)
    if (std::isfinite(mark.y2[k]) && std::isfinite(mark.x[k]))
      fmt::format_to(std::back_inserter(path), "L{:.2f} {:.2f}", frame.at_x(mark.x[k]),
                     frame.at_y(mark.y2[k]));
  return path.empty() ? path : path + "Z";
}

// One piece for each value: what `piece` makes of its number.
std::string pieces(std::size_t count, const std::function<std::string(std::size_t)>& piece) {
  std::string path;
  for (std::size_t k = 0; k < count; ++k) path += piece(k);
  return path;
}

std::string path_of(const Mark& m, const Frame& f) {
  switch (m.kind) {
    case Mark::Kind::line:
      return line_path(m, f);
    case Mark::Kind::area:
      return area_path(m, f);
    case Mark::Kind::points:
      return pieces(m.x.size(), [&](std::size_t k) {
        return std::isfinite(m.x[k]) && std::isfinite(m.y[k])
                   ? fmt::format("M{:.2f} {:.2f}h0", f.at_x(m.x[k]), f.at_y(m.y[k]))
                   : std::string();
      });
    case Mark::Kind::bars:
      return pieces(m.x.size(), [&](std::size_t k) {
        return fmt::format("M{:.2f} {:.2f}V{:.2f}H{:.2f}V{:.2f}Z", f.at_x(m.x[k]), f.at_y(m.y[k]),
                           f.at_y(m.y2[k]), f.at_x(m.x2[k]), f.at_y(m.y[k]));
      });
    case Mark::Kind::intervals:
      return pieces(m.y.size(), [&](std::size_t k) {
        return fmt::format("M{:.2f} {:.2f}H{:.2f}", f.at_x(m.x[k]), f.at_y(m.y[k]),
                           f.at_x(m.x2[k]));
      });
    case Mark::Kind::spans:
      return pieces(m.x.size(), [&](std::size_t k) {
        return fmt::format("M{:.2f} {:.2f}V{:.2f}", f.at_x(m.x[k]), f.at_y(m.y[k]),
                           f.at_y(m.y2[k]));
      });
    case Mark::Kind::rule_x:
      return pieces(m.x.size(), [&](std::size_t k) {
        return fmt::format("M{:.2f} {:.2f}V{:.2f}", f.at_x(m.x[k]), f.top, f.bottom);
      });
    case Mark::Kind::rule_y:
      return pieces(m.y.size(), [&](std::size_t k) {
        return fmt::format("M{:.2f} {:.2f}H{:.2f}", f.left, f.at_y(m.y[k]), f.right);
      });
  }
  return {};
}

// Chains that repeat a colour are dashed, so that those in a legend differ.
std::string dashes_of(const Mark& mark) {
  constexpr std::array<std::string_view, 2> kDashes{"7 3", "2 3"};
  const auto round =
      static_cast<std::size_t>(std::max<Index>(mark.chain, 0)) / kChainColours.size();
  if (mark.role != Role::chain || round == 0) return {};
  return fmt::format(" stroke-dasharray=\"{}\"", kDashes[(round - 1) % kDashes.size()]);
}

// `is_key`: in a legend, where marks are wide enough to be seen alone.
std::string style_of(const Mark& mark, bool is_key = false) {
  const std::string_view colour = colour_of(mark);
  const bool is_filled = mark.kind == Mark::Kind::area || mark.kind == Mark::Kind::bars;
  if (is_filled) return fmt::format("fill=\"{}\" fill-opacity=\"0.3\" stroke=\"none\"", colour);
  const double few = mark.x.size() > 400 ? 0.75 : 1.4;
  double width = mark.kind == Mark::Kind::points ? (mark.x.size() > 400 ? 2.2 : 4.5) : few;
  std::string more;
  if (mark.role == Role::replicate && mark.kind == Mark::Kind::line && !is_key)
    more = " stroke-opacity=\"0.35\"";
  if (mark.role == Role::all && mark.x.size() > 400 && !is_key) more = " stroke-opacity=\"0.4\"";
  if (mark.role == Role::reference) more = " stroke-dasharray=\"4 3\"", width = 1.0;
  if (mark.kind == Mark::Kind::line) more += dashes_of(mark);
  if (mark.role == Role::inner) width = 4.5;
  if (mark.role == Role::observed && mark.kind != Mark::Kind::points) width = 2.0;
  if (mark.role == Role::divergent) width = 4.5;
  if (is_key) width = std::max(width, mark.kind == Mark::Kind::points ? 6.0 : 2.2);
  return fmt::format(
      "fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" "
      "stroke-linejoin=\"round\"{}",
      colour, width, more);
}

void draw_mark(Canvas& canvas, const Mark& mark, const Frame& frame) {
  canvas.add("<g data-kind=\"{}\" data-role=\"{}\" data-label=\"{}\"", name_of(mark.kind),
             name_of(mark.role), escaped(label_of(mark)));
  if (mark.chain >= 0) canvas.add(" data-chain=\"{}\"", mark.chain);
  canvas.add("><path {} d=\"{}\"/></g>\n", style_of(mark), path_of(mark, frame));
}

// ---- panels

struct Labels {
  Series at;
  std::vector<std::string> words;
};

Labels labels_of(const Axis& axis, const Range& range, double pixels, double each) {
  if (axis.is_hidden) return {};
  if (axis.rows.empty()) {
    Index count = std::max<Index>(2, static_cast<Index>(pixels / each));
    if (axis.is_whole)
      count = std::clamp<Index>(count, 1,
                                std::max<Index>(1, static_cast<Index>(range.high - range.low)));
    Labels labels{ticks(range, count), {}};
    labels.words = tick_labels(labels.at);
    return labels;
  }
  Labels labels;
  for (std::size_t k = 0; k < axis.rows.size(); ++k) {
    labels.at.push_back(static_cast<double>(k));
    labels.words.push_back(axis.rows[k]);
  }
  return labels;
}

// Height of a row of panels.
double height_of(const Picture& picture, const SvgOptions& options, std::span<const Panel> beside) {
  if (options.height > 0.0) return options.height;
  std::size_t rows = 0;
  for (const Panel& panel : beside) rows = std::max(rows, panel.y.rows.size());
  if (rows > 0) return 50.0 + kRow * static_cast<double>(rows);
  return picture.height > 0.0 ? picture.height : kHeight;
}

double widest(std::span<const std::string> words) {
  double width = 0.0;
  for (const std::string& word : words) width = std::max(width, width_of(word));
  return width;
}

// `outer`: area of the paper that the panel takes.
void draw_panel(Canvas& canvas, const Panel& panel, const Frame& outer) {
  Frame frame = outer;
  frame.x = range_of_x(panel), frame.y = range_of_y(panel);
  if (!panel.y.rows.empty()) std::swap(frame.y.low, frame.y.high);
  frame.top += panel.title.empty() ? 6.0 : 20.0;
  frame.bottom -= panel.x.is_hidden ? 4.0 : panel.x.label.empty() ? 18.0 : 34.0;
  const Range upwards{std::min(frame.y.low, frame.y.high), std::max(frame.y.low, frame.y.high)};
  const Labels on_y = labels_of(panel.y, upwards, frame.bottom - frame.top, 38.0);
  frame.left += std::min(widest(on_y.words), 0.4 * (frame.right - frame.left)) + 8.0 +
                (panel.y.label.empty() ? 0.0 : 16.0);
  frame.right -= 8.0;
  const Labels on_x = labels_of(panel.x, frame.x, frame.right - frame.left, 70.0);
  canvas.add("<g class=\"panel\" data-x=\"{} {} {:.2f} {:.2f}\" data-y=\"{} {} {:.2f} {:.2f}\">\n",
             frame.x.low, frame.x.high, frame.left, frame.right, frame.y.low, frame.y.high,
             frame.bottom, frame.top);
  if (!panel.title.empty())
    canvas.text(frame.left, outer.top + 12.0, panel.title, "class=\"panel-title\"");
  for (std::size_t k = 0; k < on_x.at.size(); ++k) {
    canvas.line(frame.at_x(on_x.at[k]), frame.top, frame.at_x(on_x.at[k]), frame.bottom, kGrid);
    canvas.text(frame.at_x(on_x.at[k]), frame.bottom + 14.0, on_x.words[k],
                "text-anchor=\"middle\"");
  }
  for (std::size_t k = 0; k < on_y.at.size(); ++k) {
    canvas.line(frame.left, frame.at_y(on_y.at[k]), frame.right, frame.at_y(on_y.at[k]), kGrid);
    canvas.text(frame.left - 6.0, frame.at_y(on_y.at[k]) + 4.0, on_y.words[k],
                "text-anchor=\"end\"");
  }
  canvas.text((frame.left + frame.right) / 2.0, frame.bottom + 29.0, panel.x.label,
              "text-anchor=\"middle\" class=\"faint\"");
  if (!panel.y.label.empty())
    canvas.add(
        "<text transform=\"translate({:.2f} {:.2f}) rotate(-90)\" text-anchor=\"middle\" "
        "class=\"faint\">{}</text>\n",
        outer.left + 11.0, (frame.top + frame.bottom) / 2.0, escaped(panel.y.label));
  for (const Mark& mark : panel.marks) draw_mark(canvas, mark, frame);
  canvas.add("</g>\n");
}

constexpr Index kMostChains = 12;  // in a legend

// Symbol of a mark: a box for areas, a dot for points, a vertical line for spans and rules on x.
std::string key_path(const Mark& mark, double x, double y) {
  const double middle = y - 4.0;
  switch (mark.kind) {
    case Mark::Kind::area:
    case Mark::Kind::bars:
      return fmt::format("M{:.2f} {:.2f}h16v9h-16Z", x, y - 8.5);
    case Mark::Kind::points:
      return fmt::format("M{:.2f} {:.2f}h0", x + 8.0, middle);
    case Mark::Kind::spans:
    case Mark::Kind::rule_x:
      return fmt::format("M{:.2f} {:.2f}v10", x + 8.0, y - 9.0);
    case Mark::Kind::line:
    case Mark::Kind::intervals:
    case Mark::Kind::rule_y:
      return fmt::format("M{:.2f} {:.2f}h16", x, middle);
  }
  return {};
}

// Each label once, in the order of the marks; lines break at the width. Returns the height.
double draw_legend(Canvas& canvas, const Picture& picture, double top, double width) {
  std::vector<const Mark*> shown;
  std::vector<std::string> labels;
  for (const Panel& panel : picture.panels)
    for (const Mark& mark : panel.marks) {
      if (mark.chain >= kMostChains) continue;
      const std::string label = label_of(mark);
      if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
      labels.push_back(label), shown.push_back(&mark);
    }
  if (shown.size() < 2) return 0.0;
  double x = 8.0, y = top + 12.0;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const double needed = width_of(labels[k]) + 36.0;
    if (x + needed > width && x > 8.0) x = 8.0, y += kLegend;
    canvas.add("<path class=\"key\" {} d=\"{}\"/>\n", style_of(*shown[k], true),
               key_path(*shown[k], x, y));
    canvas.text(x + 22.0, y, labels[k]);
    x += needed;
  }
  return y - top + 8.0;
}
}  // namespace

std::string svg_of(const Picture& picture, const SvgOptions& options) {
  constexpr double kEdge = 8.0, kLeast = 160.0;
  if (!(options.width >= kLeast))
    throw Error(ErrorCode::usage,
                fmt::format("a picture is at least {} pixels wide, not {}", kLeast, options.width),
                "--width");
  Canvas body;
  body.text(kEdge, 18.0, picture.title, "class=\"title\"");
  double top = kTitle + draw_legend(body, picture, kTitle, options.width);
  const auto columns = static_cast<std::size_t>(std::max<Index>(1, picture.columns));
  const double wide = (options.width - 2.0 * kEdge) / static_cast<double>(columns);
  for (std::size_t first = 0; first < picture.panels.size(); first += columns) {
    const auto beside =
        std::span(picture.panels).subspan(first, std::min(columns, picture.panels.size() - first));
    const double high = height_of(picture, options, beside);
    for (std::size_t k = 0; k < beside.size(); ++k) {
      const double left = kEdge + wide * static_cast<double>(k);
      if (!beside[k].marks.empty())
        draw_panel(body, beside[k], {left, left + wide, top, top + high, {}, {}});
    }
    top += high + kBetween;
  }
  for (const std::string& line : lines_of(picture.words, options.width - 2.0 * kEdge))
    body.text(kEdge, top, line, "class=\"faint\""), top += kWords;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" data-picture=\"{2}\">\n<title>{3}</title>\n"
      "<desc>{4}</desc>\n<style>text{{font:11px system-ui,'Helvetica Neue',Arial,'DejaVu "
      "Sans',sans-serif;fill:{5}}}"
      ".title{{font-size:15px;font-weight:600}}.panel-title{{font-size:12px;font-weight:600}}"
      ".faint{{fill:{6}}}</style>\n{7}</svg>\n",
      options.width, top, picture.kind, escaped(picture.title), escaped(picture.words), kInk,
      kFaint, body.string());
}

}  // namespace credo::report
