// Claims about what a declaration gets from data.
#include "io/data/data_table.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/json_reader.hpp"

namespace credo::io::data_table_test {
namespace {
DataTable parse(std::string_view text) { return parse_json_data(text, "d.json"); }

Wanted wanted(const char* name, const char* type, std::vector<Index> dims = {}) {
  return {.name = name, .type = type, .declared_at = "m.stan:2:3", .dims = std::move(dims)};
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error.what();
  }
}

TEST(declared_data, integers_serve_as_int_and_as_real) {
  const DataTable data = parse(R"({"x": [1, 2, 3]})");
  EXPECT_EQ(int_values(data, wanted("x", "array[3] int", {3})),
            (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(real_values(data, wanted("x", "vector[3]", {3})), (std::vector<double>{1, 2, 3}));
}

TEST(declared_data, a_real_is_no_int_and_the_message_says_which_number_and_where_it_was_declared) {
  const DataTable data = parse("{\"x\": [1,\n 3.0]}");
  EXPECT_EQ(error_of([&] { (void)int_values(data, wanted("x", "array[2] int", {2})); }),
            "d.json:2:2: variable x: found 3.0 (an int is written without point or exponent and "
            "fits 32 bits), "
            "expected array[2] int (size 2), declared at m.stan:2:3 (write 3)");
  const DataTable wide = parse(R"({"x": 2147483648})");
  EXPECT_NE(error_of([&] { (void)int_values(wide, wanted("x", "int")); }).find("found 2147483648"),
            std::string::npos);
}

TEST(declared_data, another_shape_is_refused_with_both_shapes) {
  const DataTable data = parse(R"({"x": [[1, 2, 3], [4, 5, 6]], "s": 3, "v": [3]})");
  EXPECT_EQ(error_of([&] {
              (void)real_values(data, wanted("x", "matrix[3, 2]", {3, 2}));
            }),
            "d.json:1:7: variable x: found an array of 2 x 3 integers, expected matrix[3, 2] "
            "(sizes 3 x 2), declared at "
            "m.stan:2:3 (transpose it: a matrix is a list of its rows)");
  EXPECT_NE(error_of([&] { (void)real_values(data, wanted("s", "vector[1]", {1})); }), "");
  EXPECT_NE(error_of([&] { (void)real_values(data, wanted("v", "real")); }), "");
}

TEST(declared_data, elements_and_names_are_found_in_the_text) {
  const DataTable data = parse("{\"x\": [[1, \"NaN\", 3],\n  [4, 5, 6]], \"s\": -3}");
  EXPECT_EQ(data.where_element("x", 0), "d.json:1:9");
  EXPECT_EQ(data.where_element("x", 1), "d.json:1:12");
  EXPECT_EQ(data.where_element("x", 5), "d.json:2:10");
  EXPECT_EQ(data.where_element("s", 0), "d.json:2:20");
  EXPECT_EQ(data.where_name("s"), "d.json:2:15");
}

TEST(declared_data, a_missing_variable_is_an_error_unless_it_has_no_elements) {
  const DataTable data = parse(R"({"Sigma": 1})");
  EXPECT_EQ(error_of([&] { (void)real_values(data, wanted("y", "vector[2]", {2})); }),
            "d.json: variable y is not in the data, expected vector[2] (size 2), declared at "
            "m.stan:2:3 (add \"y\" to "
            "the file)");
  EXPECT_NE(error_of([&] {
              (void)real_values(data, wanted("sigma", "real"));
            }).find("the file has \"Sigma\""),
            std::string::npos);
  EXPECT_TRUE(real_values(data, wanted("y", "vector[0]", {0})).empty());
  EXPECT_TRUE(int_values(data, wanted("y", "array[3, 0] int", {3, 0})).empty());
}

TEST(declared_data, an_empty_array_stands_for_every_type_without_elements_and_no_other) {
  const DataTable data = parse(R"({"x": [], "y": [[], []]})");
  EXPECT_TRUE(real_values(data, wanted("x", "matrix[0, 3]", {0, 3})).empty());
  EXPECT_TRUE(real_values(data, wanted("x", "matrix[2, 0]", {2, 0})).empty());
  EXPECT_TRUE(real_values(data, wanted("y", "matrix[2, 0]", {2, 0})).empty());
  EXPECT_TRUE(real_values(data, wanted("y", "array[2] matrix[0, 4]", {2, 0, 4})).empty());
  EXPECT_NE(error_of([&] { (void)real_values(data, wanted("y", "matrix[3, 0]", {3, 0})); }), "");
  EXPECT_NE(error_of([&] { (void)real_values(data, wanted("x", "vector[2]", {2})); }), "");
}

TEST(declared_data, slots_of_tuples_are_checked_for_their_number) {
  const DataTable data =
      parse(R"({"t": [{"1": 1, "2": [2.5, 3]}, {"1": 4, "2": [5, 6]}], "x": 1})");
  const auto slots =
      tuple_slots(data.find("t"), 2, wanted("t", "array[2] tuple(int, vector[2])", {2}), "d.json");
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_EQ(int_values(&slots[0], wanted("t.1", "int", {2}), "d.json"),
            (std::vector<std::int32_t>{1, 4}));
  EXPECT_EQ(real_values(&slots[1], wanted("t.2", "vector[2]", {2, 2}), "d.json"),
            (std::vector<double>{2.5, 3, 5, 6}));
  const Wanted three = wanted("t", "array[2] tuple(int, int, int)", {2});
  EXPECT_NE(error_of([&] {
              (void)tuple_slots(data.find("t"), 3, three, "d.json");
            }).find("found an array of 2 tuples of 2"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              (void)tuple_slots(data.find("x"), 2, wanted("x", "tuple(int, int)"), "d.json");
            }),
            "");
  EXPECT_NE(
      error_of([&] { (void)tuple_slots(nullptr, 2, wanted("z", "tuple(int, int)"), "d.json"); }),
      "");
  EXPECT_TRUE(
      tuple_slots(nullptr, 2, wanted("z", "array[0] tuple(int, int)", {0}), "d.json").empty());
  EXPECT_NE(error_of([&] { (void)real_values(data, wanted("t", "array[2] real", {2})); }), "");
}

TEST(declared_data, complex_numbers_are_an_innermost_level_of_two) {
  const DataTable data = parse(R"({"z": [[1, 2], [3, 4.5], [0, -1]]})");
  EXPECT_EQ(real_values(data, wanted("z", "complex_vector[3]", {3, 2})),
            (std::vector<double>{1, 2, 3, 4.5, 0, -1}));
}
}  // namespace
}  // namespace credo::io::data_table_test
