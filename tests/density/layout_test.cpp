// Names and places of elements: closed cases, and random layouts against a count by hand.
#include "density/layout.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace credo::density::layout_test {
namespace {

TEST(layout, the_first_index_varies_fastest) {
  const Layout layout({{.name = "mu"}, {.name = "B", .dims = {2, 3}}});
  EXPECT_EQ(layout.element_names(),
            (std::vector<std::string>{"mu", "B.1.1", "B.2.1", "B.1.2", "B.2.2", "B.1.3", "B.2.3"}));
}

TEST(layout, arrays_around_matrices_lie_as_in_memory) {
  const Layout layout({{.name = "a", .dims = {2, 2, 2}, .num_outer = 1}});
  EXPECT_EQ(layout.element_names(),
            (std::vector<std::string>{"a.1.1.1", "a.1.2.1", "a.1.1.2", "a.1.2.2", "a.2.1.1",
                                      "a.2.2.1", "a.2.1.2", "a.2.2.2"}));
}

TEST(layout, each_name_finds_its_element) {
  Rng rng({.seed = 7, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  for (int attempt = 0; attempt < 200; ++attempt) {
    Layout layout;
    for (const char* name : {"x", "y:2", "z"}) {
      Variable variable{.name = name};
      for (Index d = rng.index_below(4); d > 0; --d) variable.dims.push_back(rng.index_below(4));
      variable.num_outer = rng.index_below(ssize(variable.dims) + 1);
      layout.add(variable);
    }
    const std::vector<std::string> names = layout.element_names();
    ASSERT_EQ(ssize(names), layout.size());
    for (Index k = 0; k < layout.size(); ++k) {
      EXPECT_EQ(layout.element_name(k), names[static_cast<std::size_t>(k)]);
      EXPECT_EQ(layout.find(names[static_cast<std::size_t>(k)]), k);
    }
  }
}

TEST(layout, brackets_mean_dots) {
  const Layout layout({{.name = "B", .dims = {2, 3}}});
  EXPECT_EQ(layout.find("B[2, 3]"), 5);
  EXPECT_EQ(layout.find("B[2,3]"), layout.find("B.2.3"));
}

TEST(layout, what_is_no_element_is_not_found) {
  const Layout layout({{.name = "B", .dims = {2, 3}}, {.name = "mu"}});
  for (const char* name : {"B", "B.1", "B.3.1", "B.0.1", "B.1.1.1", "B.1.x", "mu.1", "", "B[2,3",
                           "]", "B.-1.1", "B.99999999999999999999.1"})
    EXPECT_FALSE(layout.find(name)) << name;
}

TEST(layout, a_variable_that_is_kept_in_part_becomes_scalars) {
  const Layout layout(
      {{.name = "a", .dims = {2}},
       {.name = "none", .dims = {0}},
       {.name = "b", .dims = {3}, .kind = Kind::whole, .block = Block::parameters}});
  const Layout kept = layout.selected(std::array<Index, 4>{0, 1, 2, 4});
  ASSERT_EQ(ssize(kept.variables()), 3);
  EXPECT_EQ(kept.variables()[0], layout.variables()[0]);
  EXPECT_EQ(kept.variables()[2],
            (Variable{.name = "b.3", .dims = {}, .kind = Kind::whole, .block = Block::parameters}));
  EXPECT_EQ(kept.find("b.3"), 3);
}

TEST(layout, names_of_files_tell_the_sizes_where_they_are_complete) {
  const std::vector<std::string> names{"m", "B.1.1", "B.2.1", "c.2", "c.4", "t:1.1"};
  const Layout layout = layout_of_names(names);
  EXPECT_EQ(layout.element_names(), names);
  EXPECT_EQ(layout.variables()[1].dims, (std::vector<Index>{2, 1}));
  EXPECT_EQ(layout.variables()[2].name, "c.2");  // 2 of at least 4
}

TEST(layout, ten_million_elements_are_described_at_once) {
  const Layout layout({{.name = "x", .dims = {1000, 10000}}});
  EXPECT_EQ(layout.element_name(9'999'999), "x.1000.10000");
  EXPECT_EQ(layout.find("x.1000.10000"), 9'999'999);
}

}  // namespace
}  // namespace credo::density::layout_test
