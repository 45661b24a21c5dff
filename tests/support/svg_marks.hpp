// What an SVG of report/svg.hpp draws, read back from its paths into the units of its axes.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/types.hpp"

namespace credo::testing {

struct SvgPoint {
  double x, y;
};

struct SvgMark {
  std::string kind, role, label;
  Index chain = -1;
  std::vector<std::vector<SvgPoint>> pieces;  // from each M to the next; h0 and Z add no point

  std::vector<SvgPoint> points() const {  // the first of each piece
    std::vector<SvgPoint> all;
    for (const auto& piece : pieces) all.push_back(piece[0]);
    return all;
  }
};

struct SvgPanel {
  std::string title;
  double x_pixel = 0.0,
         y_pixel = 0.0;  // units of one hundredth of a pixel, to which paths are rounded
  std::vector<SvgMark> marks;

  const SvgMark& mark(std::string_view kind, std::string_view role, Index chain = -1) const {
    for (const SvgMark& m : marks)
      if (m.kind == kind && m.role == role && m.chain == chain) return m;
    ADD_FAILURE() << "no " << kind << " of " << role << " " << chain << " in " << title;
    static const SvgMark kNone;
    return kNone;
  }
};

class SvgReader {
 public:
  explicit SvgReader(std::string text) : text_(std::move(text)) {}

  std::vector<SvgPanel> panels() const {
    std::vector<SvgPanel> all;
    const std::string begin = "<g class=\"panel\"";
    for (std::size_t at = text_.find(begin); at != std::string::npos;) {
      const std::size_t next = text_.find(begin, at + 1);
      all.push_back(panel(text_.substr(at, next - at)));
      at = next;
    }
    return all;
  }

 private:
  struct Scale {
    double low, high, from, to;
    double value(double pixel) const { return low + (pixel - from) / (to - from) * (high - low); }
    double hundredth() const { return std::abs(0.01 * (high - low) / (to - from)); }
  };
  static std::string attribute(std::string_view text, const std::string& name) {
    const std::size_t at = text.find(" " + name + "=\"");
    if (at == std::string_view::npos) return {};
    const std::size_t first = at + name.size() + 3;
    return std::string(text.substr(first, text.find('"', first) - first));
  }
  static Scale scale(std::string_view text, const std::string& name) {
    const std::string numbers = attribute(text, name);
    Scale s{};
    char* at = const_cast<char*>(numbers.c_str());
    for (double* v : {&s.low, &s.high, &s.from, &s.to}) *v = std::strtod(at, &at);
    return s;
  }
  static std::vector<std::vector<SvgPoint>> pieces(const std::string& path, const Scale& x,
                                                   const Scale& y) {
    std::vector<std::vector<SvgPoint>> all;
    double px = 0.0, py = 0.0;
    for (char* at = const_cast<char*>(path.c_str()); *at != '\0';) {
      const char command = *at++;
      if (command == 'Z') continue;
      if (command == 'h') {
        std::strtod(at, &at);
        continue;
      }
      if (command != 'V') px = std::strtod(at, &at);
      if (command != 'H') py = std::strtod(at, &at);
      if (command == 'M') all.emplace_back();
      all.back().push_back({x.value(px), y.value(py)});
    }
    return all;
  }
  static SvgPanel panel(const std::string& text) {
    const Scale x = scale(text, "data-x"), y = scale(text, "data-y");
    SvgPanel panel;
    panel.x_pixel = x.hundredth(), panel.y_pixel = y.hundredth();
    const std::size_t title = text.find("class=\"panel-title\">");
    if (title != std::string::npos)
      panel.title = text.substr(title + 20, text.find('<', title) - title - 20);
    for (std::size_t at = text.find("<g data-kind"); at != std::string::npos;
         at = text.find("<g data-kind", at + 1)) {
      const std::string one = text.substr(at, text.find("</g>", at) - at);
      const std::string chain = attribute(one, "data-chain");
      panel.marks.push_back({.kind = attribute(one, "data-kind"),
                             .role = attribute(one, "data-role"),
                             .label = attribute(one, "data-label"),
                             .chain = chain.empty() ? -1 : std::stol(chain),
                             .pieces = pieces(attribute(one, "d"), x, y)});
    }
    return panel;
  }

  std::string text_;
};

}  // namespace credo::testing
