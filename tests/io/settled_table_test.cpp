// Tables after --missing and --levels: which rows and codes a program sees.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/data/data_files.hpp"
#include "io/data/level_order.hpp"
#include "io/data/settled_table.hpp"

namespace credo::io::settled_table_test {
namespace {
using Ints = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

DataTable read(const std::string& text, const DataRecipe& recipe, const Texts& declared) {
  DataRecipe own = recipe;
  own.files = {"t.csv"};
  return settled(
      read_data(own.text(), [&](const std::string&) -> const std::string& { return text; }),
      declared);
}
std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.where() + " " + error.message() + " " + error.hint();
  }
  return "no error";
}
void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

constexpr const char* kText = "a,b,g\n1,2,u\n,3,v\n4,,w\n5,6,u\n";

TEST(settled_table, drops_rows_that_lack_a_declared_value_and_keeps_their_lines) {
  const DataRecipe drop{.missing = "drop"};
  const DataTable all = read(kText, drop, {"a", "b", "g"});
  EXPECT_EQ(all.find("a")->integers, (Ints{1, 5}));
  EXPECT_EQ(all.find("g")->integers, (Ints{1, 1}));
  EXPECT_EQ(all.find("g")->column->levels, Texts{"u"});
  EXPECT_EQ(all.find("a")->column->where(1), "t.csv:5");
  const DataTable some = read(kText, drop, {"a"});
  EXPECT_EQ(some.find("a")->integers, (Ints{1, 4, 5}));
  EXPECT_EQ(some.find("a")->column->where(1), "t.csv:4");
  ASSERT_EQ(some.notes().size(), 2u);
  EXPECT_EQ(some.notes()[0].text,
            "1 of 4 rows of t.csv has no value in a and is left out: row 2 (line 3)");
  EXPECT_TRUE(some.notes()[0].is_loss);
}

TEST(settled_table, drops_rows_of_matrices_and_of_what_isnt_declared_alike) {
  const DataRecipe drop{.columns = {"X=[a,b]"}, .missing = "drop"};
  const DataTable table = read(kText, drop, {"X"});
  EXPECT_EQ(table.find("X")->integers, (Ints{1, 2, 5, 6}));
  EXPECT_EQ(table.find("X")->dims, (std::vector<Index>{2, 2}));
  EXPECT_EQ(table.find("g")->dims, std::vector<Index>{2});
}

TEST(settled_table, keeps_gaps_as_nan_in_numbers_alone) {
  const DataTable table = read("a,g\n1,u\n,v\n3,\n", {.missing = "nan"}, {"a", "g"});
  const DataValue& a = *table.find("a");
  ASSERT_EQ(a.reals.size(), 3u);
  EXPECT_EQ(a.reals[2], 3.0);
  EXPECT_TRUE(std::isnan(a.reals[1]));
  EXPECT_EQ(a.column->gaps, std::vector<Index>{1});
  const auto wanted = [](const char* name) {
    return Wanted{.name = name, .type = "array[3] int", .declared_at = {}, .dims = {3}};
  };
  expect_contains(error_of([&] { (void)int_values(table, wanted("a")); }), "an int can't be NaN");
  expect_contains(error_of([&] { (void)int_values(table, wanted("g")); }), "t.csv:4");
}

TEST(settled_table, a_listed_column_needs_its_list_of_rows) {
  const DataRecipe list{.missing = "list"};
  (void)read(kText, list, {"a", "a_observed", "g"});
  (void)read(kText, list, {"g"});
  expect_contains(error_of([&] {
                    (void)read(kText, list, {"a", "a_observed", "b"});
                  }),
                  "variable b: 1 of 4 values of column b are missing");
}

TEST(level_orders, put_codes_into_their_order_and_refuse_others) {
  const auto with = [](const char* order) {
    return DataRecipe{.levels = parse_level_orders(order)};
  };
  EXPECT_EQ(read(kText, with("g=[w,u,v]"), {"g"}).find("g")->integers, (Ints{2, 3, 1, 2}));
  EXPECT_EQ(read(kText, with("g=[v,...]"), {"g"}).find("g")->column->levels,
            (Texts{"v", "u", "w"}));
  const DataTable more = read(kText, with("g=[x,u,v,w]"), {"g"});
  EXPECT_EQ(more.find("g")->column->num_codes, 4);
  ASSERT_EQ(more.notes().size(), 1u);
  EXPECT_EQ(more.notes()[0].text, "no row has level x of g");
  expect_contains(error_of([&] { (void)read(kText, with("g=[u,v]"), {"g"}); }),
                  "t.csv:4 variable g: column g has `w`, which isn't among the 2 levels");
  expect_contains(error_of([&] { (void)read(kText, with("h=[u]"), {"g"}); }), "no variable h");
  EXPECT_EQ(read("n\n10\n9\n", with("n=[10,9]"), {"n"}).find("n")->integers, (Ints{1, 2}));
}

TEST(level_orders, are_read_as_written_and_come_back_from_a_recipe) {
  const auto orders = parse_level_orders(R"(g=[c, "a, b","say ""x""",...],h=[1])");
  ASSERT_EQ(orders.size(), 2u);
  EXPECT_EQ(orders[0].levels, (Texts{"c", "a, b", "say \"x\""}));
  EXPECT_TRUE(orders[0].has_rest);
  DataRecipe recipe{.files = {"t.csv"}, .levels = orders};
  recipe.levels.push_back({.name = "k", .numbers = true, .of_fit = true});
  const DataRecipe back = parse_data_recipe(recipe.text());
  ASSERT_EQ(back.levels.size(), 3u);
  EXPECT_EQ(back.levels[0].levels, orders[0].levels);
  EXPECT_TRUE(back.levels[0].has_rest);
  EXPECT_TRUE(back.levels[2].numbers);
  EXPECT_TRUE(back.levels[2].of_fit);
  for (const char* wrong : {"g", "g=a", "g=[a", "g=[a,a]", "g=[...,a]", "g=[\"a]", "g=[]", "1=[a]"})
    EXPECT_THROW((void)parse_level_orders(wrong), Error) << wrong;
}

}  // namespace
}  // namespace credo::io::settled_table_test
