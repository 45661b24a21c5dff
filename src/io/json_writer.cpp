#include "io/json_writer.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/number_text.hpp"

namespace credo::io {
namespace {
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < ' ') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}
}  // namespace

JsonWriter& JsonWriter::begin_object() { return open('{'); }
JsonWriter& JsonWriter::end_object() { return close('}'); }
JsonWriter& JsonWriter::begin_array() { return open('['); }
JsonWriter& JsonWriter::end_array() { return close(']'); }

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(text_, name);
  text_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  separate();
  if (std::isfinite(value)) {
    append_number(text_, value);
  } else {
    text_ += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Inf\"" : "\"-Inf\"";
  }
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  separate();
  append_number(text_, value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  text_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view value) {
  separate();
  append_quoted(text_, value);
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

JsonWriter& JsonWriter::numbers(std::span<const double> values) {
  begin_array();
  for (const double value : values) number(value);
  return end_array();
}

JsonWriter& JsonWriter::line_break() {
  break_line_ = true;
  return *this;
}

const std::string& JsonWriter::text() const {
  CREDO_ASSERT(depth_ == 0, "every object and array is closed before the text is taken");
  return text_;
}

void JsonWriter::separate() {
  if (!first_ && !after_key_) text_ += ',';
  if (std::exchange(break_line_, false)) text_ += '\n';
  first_ = after_key_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
  ++depth_;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  CREDO_ASSERT(depth_ > 0, "more objects and arrays are closed than opened");
  if (std::exchange(break_line_, false)) text_ += '\n';
  text_ += bracket;
  first_ = false;
  --depth_;
  return *this;
}

}  // namespace credo::io
