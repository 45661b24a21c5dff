// Ticks, ranges, and pictures as SVG and as characters.
#include "report/picture.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"
#include "support/svg_marks.hpp"

namespace credo::report::picture_test {
namespace {

TEST(ticks, are_round_numbers_within_the_range) {
  EXPECT_EQ(ticks({0.0, 1.0}, 5), (Series{0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0}));
  EXPECT_EQ(ticks({-7.0, 12.0}, 4), (Series{-5.0, 0.0, 5.0, 10.0}));
  EXPECT_EQ(ticks({3.0, 3.0}, 4), Series{});
  for (const double scale : {1e-8, 0.37, 1.0, 5e3, 2e12})
    for (Index count = 2; count < 12; ++count) {
      const Series all = ticks({-0.3 * scale, scale}, count);
      ASSERT_GE(all.size(), 1u);
      EXPECT_LE(ssize(all), 2 * count + 1);
      for (const double t : all)
        EXPECT_TRUE(t >= -0.3 * scale * 1.0001 && t <= scale * 1.0001) << t;
    }
}

TEST(tick_labels, have_the_decimals_of_their_distance) {
  EXPECT_EQ(tick_labels(Series{-0.5, 0.0, 0.5}),
            (std::vector<std::string>{"\u22120.5", "0.0", "0.5"}));
  EXPECT_EQ(tick_labels(Series{0.0, 200.0, 400.0}), (std::vector<std::string>{"0", "200", "400"}));
  EXPECT_EQ(tick_labels(Series{1e9, 2e9}), (std::vector<std::string>{"1e+09", "2e+09"}));
}

TEST(range, reaches_as_far_as_the_marks_and_passes_over_what_is_not_finite) {
  Panel panel;
  panel.marks = {{.kind = Mark::Kind::line, .x = {1.0, kNaN, 5.0}, .y = {2.0, 2.0, 2.0}},
                 {.kind = Mark::Kind::intervals, .x = {-1.0}, .y = {2.0}, .x2 = {kInfinity}}};
  EXPECT_NEAR(range_of_x(panel).low, -1.0 - 0.02 * 6.0, 1e-12);
  EXPECT_NEAR(range_of_x(panel).high, 5.0 + 0.02 * 6.0, 1e-12);
  EXPECT_EQ(range_of_y(panel).low, 1.0);  // around a single value
  panel.y.rows = {"a", "b"};
  EXPECT_EQ(range_of_y(panel).high, 1.6);
}

Picture two_chains() {
  Picture picture{.kind = "trace", .title = "a < b & c", .words = "Words."};
  Panel panel{.title = "x[1]"};
  panel.marks = {{.kind = Mark::Kind::line,
                  .role = Role::chain,
                  .chain = 0,
                  .x = {0, 1, 2, 3},
                  .y = {0, 1, kNaN, 1}},
                 {.kind = Mark::Kind::points, .role = Role::divergent, .x = {1.5}, .y = {0.25}}};
  picture.panels.push_back(panel);
  return picture;
}

TEST(svg, has_marks_where_they_are_and_breaks_lines_at_missing_values) {
  const std::string svg = svg_of(two_chains());
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  const auto panels = testing::SvgReader(svg).panels();
  ASSERT_EQ(panels.size(), 1u);
  const auto& line = panels[0].mark("line", "chain", 0);
  ASSERT_EQ(line.pieces.size(), 2u);
  EXPECT_EQ(line.pieces[0].size(), 2u);
  EXPECT_NEAR(line.pieces[1][0].x, 3.0, panels[0].x_pixel);
  EXPECT_NEAR(panels[0].mark("points", "divergent").points()[0].y, 0.25, panels[0].y_pixel);
  EXPECT_THROW(svg_of(two_chains(), {.width = 20.0}), Error);
}

// Vertical positions of texts of a class.
std::vector<double> heights_of(const std::string& svg, const std::string& what) {
  std::vector<double> all;
  for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) {
    const std::size_t y = svg.rfind(" y=\"", at);
    all.push_back(std::strtod(svg.c_str() + y + 4, nullptr));
  }
  return all;
}

TEST(svg, titles_stand_clear_of_the_axis_labels_above) {
  Picture picture = two_chains();
  picture.panels[0].x.label = "draw after warm-up";
  picture.panels.push_back(picture.panels[0]);
  const std::string svg = svg_of(picture);
  const std::vector<double> titles = heights_of(svg, "class=\"panel-title\""),
                            labels = heights_of(svg, ">draw after warm-up<");
  ASSERT_EQ(titles.size(), 2u);
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_GT(titles[1] - labels[0], 2.0 * 12.0);  // a letter of 12 pixels, and one between
}

// Path data of a legend's symbols.
std::vector<std::string> keys_of(const std::string& svg) {
  std::vector<std::string> all;
  const std::string begin = "<path class=\"key\"";
  for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1))
    all.push_back(svg.substr(at, svg.find("/>", at) - at));
  return all;
}

TEST(svg, legends_tell_marks_apart_also_those_of_one_colour) {
  Picture picture{.kind = "t", .title = "T", .words = ""};
  Panel panel;
  const Series x = {0, 1}, y = {0, 1};
  using enum Mark::Kind;
  for (const auto& [kind, role] :
       {std::pair{area, Role::all}, std::pair{line, Role::observed},
        std::pair{points, Role::observed}, std::pair{spans, Role::observed},
        std::pair{rule_y, Role::reference}})
    panel.marks.push_back(
        {.kind = kind, .role = role, .x = x, .y = y, .y2 = y, .label = std::string(name_of(kind))});
  for (const Index chain : {0, 8, 16 - 8 + 3})  // the ninth has the colour of the first
    panel.marks.push_back({.kind = line, .role = Role::chain, .chain = chain, .x = x, .y = y});
  picture.panels = {panel};
  const auto shape = [](const std::string& key) {  // without its horizontal position
    const std::size_t d = key.find(" d=\"M") + 5;
    return key.substr(0, d) + key.substr(key.find_first_not_of("0123456789.", d));
  };
  std::vector<std::string> shapes;
  for (const std::string& key : keys_of(svg_of(picture, {.width = 2000.0})))
    shapes.push_back(shape(key));
  ASSERT_EQ(shapes.size(), 8u);
  for (std::size_t a = 0; a < shapes.size(); ++a)
    for (std::size_t b = a + 1; b < shapes.size(); ++b) EXPECT_NE(shapes[a], shapes[b]);
}

// One dot of a Braille cell is half a column and a quarter line.
TEST(text, has_points_as_dots_in_their_places) {
  Picture picture{.kind = "t", .title = "Title", .words = "Words."};
  Panel panel{.x = {.low = 0.0, .high = 34.0}, .y = {.low = 0.0, .high = 8.0}};
  panel.marks = {{.kind = Mark::Kind::points, .x = {0.5, 2.5, 33.5}, .y = {7.5, 0.5, 0.5}}};
  picture.panels.push_back(panel);
  EXPECT_EQ(text_of(picture, {.width = 30, .height = 2}),
            "Title\n"
            "         8 │⠁\n"
            "         0 │ ⡀              ⢀\n"
            "            0              34\n"
            "Words.\n");
}

TEST(text, has_no_control_characters_of_names) {
  Picture picture = two_chains();
  picture.panels[0].title = "x\x1b[31m";
  picture.panels[0].y.rows = {"a\rb"};
  picture.panels[0].marks[0].label = "c\x07";
  const std::string text = text_of(picture);
  EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) {
    return c >= 0 && c < 0x20 && c != '\n';
  })) << text;
  EXPECT_NE(text.find("x?[31m"), std::string::npos);
}

TEST(text, has_intervals_in_their_rows_and_bars_from_the_bottom) {
  Picture picture{.kind = "t", .title = "T", .words = ""};
  Panel panel{.x = {.low = 0.0, .high = 10.0}};
  panel.y.rows = {"mu", "tau"};
  panel.marks = {
      {.kind = Mark::Kind::intervals,
       .role = Role::interval,
       .x = {0.5, 2.5},
       .y = {0.0, 1.0},
       .x2 = {4.5, 9.5}},
      {.kind = Mark::Kind::points, .role = Role::observed, .x = {2.5, 5.5}, .y = {0.0, 1.0}}};
  picture.panels = {panel};
  EXPECT_EQ(
      text_of(picture, {.width = 23}),
      "T\nshown:  ─ interval  ● observed\n        mu │──●──\n       tau │  ───●────\n            "
      "0       10\n\n");
  Panel bars{.x = {.low = 0.0, .high = 10.0, .is_hidden = true},
             .y = {.low = 0.0, .high = 2.0, .is_hidden = true}};
  bars.marks = {{.kind = Mark::Kind::bars,
                 .role = Role::replicate,
                 .x = {0.0, 5.0},
                 .y = {0.0, 0.0},
                 .x2 = {5.0, 9.99},
                 .y2 = {2.0, 0.5}}};
  picture.panels = {bars};
  EXPECT_EQ(text_of(picture, {.width = 23, .height = 2}),
            "T\n           │█████\n           │█████▄▄▄▄\n\n");
}

}  // namespace
}  // namespace credo::report::picture_test
