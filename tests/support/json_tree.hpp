// A small JSON reader for test data: whole values as trees.
#pragma once
#include <cstdlib>

#include "base/error.hpp"
#include "base/types.hpp"

namespace credo::testing {

struct Json {
  enum class Kind { null, boolean, integer, real, string, array, object } kind = Kind::null;
  bool truth = false;
  double number = 0.0;
  std::string text;
  struct Member;
  std::vector<Json> items;      // of an array
  std::vector<Member> members;  // of an object

  const Json* find(std::string_view name) const;
  const Json& at(std::string_view name) const {
    const Json* value = find(name);
    if (value == nullptr) throw Error(ErrorCode::data, "no member " + std::string(name));
    return *value;
  }
  bool is_array() const { return kind == Kind::array; }
  bool is_null() const { return kind == Kind::null; }
  // Numbers, and the strings that stand for non-finite ones.
  double value() const {
    if (kind != Kind::string) return number;
    if (text == "NaN") return kNaN;
    return text.starts_with("-") ? -kInfinity : kInfinity;
  }
  // All numbers inside, in the order of the text; null counts as NaN.
  void flatten(std::vector<double>& out) const {
    if (kind == Kind::array) {
      for (const Json& item : items) item.flatten(out);
    } else {
      out.push_back(kind == Kind::null ? kNaN : value());
    }
  }
};

struct Json::Member {
  std::string key;
  Json value;
};

inline const Json* Json::find(std::string_view name) const {
  for (const Member& member : members) {
    if (member.key == name) return &member.value;
  }
  return nullptr;
}

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}
  Json parse() {
    skip();
    switch (peek()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string();
      case 't':
        return literal("true", Json::Kind::boolean, true);
      case 'f':
        return literal("false", Json::Kind::boolean, false);
      case 'n':
        return literal("null", Json::Kind::null, false);
      default:
        return number();
    }
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr) ++at_;
  }
  void expect(char c) {
    skip();
    if (peek() != c)
      throw Error(ErrorCode::data, std::string("expected ") + c + " at " + std::to_string(at_));
    ++at_;
  }
  bool accept(char c) {
    skip();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  Json literal(std::string_view word, Json::Kind kind, bool truth) {
    at_ += word.size();
    Json result;
    result.kind = kind;
    result.truth = truth;
    return result;
  }
  Json number() {
    const char* begin = text_.data() + at_;
    char* end = nullptr;
    Json result;
    result.number = std::strtod(begin, &end);
    if (end == begin) throw Error(ErrorCode::data, "expected a number at " + std::to_string(at_));
    const std::string_view word(begin, static_cast<std::size_t>(end - begin));
    result.kind = word.find_first_of(".eE") == std::string_view::npos ? Json::Kind::integer
                                                                      : Json::Kind::real;
    at_ += word.size();
    return result;
  }
  Json string() {
    expect('"');
    Json result;
    result.kind = Json::Kind::string;
    while (peek() != '"') {
      if (peek() == '\\') {
        ++at_;
        const char c = peek();
        result.text += c == 'n' ? '\n' : c == 't' ? '\t' : c;
      } else {
        result.text += peek();
      }
      ++at_;
    }
    ++at_;
    return result;
  }
  Json array() {
    expect('[');
    Json result;
    result.kind = Json::Kind::array;
    if (accept(']')) return result;
    do result.items.push_back(parse());
    while (accept(','));
    expect(']');
    return result;
  }
  Json object() {
    expect('{');
    Json result;
    result.kind = Json::Kind::object;
    if (accept('}')) return result;
    do {
      skip();
      std::string key = string().text;
      expect(':');
      result.members.push_back({std::move(key), parse()});
    } while (accept(','));
    expect('}');
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

inline Json parse_json(std::string_view text) { return JsonParser(text).parse(); }

}  // namespace credo::testing
