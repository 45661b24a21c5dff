// A JSON text as a tree, for small files that hold words as well as numbers. Data of programs are
// read by io/json_reader.hpp, which is made for size.
#pragma once
#include "base/types.hpp"

namespace credo::io {

struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  bool truth = false;
  double number = 0.0;
  std::string text;                                        // text of a string, UTF-8
  std::vector<JsonValue> items;                            // of an array
  std::vector<std::pair<std::string, JsonValue>> members;  // of an object, in the order of the file
  std::string where;                                       // "file:line:column"
  std::size_t begin = 0, end = 0;                          // its bytes in the text that was parsed

  JsonValue();  // null; a class that holds itself in pairs needs one that isn't implicit

  const JsonValue* find(std::string_view name) const;  // a member; nullptr: not there

  // The value, or Error{data} that names the place, `what` it should be, and the value found.
  double as_number(std::string_view what) const;
  const std::string& as_string(std::string_view what) const;
  const std::vector<JsonValue>& as_array(std::string_view what) const;
  std::vector<double> as_numbers(std::string_view what) const;  // an array of numbers
  std::vector<std::string> as_strings(std::string_view what) const;
};

// "an array of 3", "the number 2.5", "the string \"a\"".
std::string describe(const JsonValue& value);

// One value and nothing behind it. Names of an object must differ; depth is at most 64. Throws
// Error{data}.
JsonValue parse_json_value(std::string_view text, const std::string& source);

// The text in quotes, as JSON has it.
std::string json_string(std::string_view text);

}  // namespace credo::io
