// Recursive descent, one function for each production of RFC 8259; places are counted as the text
// is read.
#include "io/json_value.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/json_writer.hpp"
#include "io/number_text.hpp"

namespace credo::io {
namespace {
using Kind = JsonValue::Kind;
constexpr int kMaxDepth = 64;

class TreeParser {
 public:
  TreeParser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  JsonValue whole() {
    JsonValue result = value(0);
    skip_space();
    if (at_ < text_.size()) fail("nothing may follow the value");
    return result;
  }

 private:
  JsonValue value(int depth) {
    skip_space();
    if (depth > kMaxDepth) fail(fmt::format("nested more than {} deep", kMaxDepth));
    JsonValue result;
    result.where = place();
    result.begin = at_;
    switch (peek()) {
      case '{':
        object(result, depth);
        break;
      case '[':
        array(result, depth);
        break;
      case '"':
        result.kind = Kind::string;
        result.text = string();
        break;
      default:
        word(result);
    }
    result.end = at_;
    return result;
  }

  void object(JsonValue& result, int depth) {
    result.kind = Kind::object;
    take('{');
    if (accept('}')) return;
    do {
      skip_space();
      std::string name = string();
      if (result.find(name) != nullptr) fail(fmt::format("'{}' is given twice", name));
      take(':');
      JsonValue member = value(depth + 1);
      result.members.emplace_back(std::move(name), std::move(member));
    } while (accept(','));
    take('}');
  }

  void array(JsonValue& result, int depth) {
    result.kind = Kind::array;
    take('[');
    if (accept(']')) return;
    do result.items.push_back(value(depth + 1));
    while (accept(','));
    take(']');
  }

  std::string string() {
    if (peek() != '"') fail("expected a string in double quotes");
    ++at_;
    std::string result;
    while (peek() != '"') {
      if (at_ >= text_.size() || static_cast<unsigned char>(peek()) < 0x20)
        fail("the string doesn't end in its line");
      if (peek() == '\\') {
        ++at_;
        escape(result);
      } else {
        result += text_[at_++];
      }
    }
    ++at_;
    return result;
  }

  void escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeaning = "\"\\/\b\f\n\r\t";
    const char letter = peek();
    if (letter == 'u') return code_point(out);
    const std::size_t k = kLetters.find(letter);
    if (k == std::string_view::npos)
      fail("an escape must be one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    out += kMeaning[k];
    ++at_;
  }

  // \uXXXX; pairs of surrogates aren't needed for names and are refused.
  void code_point(std::string& out) {
    unsigned code = 0;
    for (std::size_t k = 1; k <= 4; ++k) {
      const char digit = at_ + k < text_.size() ? text_[at_ + k] : ' ';
      const std::size_t value_of =
          std::string_view("0123456789abcdef")
              .find(static_cast<char>(digit >= 'A' && digit <= 'F' ? digit + 32 : digit));
      if (value_of == std::string_view::npos) fail("\\u takes four hexadecimal digits");
      code = code * 16 + static_cast<unsigned>(value_of);
    }
    if (code >= 0xD800 && code < 0xE000) fail("\\u of a surrogate; write the character itself");
    at_ += 5;
    append_utf8(out, code);
  }

  static void append_utf8(std::string& out, unsigned code) {
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | code >> 6);
      out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      out += static_cast<char>(0xE0 | code >> 12);
      out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
      out += static_cast<char>(0x80 | (code & 0x3F));
    }
  }

  // true, false, null or a number.
  void word(JsonValue& result) {
    const std::size_t end = text_.find_first_of(" \t\r\n,:]}", at_);
    const std::string_view token = text_.substr(at_, end - at_);
    if (token.empty()) fail(at_ < text_.size() ? "expected a value" : "the text ends too early");
    if (token == "true" || token == "false") {
      result.kind = Kind::boolean;
      result.truth = token == "true";
    } else if (token != "null") {
      const bool starts_like_one = token[0] == '-' || (token[0] >= '0' && token[0] <= '9');
      const auto number = starts_like_one ? parse_number(token) : std::nullopt;
      if (!number) fail(fmt::format("'{}' is no value", token.substr(0, 40)));
      result.kind = Kind::number;
      result.number = *number;
    }
    at_ += token.size();
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void take(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}'", c));
  }

  std::string place() {
    for (; counted_ < at_; ++counted_) {
      ++column_;
      if (text_[counted_] == '\n') ++line_, column_ = 1;
    }
    return fmt::format("{}:{}:{}", source_, line_, column_);
  }
  [[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorCode::data, "not valid JSON: " + message, place());
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0, counted_ = 0;
  Index line_ = 1, column_ = 1;
};

[[noreturn]] void not_wanted(const JsonValue& value, std::string_view what,
                             std::string_view wanted) {
  throw Error(ErrorCode::data,
              fmt::format("{} must be {}, found {}", what, wanted, describe(value)), value.where);
}
}  // namespace

JsonValue::JsonValue() = default;

const JsonValue* JsonValue::find(std::string_view name) const {
  for (const auto& [key, member] : members) {
    if (key == name) return &member;
  }
  return nullptr;
}

double JsonValue::as_number(std::string_view what) const {
  if (kind != Kind::number) not_wanted(*this, what, "a number");
  return number;
}

const std::string& JsonValue::as_string(std::string_view what) const {
  if (kind != Kind::string) not_wanted(*this, what, "a string");
  return text;
}

const std::vector<JsonValue>& JsonValue::as_array(std::string_view what) const {
  if (kind != Kind::array) not_wanted(*this, what, "an array");
  return items;
}

std::vector<double> JsonValue::as_numbers(std::string_view what) const {
  std::vector<double> numbers;
  for (const JsonValue& item : as_array(what)) numbers.push_back(item.as_number(what));
  return numbers;
}

std::vector<std::string> JsonValue::as_strings(std::string_view what) const {
  std::vector<std::string> strings;
  for (const JsonValue& item : as_array(what)) strings.push_back(item.as_string(what));
  return strings;
}

std::string describe(const JsonValue& value) {
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.truth ? "true" : "false";
    case Kind::number:
      return "the number " + number_text(value.number);
    case Kind::string:
      return fmt::format("the string \"{}\"", value.text);
    case Kind::array:
      return fmt::format("an array of {}", value.items.size());
    case Kind::object:
      return "an object";
  }
  return {};
}

JsonValue parse_json_value(std::string_view text, const std::string& source) {
  return TreeParser(text, source).whole();
}

std::string json_string(std::string_view text) { return JsonWriter().string(text).text(); }

}  // namespace credo::io
