// Claims about tables as data.
#include "io/data/table_reader.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "io/number_text.hpp"

namespace credo::io::table_reader_test {
namespace {
using Texts = std::vector<std::string>;
using Ints = std::vector<std::int32_t>;
using Reals = std::vector<double>;

DataTable read(std::string_view text, TableOptions options = {}) {
  TableReader reader("t.csv", std::move(options));
  reader.feed(text, true);
  return reader.finish();
}
TableOptions with_uses(std::string_view uses) {
  TableOptions options;
  options.uses = parse_column_uses(uses);
  return options;
}
Ints ints(const DataTable& table, const std::string& name) {
  const Wanted wanted{name, "array[] int", "", table.find(name)->dims};
  return int_values(table, wanted);
}
Reals reals(const DataTable& table, const std::string& name) {
  const Wanted wanted{name, "vector", "", table.find(name)->dims};
  return real_values(table, wanted);
}

template <class Work>
void expect_error(Work work, std::string_view where, std::string_view words) {
  try {
    work();
    ADD_FAILURE() << "no error with " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), where) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}
void expect_refused(std::string_view text, std::string_view where, std::string_view words,
                    TableOptions options = {}) {
  expect_error([&] { (void)read(text, options); }, where, words);
}

TEST(table, columns_are_arrays_of_their_names_and_kinds) {
  const DataTable table = read("n,x,g\n1,0.5,b\n-2,3,a\n+3,1e3,b\n");
  EXPECT_EQ(table.names(), (Texts{"n", "x", "g"}));
  EXPECT_EQ(ints(table, "n"), (Ints{1, -2, 3}));
  EXPECT_EQ(reals(table, "n"), (Reals{1, -2, 3}));
  EXPECT_EQ(reals(table, "x"), (Reals{0.5, 3, 1000}));
  EXPECT_EQ(ints(table, "g"), (Ints{2, 1, 2}));
  EXPECT_EQ(table.find("g")->column->levels, (Texts{"a", "b"}));
  EXPECT_EQ(table.find("n")->dims, std::vector<Index>{3});
}

TEST(table, quotes_line_ends_marks_and_comments_read_as_in_rfc_4180) {
  const DataTable table = read(
      "\xEF\xBB\xBF# made by hand\r\n\"a, b\",\"say \"\"x\"\"\", c \r\n\"1\",\"two\nlines\", 3 "
      "\r\n4,\"\"\"\",5");
  EXPECT_EQ(table.names(), (Texts{"a_b", "say_x", "c"}));
  EXPECT_EQ(ints(table, "a_b"), (Ints{1, 4}));
  EXPECT_EQ(table.find("say_x")->column->levels, (Texts{"\"", "two\nlines"}));
  EXPECT_EQ(ints(table, "c"), (Ints{3, 5}));
  EXPECT_EQ(table.find("c")->column->where(1), "t.csv:5");  // behind a cell of two lines
}

TEST(table, factors_have_the_texts_in_order_numbers_by_size) {
  const DataTable table =
      read("year,day\n1999,Tue\n872,Mon\n1999,Wed\n", with_uses("y=factor(year),d=day"));
  EXPECT_EQ(ints(table, "y"), (Ints{2, 1, 2}));
  EXPECT_EQ(table.find("y")->column->levels, (Texts{"872", "1999"}));
  EXPECT_EQ(ints(table, "d"), (Ints{2, 1, 3}));
  expect_error([&] { (void)reals(table, "d"); }, "t.csv:1",
               "is a factor with 3 levels (Mon, Tue, Wed)");
}

TEST(table, truths_are_ones_and_zeros) {
  EXPECT_EQ(ints(read("a\nTRUE\nFALSE\ntrue\n"), "a"), (Ints{1, 0, 1}));
}

TEST(table, whole_numbers_written_with_a_point_are_ints_where_ints_are_wanted) {
  EXPECT_EQ(ints(read("a\n1.0\n2e1\n"), "a"), (Ints{1, 20}));
  expect_error([] { (void)ints(read("a\n1.0\n2.5\n"), "a"); }, "t.csv:2", "1.0");
  expect_error([] { (void)ints(read("a\n1\n3000000000\n"), "a"); }, "t.csv:3", "3000000000");
}

TEST(table, columns_are_renamed_joined_and_found_by_either_name) {
  const DataTable table = read("log.mass,height,2010\n1,4,7\n2,5,8\n3,6.5,9\n",
                               with_uses("X=[log_mass,height],y=height"));
  EXPECT_EQ(table.names(), (Texts{"x2010", "X", "y"}));
  EXPECT_EQ(table.find("X")->dims, (std::vector<Index>{3, 2}));
  EXPECT_EQ(reals(table, "X"), (Reals{1, 4, 2, 5, 3, 6.5}));
  EXPECT_EQ(reals(table, "y"), (Reals{4, 5, 6.5}));
  EXPECT_EQ(table.notes().size(), 1u);
  EXPECT_EQ(table.find("X")->column->where(5), "t.csv:4");
}

TEST(table, a_missing_value_is_refused_where_it_is_asked_for_with_its_row) {
  const DataTable table = read("a,b,c\n1,2,x\n,3,NA\n4,NaN,y\n");
  expect_error([&] { (void)ints(table, "a"); }, "t.csv:3", "no value in row 2");
  expect_error([&] { (void)reals(table, "b"); }, "t.csv:4", "no value in row 3");
  expect_error([&] { (void)ints(table, "c"); }, "t.csv:3", "values are missing in 1 of 3 cells");
}

TEST(table, missing_values_are_listed_where_that_is_asked) {
  TableOptions options;
  options.lists_missing = true;
  const DataTable table = read("a,b,g\n,1,u\n0.5,2,\n,3,v\n2,4,u\n", options);
  EXPECT_EQ(reals(table, "a"), (Reals{0.5, 2}));
  EXPECT_EQ(ints(table, "a_observed"), (Ints{2, 4}));
  EXPECT_EQ(ints(table, "a_missing"), (Ints{1, 3}));
  EXPECT_EQ(ints(table, "g"), (Ints{1, 2, 1}));
  EXPECT_EQ(ints(table, "g_observed"), (Ints{1, 3, 4}));
  EXPECT_EQ(table.find("b_missing")->num_elements(), 0);
  EXPECT_EQ(ints(table, "b_observed"), (Ints{1, 2, 3, 4}));
  EXPECT_EQ(table.find("a")->column->where(1), "t.csv:5");
  expect_error([&] { (void)reals(table, "a_observed"); }, "t.csv:1", "these are numbers of rows");
}

TEST(table, a_text_among_numbers_is_refused_where_it_is_asked_for) {
  const DataTable table = read("a,b\n1,x\n<5,2\n3,y\n");
  expect_error([&] { (void)reals(table, "a"); }, "t.csv:3", "`<5` is no number");
  expect_error([&] { (void)ints(table, "b"); }, "t.csv:3", "`2` is no number");
}

TEST(table, a_line_of_nothing_is_a_missing_value_of_a_single_column_only) {
  const DataTable table = read("a\n1\n\n2\n\n\n");
  EXPECT_EQ(table.find("a")->dims, std::vector<Index>{3});
  EXPECT_EQ(table.find("a")->column->missing, std::vector<Index>{1});
  expect_refused("a,b\n1,2\n\n3,4\n", "t.csv:3", "an empty line among the rows");
  EXPECT_EQ(ints(read("a,b\n1,2\n\n\n"), "b"), Ints{2});
}

TEST(table, faults_of_a_file_are_told_with_their_lines) {
  expect_refused("", "t.csv", "the file is empty");
  expect_refused("a,b\n1,2\n3\n", "t.csv:3", "a row of 1 cells, the first row names 2 columns");
  expect_refused("a,b\n1,2,3\n", "t.csv:2", "put a name for it");
  expect_refused("a,b,a\n1,2,3\n", "t.csv:1", "two columns have the name a: numbers 1 and 3");
  expect_refused("a.b,a_b\n1,2\n", "t.csv:1", "would both be called a_b");
  expect_refused("1,2\n3,4\n", "t.csv:1", "no names of columns");
  expect_refused("a;b\n1;2\n", "t.csv:1", "--separator semicolon");
  expect_refused("a\tb\n1\t2\n", "t.csv:1", "--separator tab");
  expect_refused("a,b\n\"x,1\n2,3\n", "t.csv:2", "a quote isn't closed");
  expect_refused("a,b\n\"x\"y,1\n", "t.csv:2", "text behind a closing quote");
  expect_refused("a,b\r1,2\r3,4\r", "t.csv:1", "a carriage return within a line");
  expect_refused(std::string_view("a,b\n1,\0\n", 8), "t.csv:2", "a byte that is 0");
  expect_refused("g\xFC,b\n1,2\n", "t.csv:1", "isn't UTF-8");
  expect_refused("a\nM\xFCnchen\n", "t.csv", "isn't UTF-8");
  expect_refused(std::string_view("\xFF\xFE"
                                  "a\0,\0",
                                  6),
                 "t.csv:1", "the text is in UTF-16");
}

TEST(table, a_decimal_comma_goes_with_semicolons) {
  TableOptions options{.separator = ';', .decimal_comma = true};
  EXPECT_EQ(reals(read("a;b\n1,5;2\n-0,25;3,75\n", options), "a"), (Reals{1.5, -0.25}));
}

TEST(table, a_column_without_a_name_is_left_out_and_told) {
  const DataTable table = read("\"\",\"x\"\n\"1\",4\n\"2\",5\n");
  EXPECT_EQ(table.names(), Texts{"x"});
  ASSERT_EQ(table.notes().size(), 1u);
  EXPECT_NE(table.notes()[0].text.find("column 1 of t.csv has no name"), std::string::npos);
}

// The same table in pieces of every size, with cells that contain every sign that means something.
TEST(table, pieces_change_nothing) {
  const std::string text =
      "a,\"b\"\"c\",d\r\n1,\"x, y\",2.5\n,\"line\nbreak\",NA\r\n-3,\"\",1e-3\n4,plain,\"7\"";
  const DataTable whole = read(text);
  for (std::size_t size = 1; size < text.size(); ++size) {
    TableReader reader("t.csv", {});
    for (std::size_t at = 0; at < text.size(); at += size)
      reader.feed(std::string_view(text).substr(at, size), false);
    reader.feed({}, true);
    const DataTable parts = reader.finish();
    ASSERT_EQ(parts.names(), whole.names());
    for (const std::string& name : whole.names()) {
      const DataValue &a = *whole.find(name), &b = *parts.find(name);
      EXPECT_EQ(a.integers, b.integers);
      EXPECT_EQ(a.reals.size(), b.reals.size());
      EXPECT_EQ(a.column->levels, b.column->levels);
      EXPECT_EQ(a.column->missing, b.column->missing);
      for (Index row = 0; row < 4; ++row) EXPECT_EQ(a.column->where(row), b.column->where(row));
    }
  }
}

// Numbers that are written and read keep their bits, and their order.
TEST(table, random_numbers_come_back_bit_for_bit) {
  Rng rng(StreamKey{.seed = 7, .purpose = 0, .chain = 0, .iteration = 0});
  std::string text = "x,n\n";
  Reals x;
  Ints n;
  for (int k = 0; k < 5000; ++k) {
    x.push_back(std::ldexp(rng.normal(), k % 600 - 300));
    n.push_back(static_cast<std::int32_t>(rng.uniform(-2147483648.0, 2147483647.0)));
    append_number(text, x.back());
    text += ',';
    append_number(text, static_cast<std::int64_t>(n.back()));
    text += '\n';
  }
  const DataTable table = read(text);
  EXPECT_EQ(reals(table, "x"), x);
  EXPECT_EQ(ints(table, "n"), n);
}

TEST(column_uses, are_read_as_they_are_documented) {
  const auto uses =
      parse_column_uses("y = weight, X=[a b, \"c,d\"],g=factor(year (AD)),z=\"p, q\"");
  ASSERT_EQ(uses.size(), 4u);
  EXPECT_EQ(uses[1].columns, (Texts{"a b", "c,d"}));
  EXPECT_TRUE(uses[1].matrix);
  EXPECT_EQ(uses[2].columns, Texts{"year (AD)"});
  EXPECT_TRUE(uses[2].factor);
  EXPECT_EQ(uses[3].columns, Texts{"p, q"});
  for (const char* wrong :
       {"weight", "2=x", "y=", "y=\"a", "y=factor(a", "X=[a,b", "y=[]", "y=a,,z=b", "y=\"a\"b"})
    EXPECT_THROW((void)parse_column_uses(wrong), Error) << wrong;
}

TEST(data_recipe, is_a_path_where_that_says_it_all_and_reads_back_else) {
  EXPECT_EQ(
      (DataRecipe{.files = {"a.csv"}, .columns = {}, .missing = "refuse", .separator = {}}.text()),
      "a.csv");
  const DataRecipe all{.files = {"a.csv", "{b}.json"},
                       .columns = {"y=x"},
                       .missing = "list",
                       .separator = "semicolon"};
  const DataRecipe back = parse_data_recipe(all.text());
  EXPECT_EQ(back.files, all.files);
  EXPECT_EQ(back.columns, all.columns);
  EXPECT_EQ(back.missing, all.missing);
  EXPECT_EQ(back.separator, all.separator);
  const DataRecipe strange{.files = {"{a"}, .columns = {}, .missing = {}, .separator = {}};
  EXPECT_EQ(parse_data_recipe(strange.text()).files, strange.files);
  EXPECT_THROW((void)parse_data_recipe("{\"file\": 1}"), Error);
}

TEST(column_names, become_names_that_programs_can_have) {
  for (const auto& [column, name] :
       std::vector<std::pair<std::string, std::string>>{{"a__b", "a__b"},
                                                        {"log.mass", "log_mass"},
                                                        {"mass (kg)", "mass_kg"},
                                                        {"2010", "x2010"},
                                                        {"_a", "a"},
                                                        {"a__", "a"},
                                                        {"gr\xC3\xB6\xC3\x9F"
                                                         "e",
                                                         "gr_e"},
                                                        {"%", "x"}})
    EXPECT_EQ(name_for_programs(column), name) << column;
}
}  // namespace
}  // namespace credo::io::table_reader_test
