#include "io/json_value.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace credo::io::json_value_test {
namespace {

TEST(json_value, holds_what_the_text_says) {
  const JsonValue value = parse_json_value(
      R"( {"a": [1, -2.5e3, true, null], "b": {"c": "x\n\"\u00e9"}, "d": []} )", "f.json");
  const auto& a = value.find("a")->as_array("a");
  EXPECT_EQ(a.size(), 4u);
  EXPECT_EQ(a[1].as_number("a"), -2500.0);
  EXPECT_TRUE(a[2].truth);
  EXPECT_EQ(a[3].kind, JsonValue::Kind::null);
  EXPECT_EQ(value.find("b")->find("c")->as_string("c"), "x\n\"\xc3\xa9");
  EXPECT_TRUE(value.find("d")->as_numbers("d").empty());
  EXPECT_EQ(value.find("e"), nullptr);
}

std::string fault_of(std::string_view text) {
  try {
    parse_json_value(text, "f.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(json_value, says_where_a_text_is_wrong) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "f.json:1:1: not valid JSON: the text ends too early"},
      {"[1,\n 2", "f.json:2:3: not valid JSON: expected ']'"},
      {"{\"a\": 1, \"a\": 2}", "'a' is given twice"},
      {"[1] 2", "f.json:1:5: not valid JSON: nothing may follow"},
      {"[1, nan]", "'nan' is no value"},
      {"[1, 0x1]", "'0x1' is no value"},
      {"{a: 1}", "expected a string in double quotes"},
      {"[\"a\nb\"]", "the string doesn't end in its line"},
      {"[\"\\q\"]", "an escape must be"},
      {"[\"\\u12g4\"]", "four hexadecimal digits"},
      {"[\"\\ud800\"]", "surrogate"},
      {"[,]", "expected a value"},
      {std::string(100, '['), "nested more than 64 deep"}};
  for (const auto& [text, words] : cases)
    EXPECT_NE(fault_of(text).find(words), std::string::npos) << text << "\n" << fault_of(text);
}

TEST(json_value, says_what_was_wanted_and_what_was_found) {
  const JsonValue value = parse_json_value("{\"rows\":\n [1, \"x\"]}", "f.json");
  try {
    value.find("rows")->as_numbers("a row");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f.json:2:6: a row must be a number, found the string \"x\"");
  }
}

}  // namespace
}  // namespace credo::io::json_value_test
