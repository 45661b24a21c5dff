// Text to tokens.
#pragma once
#include "lang/diagnostics/diagnostics.hpp"
#include "lang/diagnostics/source.hpp"
#include "lang/syntax/ast.hpp"

namespace credo::lang {

inline constexpr std::size_t kMaxIdentifier = 1024;  // bytes; longer ones are a diagnostic

// Name of the log density in programs of 2012; the parser reports what to write instead.
inline constexpr std::string_view kOldTarget = "lp__";

enum class TokenKind : std::uint8_t {
  end_of_file,
  identifier,
  int_literal,
  real_literal,
  imaginary_literal,
  string_literal,
  invalid,     // stands for text that has been reported: an error at it isn't reported again
  projection,  // .1 directly after something that can be a tuple
  // punctuation
  left_brace,
  right_brace,
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  less,
  greater,
  comma,
  semicolon,
  bar,
  colon,
  question,
  assign,
  tilde,
  logical_not,
  plus,
  minus,
  times,
  divide,
  modulo,
  power,
  left_divide,
  transpose,
  elementwise_times,
  elementwise_divide,
  elementwise_power,
  int_divide,
  equal,
  not_equal,
  less_equal,
  greater_equal,
  logical_and,
  logical_or,
  plus_assign,
  minus_assign,
  times_assign,
  divide_assign,
  elementwise_times_assign,
  elementwise_divide_assign,
  // words
  type_word,  // token's value is its ast::TypeName
  array,
  functions,
  data,
  parameters,
  model,
  transformed,
  generated,
  quantities,
  for_,
  in,
  while_,
  if_,
  else_,
  return_,
  break_,
  continue_,
  profile,
  print,
  reject,
  fatal_error,
  target,
  jacobian,
  lower,
  upper,
  offset,
  multiplier,
  reserved,  // held for the future: repeat, true, struct, ...
};

struct Token {
  TokenKind kind = TokenKind::end_of_file;
  bool starts_line = false;  // the first token of its line
  SourceRange range;
  double value = 0;  // value of a literal or projection; ast::TypeName of a type_word
};

// "`;`", "an identifier", "end of file": for messages.
std::string description(TokenKind kind);
// The words of the language, for suggestions.
std::span<const std::string> language_words();

// The program's tokens; the last one is end_of_file. Problems go to the sink and leave a token that
// lets the parser continue.
std::vector<Token> lex(const SourceMap& source, Diagnostics& diagnostics);

}  // namespace credo::lang
