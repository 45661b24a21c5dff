#include "lang/syntax/lexer_tables.hpp"

namespace credo::lang {
namespace {
struct Spelling {
  TokenKind kind;
  std::string_view text;
};

constexpr Spelling kPunctuation[] = {
    {TokenKind::left_brace, "{"},
    {TokenKind::right_brace, "}"},
    {TokenKind::left_paren, "("},
    {TokenKind::right_paren, ")"},
    {TokenKind::left_bracket, "["},
    {TokenKind::right_bracket, "]"},
    {TokenKind::less, "<"},
    {TokenKind::greater, ">"},
    {TokenKind::comma, ","},
    {TokenKind::semicolon, ";"},
    {TokenKind::bar, "|"},
    {TokenKind::colon, ":"},
    {TokenKind::question, "?"},
    {TokenKind::assign, "="},
    {TokenKind::tilde, "~"},
    {TokenKind::logical_not, "!"},
    {TokenKind::plus, "+"},
    {TokenKind::minus, "-"},
    {TokenKind::times, "*"},
    {TokenKind::divide, "/"},
    {TokenKind::modulo, "%"},
    {TokenKind::power, "^"},
    {TokenKind::left_divide, "\\"},
    {TokenKind::transpose, "'"},
    {TokenKind::elementwise_times, ".*"},
    {TokenKind::elementwise_divide, "./"},
    {TokenKind::elementwise_power, ".^"},
    {TokenKind::int_divide, "%/%"},
    {TokenKind::equal, "=="},
    {TokenKind::not_equal, "!="},
    {TokenKind::less_equal, "<="},
    {TokenKind::greater_equal, ">="},
    {TokenKind::logical_and, "&&"},
    {TokenKind::logical_or, "||"},
    {TokenKind::plus_assign, "+="},
    {TokenKind::minus_assign, "-="},
    {TokenKind::times_assign, "*="},
    {TokenKind::divide_assign, "/="},
    {TokenKind::elementwise_times_assign, ".*="},
    {TokenKind::elementwise_divide_assign, "./="},
};

constexpr Spelling kWords[] = {
    {TokenKind::array, "array"},
    {TokenKind::functions, "functions"},
    {TokenKind::data, "data"},
    {TokenKind::parameters, "parameters"},
    {TokenKind::model, "model"},
    {TokenKind::transformed, "transformed"},
    {TokenKind::generated, "generated"},
    {TokenKind::quantities, "quantities"},
    {TokenKind::for_, "for"},
    {TokenKind::in, "in"},
    {TokenKind::while_, "while"},
    {TokenKind::if_, "if"},
    {TokenKind::else_, "else"},
    {TokenKind::return_, "return"},
    {TokenKind::break_, "break"},
    {TokenKind::continue_, "continue"},
    {TokenKind::profile, "profile"},
    {TokenKind::print, "print"},
    {TokenKind::reject, "reject"},
    {TokenKind::fatal_error, "fatal_error"},
    {TokenKind::target, "target"},
    {TokenKind::jacobian, "jacobian"},
    {TokenKind::lower, "lower"},
    {TokenKind::upper, "upper"},
    {TokenKind::offset, "offset"},
    {TokenKind::multiplier, "multiplier"},
};

constexpr std::string_view kReserved[] = {"repeat", "until",   "then",   "true",
                                          "false",  "typedef", "struct", "var",
                                          "export", "extern",  "static", "auto"};

// Tokens without a spelling of their own.
constexpr Spelling kClassSpellings[] = {
    {TokenKind::end_of_file, "end of file"},
    {TokenKind::identifier, "a name"},
    {TokenKind::int_literal, "a number"},
    {TokenKind::real_literal, "a number"},
    {TokenKind::imaginary_literal, "a number"},
    {TokenKind::string_literal, "a string"},
    {TokenKind::invalid, "an invalid character"},
    {TokenKind::projection, "a tuple projection"},
    {TokenKind::type_word, "a type"},
    {TokenKind::reserved, "a reserved word"},
};

using WordMap = std::unordered_map<std::string_view, Word>;
WordMap make_word_map() {
  WordMap map;
  for (const Spelling& word : kWords) map[word.text] = {word.kind, 0};
  for (const std::string_view word : kReserved) map[word] = {TokenKind::reserved, 0};
  for (int i = 0; i <= static_cast<int>(ast::TypeName::tuple); ++i) {
    map[spelling(static_cast<ast::TypeName>(i))] = {TokenKind::type_word, static_cast<double>(i)};
  }
  return map;
}

const WordMap& word_map() {
  static const WordMap map = make_word_map();
  return map;
}

std::vector<std::string> make_words() {
  std::vector<std::string> words;
  for (const auto& [text, word] : word_map()) {
    if (word.kind != TokenKind::reserved) words.emplace_back(text);
  }
  std::sort(words.begin(), words.end());
  return words;
}
}  // namespace

Word find_word(std::string_view name) {
  const auto found = word_map().find(name);
  return found == word_map().end() ? Word{} : found->second;
}

TokenKind find_punctuation(std::string_view text, std::size_t length) {
  for (const Spelling& mark : kPunctuation) {
    if (mark.text.size() == length && mark.text == text) return mark.kind;
  }
  return TokenKind::end_of_file;
}

std::string description(TokenKind kind) {
  for (const Spelling& named : kClassSpellings) {
    if (named.kind == kind) return std::string(named.text);
  }
  for (const Spelling& mark : kPunctuation) {
    if (mark.kind == kind) return "`" + std::string(mark.text) + "`";
  }
  for (const Spelling& word : kWords) {
    if (word.kind == kind) return "`" + std::string(word.text) + "`";
  }
  return "something else";
}

std::span<const std::string> language_words() {
  static const std::vector<std::string> words = make_words();
  return words;
}

std::string_view advice_on_character(std::string_view text) {
  struct Mistake {
    std::string_view text, hint;
  };
  static constexpr Mistake kMistakes[] = {
      {"\xC2\xA0", "this is a non-breaking space; write an ordinary one"},
      {"\xE2\x88\x92", "this is a typographic minus; write -"},
      {"\xE2\x80\x93", "this is a dash; write -"},
      {"\xE2\x80\x9C", "this is a typographic quote; write \""},
      {"\xE2\x80\x9D", "this is a typographic quote; write \""},
      {"\xE2\x80\x99", "this is a typographic quote; write '"},
      {"\xEF\xBB\xBF", "this is a byte order mark; save the file without one"},
      {"&", "logical and is &&"},
      {"_", "a name begins with a letter"},
  };
  for (const Mistake& mistake : kMistakes) {
    if (text.starts_with(mistake.text)) return mistake.hint;
  }
  return {};
}

std::string without_underscores(std::string_view number) {
  std::string digits(number);
  std::erase(digits, '_');
  return digits;
}

}  // namespace credo::lang
