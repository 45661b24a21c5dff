#include <fmt/format.h>

#include <charconv>

#include "models/formula/expression.hpp"

namespace credo::models {
namespace {

struct Token {
  enum class Kind { number, text, name, sign, end };
  Kind kind = Kind::end;
  std::string word = {};
  FormulaPlace place = {};
};

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

class Lexer {
 public:
  Lexer(std::string_view text, FormulaFaults& faults) : text_(text), faults_(faults) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    while (skip_blanks(), at_ < text_.size()) {
      const std::size_t begin = at_;
      Token token = next();
      token.place = {static_cast<Index>(begin), static_cast<Index>(at_)};
      if (token.kind != Token::Kind::end) tokens.push_back(std::move(token));
    }
    const auto end = static_cast<Index>(text_.size());
    tokens.push_back({.place = {end, end}});
    return tokens;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool is_number() const {
    return is_digit(text_[at_]) ||
           (text_[at_] == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
  }
  Token next() {
    const char c = text_[at_];
    if (is_number()) return number();
    if (begins_name(c)) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
      return {Token::Kind::name, std::string(text_.substr(begin, at_ - begin))};
    }
    if (c == '`' || c == '"' || c == '\'') return quoted(c);
    return sign();
  }
  Token number() {
    double value = 0.0;
    const char* const begin = text_.data() + at_;
    const auto read = std::from_chars(begin, text_.data() + text_.size(), value);
    const auto length = static_cast<std::size_t>(read.ptr - begin);
    at_ += length;
    return {Token::Kind::number, std::string(begin, length)};
  }
  Token quoted(char quote) {
    const std::size_t begin = at_++, end = text_.find(quote, at_);
    if (end == text_.npos) {
      at_ = text_.size();
      faults_.add(
          {static_cast<Index>(begin), static_cast<Index>(at_)},
          fmt::format("the {} that begins here has no end", quote == '`' ? "name" : "text"));
      return {};
    }
    const std::string word(text_.substr(at_, end - at_));
    at_ = end + 1;
    return {quote == '`' ? Token::Kind::name : Token::Kind::text, word};
  }
  Token sign() {
    for (const std::string_view sign : {"%in%", "||", "<=", ">=", "==", "!=", "**"})
      if (text_.substr(at_).starts_with(sign)) {
        at_ += sign.size();
        return {Token::Kind::sign, sign == "**" ? "^" : std::string(sign)};
      }
    const char c = text_[at_++];
    if (std::string_view("~+-*/^:(),=|;<>[]?").find(c) != std::string_view::npos)
      return {Token::Kind::sign, std::string(1, c)};
    faults_.add({static_cast<Index>(at_ - 1), static_cast<Index>(at_)},
                fmt::format("'{}' has no meaning in a formula", c),
                "a name with blanks or other signs stands in back quotes: `mass (kg)`");
    return {};
  }

  std::string_view text_;
  FormulaFaults& faults_;
  std::size_t at_ = 0;
};

// Binding strength of the binary operators, as in R.
int strength(const std::string& op) {
  static const std::map<std::string, int, std::less<>> kStrengths{
      {"|", 2}, {"||", 2}, {"<", 4}, {">", 4}, {"<=", 4},   {">=", 4}, {"==", 4}, {"!=", 4},
      {"+", 5}, {"-", 5},  {"*", 6}, {"/", 6}, {"%in%", 7}, {":", 8},  {"^", 10}};
  const auto found = kStrengths.find(op);
  return found == kStrengths.end() ? 0 : found->second;
}
constexpr int kLeast = 2, kSign = 9, kMostNested = 200;

class Parser {
 public:
  Parser(std::vector<Token> tokens, FormulaFaults& faults)
      : tokens_(std::move(tokens)), faults_(faults) {}

  // part { ";" part }
  std::vector<FormulaPart> parts() {
    std::vector<FormulaPart> all;
    do all.push_back(part());
    while (!failed_ && take(";"));
    if (!failed_ && now().kind != Token::Kind::end)
      fail("this doesn't belong to the formula",
           "one ~ in each part; parts are separated by ;, as y ~ x; sigma ~ z");
    return all;
  }

 private:
  const Token& now() const { return tokens_[at_]; }
  bool is(std::string_view sign) const {
    return now().kind == Token::Kind::sign && now().word == sign;
  }
  bool take(std::string_view sign) {
    if (!is(sign)) return false;
    ++at_;
    return true;
  }
  void fail(const std::string& message, const std::string& hint = {}) {
    if (!failed_) faults_.add(now().place, message, hint);
    failed_ = true;
  }

  // [ left ] "~" terms
  FormulaPart part() {
    FormulaPart part;
    if (take("~")) {
      fail("the outcome is missing on the left side of ~", "write OUTCOME ~ TERMS");
      return part;
    }
    Expression first = expression(kLeast);
    if (failed_) return part;
    if (!take("~")) {
      fail("a formula is OUTCOME ~ TERMS, and here is no ~", "for example: y ~ x + (1 | group)");
      return part;
    }
    part.left = std::move(first);
    part.right = expression(kLeast);
    return part;
  }

  Expression expression(int least) {
    Expression left = operand();
    while (!failed_ && now().kind == Token::Kind::sign) {
      const std::string op = now().word;
      const int own = strength(op);
      if (own < least || own == 0) break;
      ++at_;
      Expression right = expression(op == "^" ? own : own + 1);
      const FormulaPlace place{left.place.first, right.place.last};
      left = {.kind = Expression::Kind::operation,
              .word = op,
              .parts = {std::move(left), std::move(right)},
              .place = place};
    }
    return left;
  }

  // [ "+" | "-" ] operand | primary
  Expression operand() {
    if (++depth_ > kMostNested) fail("the formula is nested too deeply");
    Expression read = failed_ ? Expression{} : (is("-") || is("+")) ? signed_operand() : primary();
    --depth_;
    return read;
  }
  Expression signed_operand() {
    const Token sign = now();
    ++at_;
    Expression inner = expression(kSign);
    const FormulaPlace place{sign.place.first, inner.place.last};
    return {.kind = Expression::Kind::operation,
            .word = sign.word,
            .parts = {std::move(inner)},
            .place = place};
  }

  // number | text | name | name "(" arguments ")" | "(" expression ")"
  Expression primary() {
    const Token token = now();
    if (token.kind == Token::Kind::end) {
      fail("something is missing at the end of the formula", "add a term, or leave the sign out");
      return {};
    }
    if (token.kind == Token::Kind::sign) return token.word == "(" ? parentheses() : stray(token);
    ++at_;
    if (token.kind == Token::Kind::name && is("(")) return call(token);
    const auto kind = token.kind == Token::Kind::number ? Expression::Kind::number
                      : token.kind == Token::Kind::text ? Expression::Kind::text
                                                        : Expression::Kind::name;
    return {.kind = kind, .word = token.word, .place = token.place};
  }
  Expression stray(const Token& token) {
    fail(token.word == "?" ? "a search over formulas is not there yet"
                           : fmt::format("a term is missing before '{}'", token.word));
    return {};
  }
  Expression parentheses() {
    const Index first = now().place.first;
    ++at_;
    Expression inner = expression(kLeast);
    if (!failed_ && !is(")")) fail("')' is missing here", "close the parenthesis");
    inner.place = {first, now().place.last};
    inner.in_parentheses = true;
    if (!failed_) ++at_;
    return inner;
  }
  Expression call(const Token& name) {
    Expression call{.kind = Expression::Kind::call, .word = name.word, .place = name.place};
    ++at_;
    while (!failed_ && !is(")")) {
      std::string label;
      if (now().kind == Token::Kind::name && tokens_[at_ + 1].kind == Token::Kind::sign &&
          tokens_[at_ + 1].word == "=") {
        label = now().word;
        at_ += 2;
      }
      call.parts.push_back(expression(kLeast));
      call.labels.push_back(label);
      if (!failed_ && !take(",") && !is(")"))
        fail("',' or ')' is missing here", "close the call, or separate its arguments");
    }
    call.place.last = now().place.last;
    if (!failed_) ++at_;
    return call;
  }

  std::vector<Token> tokens_;
  FormulaFaults& faults_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

bool is_plain_name(const std::string& name) {
  return !name.empty() && begins_name(name[0]) && std::ranges::all_of(name, continues_name);
}
}  // namespace

Formula parse_formula(std::string_view text, FormulaFaults& faults) {
  Formula formula{.text = std::string(text), .parts = {}};
  for (char& c : formula.text)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';  // a caret stands below its place
  const std::size_t before = faults.size();
  std::vector<Token> tokens = Lexer(formula.text, faults).all();
  if (faults.size() > before) return formula;
  formula.parts = Parser(std::move(tokens), faults).parts();
  return formula;
}

std::string Expression::text() const {
  const auto inside = [this](std::string inner) {
    return in_parentheses ? "(" + std::move(inner) + ")" : std::move(inner);
  };
  switch (kind) {
    case Kind::number:
      return inside(word);
    case Kind::text:
      return inside("\"" + word + "\"");
    case Kind::name:
      return inside(is_plain_name(word) ? word : "`" + word + "`");
    case Kind::operation: {
      if (parts.size() == 1) return inside(word + parts[0].text());
      const bool tight = word == "^" || word == ":" || word == "/";
      return inside(parts[0].text() + (tight ? word : " " + word + " ") + parts[1].text());
    }
    case Kind::call:
      break;
  }
  std::string all = word + "(";
  for (std::size_t k = 0; k < parts.size(); ++k)
    all += (k == 0 ? "" : ", ") + (labels[k].empty() ? "" : labels[k] + " = ") + parts[k].text();
  return inside(all + ")");
}

}  // namespace credo::models
