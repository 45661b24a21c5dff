// A picture: panels with axes, and marks in the units of the values. `credo plot` draws it as SVG and as characters
// (report/svg.hpp, report/text.hpp); the page of a report draws the same marks (write_json).
#pragma once
#include "base/types.hpp"

namespace credo::io {
class JsonWriter;
}

namespace credo::report {

using Series = std::vector<double>;

struct Axis {
  std::string label = {};
  double low = kNaN, high = kNaN;  // NaN: as far as the marks reach
  std::vector<std::string> rows =
      {};  // names of 0, 1, ..., which stand below each other on y, beside each other on x
  bool is_hidden = false;  // without ticks
  bool is_whole = false;   // it counts: ticks are whole numbers
};

// Role of a mark: this decides how it looks and how it is called.
enum class Role {
  chain,     // number `chain`, from 0
  all,       // all chains together
  interval,  // a wide interval; `inner` is the narrow one
  inner,
  prior,
  posterior,
  observed,
  replicate,  // a replicated data set, one of many
  reference,  // what would be expected
  divergent,
  unreliable
};
std::string_view name_of(Role role);  // "chain"

struct Mark {
  enum class Kind {
    line,       // through (x, y); NaN breaks it
    area,       // between (x, y) and (x, y2)
    points,     // at (x, y)
    bars,       // from x to x2, from y to y2
    intervals,  // at height y from x to x2
    spans,      // at x from y to y2
    rule_x,     // a vertical line at each x
    rule_y      // a horizontal one at each y
  };
  Kind kind = Kind::line;
  Role role = Role::all;
  Index chain = -1;
  Series x = {}, y = {}, x2 = {}, y2 = {};
  std::string label = {};  // in the legend; empty: by the role
};
std::string_view name_of(Mark::Kind kind);  // "line"
std::string label_of(const Mark& mark);     // "chain 2", "observed"

struct Panel {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<Mark> marks = {};
};

struct Picture {
  std::string kind = {}, title = {};
  std::string words =
      {};  // description of the picture, in sentences: printed below it, and for readers with a screen reader
  std::vector<Panel> panels = {};
  Index columns = 1;    // panels beside each other
  double height = 0.0;  // of a panel, in pixels; 0: by its rows, or 200
};

// The axis with its ends: its own, or those of the marks with a little room; [-1, 1] around a single value. Values that
// are not finite are skipped.
struct Range {
  double low = 0.0, high = 1.0;
};
Range range_of_x(const Panel& panel);
Range range_of_y(const Panel& panel);

// Round numbers within the range, about so many, ascending.
Series ticks(const Range& range, Index count);
// All with as many decimals as the distance of neighbours needs, with the sign U+2212.
std::vector<std::string> tick_labels(std::span<const double> ticks);

// An object: kind, title, words, columns, panels with axes and marks.
void write_json(io::JsonWriter& json, const Picture& picture);
std::string json_text(const Picture& picture);  // text of write_json

}  // namespace credo::report
