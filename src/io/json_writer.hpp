// JSON output, value by value; commas and nesting are kept here.
//
//   JsonWriter json;
//   json.begin_object().key("mean").number(4.4).key("draws").numbers(draws).end_object();
//   json.object("mean", 4.4, "draws", draws);  // the same
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

  // A number, flag, text, null for an optional without value, or an array of any of these.
  template <class T>
  JsonWriter& value(const T& x) {
    if constexpr (std::is_same_v<T, bool>)
      return boolean(x);
    else if constexpr (std::is_integral_v<T>)
      return integer(static_cast<std::int64_t>(x));
    else if constexpr (std::is_floating_point_v<T>)
      return number(x);
    else if constexpr (std::is_convertible_v<const T&, std::string_view>)
      return string(x);
    else if constexpr (requires { x.has_value(); })
      return x.has_value() ? value(*x) : null();
    else
      return array(x, [this](const auto& item) { value(item); });
  }
  JsonWriter& members() { return *this; }
  // Names and values in turn.
  template <class T, class... Rest>
  JsonWriter& members(std::string_view name, const T& x, const Rest&... rest) {
    return key(name).value(x).members(rest...);
  }
  template <class... Members>
  JsonWriter& object(const Members&... all) {
    return begin_object().members(all...).end_object();
  }
  // An array of what write(item) writes.
  template <class Items, class Write>
  JsonWriter& array(const Items& items, Write write) {
    begin_array();
    for (const auto& item : items) write(item);
    return end_array();
  }
  // Writes an array with each item on a line.
  template <class Items, class Write>
  JsonWriter& lines(const Items& items, Write write) {
    return array(items, [&](const auto& item) { line_break(), write(item); });
  }

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

// For figures that are null where they aren't defined.
inline std::optional<double> if_finite(double x) {
  return std::isfinite(x) ? std::optional(x) : std::nullopt;
}

}  // namespace credo::io
