// A scanner by hand, longest match first. Two places need context:
//   .1 is a projection directly after an identifier, ) ] ' or another projection, else a real;
//   # starts nothing (the #include lines are gone), but old programs have comments with it.
#include "lang/syntax/lexer.hpp"

#include <fmt/format.h>

#include <charconv>

#include "lang/syntax/lexer_tables.hpp"

namespace credo::lang {
namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit_or_underscore(char c) { return is_digit(c) || c == '_'; }
bool underscores_separate_digits(std::string_view number);
bool is_name_part(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// Scans one piece of the program's text.
class Scanner {
 public:
  Scanner(const SourceMap& source, SourceRange piece, std::vector<Token>& tokens,
          Diagnostics& diagnostics)
      : text_(source.file(piece).text),
        piece_(piece),
        at_(piece.begin),
        tokens_(tokens),
        diagnostics_(diagnostics) {}

  void run();

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < piece_.end ? text_[at_ + ahead] : '\0';
  }
  std::string_view rest() const { return text_.substr(at_, piece_.end - at_); }
  std::string_view from(std::uint32_t begin) const { return text_.substr(begin, at_ - begin); }
  SourceRange range(std::uint32_t begin) const { return {piece_.file, begin, at_}; }
  void skip_to(std::size_t end) { at_ = static_cast<std::uint32_t>(end); }
  void skip_line();
  template <class Predicate>
  void skip_while(Predicate predicate) {
    while (at_ < piece_.end && predicate(text_[at_])) ++at_;
  }

  void token();
  void comment();
  void hash();
  void word();
  void string();
  void projection();
  void punctuation();
  void invalid();
  void emit(TokenKind kind, std::uint32_t begin, double value = 0);

  void number();
  void int_value(std::uint32_t begin);
  void real_value(std::uint32_t begin, TokenKind kind);
  void malformed(std::uint32_t begin);
  bool after_projectable() const;

  std::string_view text_;  // text of the whole file
  SourceRange piece_;
  std::uint32_t at_;
  bool starts_line_ = true;
  std::vector<Token>& tokens_;
  Diagnostics& diagnostics_;
};
}  // namespace

std::vector<Token> lex(const SourceMap& source, Diagnostics& diagnostics) {
  std::vector<Token> tokens;
  for (const SourceRange& piece : source.pieces()) {
    Scanner(source, piece, tokens, diagnostics).run();
  }
  const SourceRange last = source.pieces().empty() ? SourceRange{} : source.pieces().back();
  tokens.push_back({TokenKind::end_of_file, true, {last.file, last.end, last.end}});
  return tokens;
}

namespace {

bool underscores_separate_digits(std::string_view number) {
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] != '_') continue;
    const bool inside = i > 0 && i + 1 < number.size();
    if (!inside || !is_digit(number[i - 1]) || !is_digit(number[i + 1])) return false;
  }
  return true;
}

void Scanner::run() {
  while (at_ < piece_.end) {
    const char c = peek();
    if (c == '\n') starts_line_ = true;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at_;
    } else {
      token();
    }
  }
}

void Scanner::token() {
  const char c = peek();
  if (c == '/' && (peek(1) == '/' || peek(1) == '*')) return comment();
  if (c == '#') return hash();
  if (is_letter(c)) return word();
  if (c == '.' && is_digit(peek(1)) && after_projectable()) return projection();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  if (c == '"') return string();
  punctuation();
}

void Scanner::emit(TokenKind kind, std::uint32_t begin, double value) {
  tokens_.push_back({kind, starts_line_, range(begin), value});
  starts_line_ = false;
}

void Scanner::skip_line() {
  const std::size_t end = rest().find('\n');
  skip_to(end == std::string_view::npos ? piece_.end : at_ + end);
}

void Scanner::comment() {
  const std::uint32_t begin = at_;
  if (peek(1) == '/') return skip_line();
  const std::size_t end = rest().find("*/", 2);
  if (end == std::string_view::npos) {
    skip_to(begin + 2);
    diagnostics_.report(DiagCode::unclosed_comment, range(begin), {}, "close it with */");
    return skip_to(piece_.end);
  }
  starts_line_ |= rest().substr(0, end).find('\n') != std::string_view::npos;
  skip_to(at_ + end + 2);
}

void Scanner::hash() {
  const std::uint32_t begin = at_++;
  diagnostics_.report(DiagCode::hash_comment, range(begin), {}, "start a comment with //")
      .edit(range(begin), "//");
  skip_line();
}

// identifier := letter (letter | digit | "_")*
void Scanner::word() {
  const std::uint32_t begin = at_;
  skip_while(is_name_part);
  const std::string_view name = from(begin);
  if (name.size() > kMaxIdentifier) {
    diagnostics_.report(DiagCode::identifier_too_long, range(begin),
                        {std::to_string(name.size()), std::to_string(kMaxIdentifier)});
  }
  if (name.ends_with("__") && name != kOldTarget) {
    diagnostics_.report(DiagCode::identifier_ends_in_two_underscores, range(begin), {});
  }
  const Word word = find_word(name);
  emit(word.kind, begin, word.value);
}

void Scanner::string() {
  const std::uint32_t begin = at_;
  const std::size_t end = rest().find_first_of("\"\n", 1);
  const bool closed = end != std::string_view::npos && rest()[end] == '"';
  skip_to(end == std::string_view::npos ? piece_.end : at_ + end + (closed ? 1 : 0));
  if (!closed) {
    SourceRange quote = range(begin);
    quote.end = begin + 1;
    diagnostics_.report(DiagCode::unclosed_string, quote);
  }
  emit(TokenKind::string_literal, begin, closed ? 1 : 0);
  if (!closed) emit(TokenKind::invalid, at_);
}

bool Scanner::after_projectable() const {
  if (tokens_.empty()) return false;
  const SourceRange last = tokens_.back().range;
  if (last.file != piece_.file || last.end != at_) return false;
  switch (tokens_.back().kind) {
    case TokenKind::identifier:
    case TokenKind::right_paren:
    case TokenKind::right_bracket:
    case TokenKind::transpose:
    case TokenKind::projection:
      return true;
    default:
      return false;
  }
}

// projection := "." digits
void Scanner::projection() {
  const std::uint32_t begin = at_++;
  skip_while(is_digit);
  std::int32_t position = 1;
  const std::string_view digits = from(begin + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), position);
  if (read.ec != std::errc()) {
    diagnostics_.report(DiagCode::int_literal_range, range(begin), {std::string(digits)});
  }
  emit(TokenKind::projection, begin, position);
}

// digits := [0-9]+ ("_" [0-9]+)*
// int := digits       real := digits "." digits? exponent? | "." digits exponent? | digits exponent
// exponent := ("e" | "E") ("+" | "-")? digits      imaginary := (int | real) "i"
void Scanner::number() {
  const std::uint32_t begin = at_;
  bool is_real = false;
  skip_while(is_digit_or_underscore);
  if (peek() == '.') {
    is_real = true;
    ++at_;
    skip_while(is_digit_or_underscore);
  }
  if (peek() == 'e' || peek() == 'E') {
    is_real = true;
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    if (!is_digit(peek())) return malformed(begin);
    skip_while(is_digit_or_underscore);
  }
  const bool is_imaginary = peek() == 'i' && !is_name_part(peek(1));
  const bool has_tail = !is_imaginary && is_name_part(peek());
  if (has_tail || !underscores_separate_digits(from(begin))) return malformed(begin);
  if (is_imaginary) return real_value(begin, TokenKind::imaginary_literal);
  return is_real ? real_value(begin, TokenKind::real_literal) : int_value(begin);
}

void Scanner::malformed(std::uint32_t begin) {
  skip_while(is_name_part);
  const std::string text(from(begin).substr(0, 40));
  diagnostics_.report(
      DiagCode::malformed_number, range(begin), {text},
      "numbers look like 12, 1_000, 1.5, 1e-3 or 2.5i; a name can't begin with a digit");
  emit(TokenKind::int_literal, begin, 1);
}

void Scanner::int_value(std::uint32_t begin) {
  const std::string digits = without_underscores(from(begin));
  std::int32_t value = 1;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc()) {
    diagnostics_.report(DiagCode::int_literal_range, range(begin), {digits.substr(0, 40)},
                        "write it as a real: " + digits.substr(0, 40) + ".0");
    value = 1;
  }
  emit(TokenKind::int_literal, begin, value);
}

void Scanner::real_value(std::uint32_t begin, TokenKind kind) {
  const std::string digits = without_underscores(from(begin));
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // out of range is too large, or rounds to 0, which is as good as the number
  const bool out_of_range = read.ec == std::errc::result_out_of_range;
  if (out_of_range && std::strtod(digits.c_str(), nullptr) > 1) {
    diagnostics_.report(DiagCode::real_literal_range, range(begin), {digits.substr(0, 40)},
                        "for infinity write positive_infinity()");
  }
  if (kind == TokenKind::imaginary_literal) ++at_;
  emit(kind, begin, value);
}

void Scanner::punctuation() {
  const std::uint32_t begin = at_;
  for (std::size_t length = 3; length >= 1; --length) {
    const TokenKind kind = find_punctuation(rest().substr(0, length), length);
    if (kind == TokenKind::end_of_file) continue;
    at_ += static_cast<std::uint32_t>(length);
    return emit(kind, begin);
  }
  invalid();
}

// Reports a character that starts no token, once for a run of bytes beyond ASCII, and skips it.
void Scanner::invalid() {
  const std::uint32_t begin = at_++;
  const unsigned char first = static_cast<unsigned char>(text_[begin]);
  const std::string hint(advice_on_character(text_.substr(begin, 3)));
  if (first >= 0x80) skip_while([](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (first == '_') skip_while([](char c) { return c == '_'; });
  const bool printable = first > 0x20 && first < 0x7f;
  const std::string fact = printable ? fmt::format("`{}`", static_cast<char>(first))
                                     : fmt::format("(byte 0x{:02X})", first);
  diagnostics_.report(DiagCode::invalid_character, range(begin), {fact}, hint);
  const bool like_space = text_.substr(begin).starts_with("\xC2\xA0") ||
                          text_.substr(begin).starts_with("\xEF\xBB\xBF") || first == '_';
  if (!like_space) emit(TokenKind::invalid, begin);
}

}  // namespace
}  // namespace credo::lang
