// JSON output, value by value; commas and nesting are kept here.
//
//   JsonWriter json;
//   json.begin_object().key("mean").number(4.4).key("draws").numbers(draws).end_object();
//   out.write(json.text());
#pragma once
#include "base/types.hpp"

namespace credo::io {

// Numbers in the shortest form that reads back as the same double; NaN and infinities as the
// strings "NaN", "Inf" and
// "-Inf", which CmdStan's data reader accepts. Strings must be UTF-8. Output is compact, keys in
// the order given.
class JsonWriter final {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& number(double value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& string(std::string_view value);
  JsonWriter& null();
  JsonWriter& numbers(std::span<const double> values);  // an array
  JsonWriter& line_break();                             // before the next value, for readable lists

  const std::string& text() const;  // everything must be closed

 private:
  void separate();
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);

  std::string text_;
  int depth_ = 0;
  bool first_ = true;  // no value at this level yet
  bool after_key_ = false;
  bool break_line_ = false;
};

}  // namespace credo::io
