// The spelling of every token: one table, read by the scanner and by messages.
#pragma once
#include "lang/syntax/lexer.hpp"

namespace credo::lang {

struct Word {
  TokenKind kind = TokenKind::identifier;
  double value = 0;  // ast::TypeName of a type_word
};
// Kind of a word; an identifier if it isn't a word of the language.
Word find_word(std::string_view name);

// The punctuation that is exactly the first length characters of text; end_of_file if there isn't
// one.
TokenKind find_punctuation(std::string_view text, std::size_t length);

// Replacement of a character that people paste or type by mistake; empty for others.
std::string_view advice_on_character(std::string_view text);

std::string without_underscores(std::string_view number);

}  // namespace credo::lang
