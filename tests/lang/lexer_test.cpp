#include "lang/syntax/lexer.hpp"

#include <gtest/gtest.h>

namespace credo::lang::lexer_test {
namespace {
// "kind-less" view of a text's tokens: their texts joined by blanks.
struct Lexed {
  std::string texts;
  std::vector<TokenKind> kinds;
  std::vector<double> values;
  int num_errors = 0;
};

Lexed lexed(const std::string& text) {
  Diagnostics diagnostics;
  const SourceMap source = SourceMap::from_text("t.stan", text, diagnostics);
  Lexed result;
  for (const Token& token : lex(source, diagnostics)) {
    if (token.kind == TokenKind::end_of_file) break;
    result.texts += (result.texts.empty() ? "" : " ") + std::string(source.text(token.range));
    result.kinds.push_back(token.kind);
    result.values.push_back(token.value);
  }
  result.num_errors = diagnostics.num_errors();
  return result;
}
using Kinds = std::vector<TokenKind>;
}  // namespace

TEST(lexer, takes_the_longest_punctuation) {
  EXPECT_EQ(lexed("a.*=b./=c%/%d.^e<=f==g").texts, "a .*= b ./= c %/% d .^ e <= f == g");
}

TEST(lexer, reads_a_point_and_digits_after_a_value_as_projection) {
  EXPECT_EQ(lexed("t.1.2").texts, "t .1 .2");
  EXPECT_EQ(lexed("f(x).1").kinds.back(), TokenKind::projection);
  EXPECT_EQ(lexed("x[2].1").kinds.back(), TokenKind::projection);
  EXPECT_EQ(lexed("x'.1").kinds.back(), TokenKind::projection);
}

TEST(lexer, reads_a_point_and_digits_elsewhere_as_number) {
  EXPECT_EQ(lexed("a + .5").kinds.back(), TokenKind::real_literal);
  EXPECT_EQ(lexed("(.5").kinds.back(), TokenKind::real_literal);
  EXPECT_EQ(lexed("return .5").kinds.back(), TokenKind::real_literal);
  EXPECT_EQ(lexed("while (e) .5").kinds.back(), TokenKind::real_literal);
}

TEST(lexer, knows_every_form_of_number) {
  const Lexed numbers = lexed("1_000 1. 1.5 .5 1e3 1.5e-3 1E+3 1_0.2_5 3i 2.5e1i");
  EXPECT_EQ(numbers.num_errors, 0);
  EXPECT_EQ(numbers.values,
            (std::vector<double>{1000, 1, 1.5, .5, 1e3, 1.5e-3, 1e3, 10.25, 3, 25}));
  EXPECT_EQ(numbers.kinds.front(), TokenKind::int_literal);
  EXPECT_EQ(numbers.kinds.back(), TokenKind::imaginary_literal);
}

TEST(lexer, refuses_malformed_numbers_each_with_one_error) {
  for (const char* text : {"1_", "1__0", "1_.5", "1e", "1e+", "2x", "3ij", "1.5e_3", "1._5"}) {
    EXPECT_EQ(lexed(text).num_errors, 1) << text;
  }
}

TEST(lexer, limits_integers_to_32_bits) {
  EXPECT_EQ(lexed("2147483647").num_errors, 0);
  EXPECT_EQ(lexed("2147483648").num_errors, 1);
  EXPECT_EQ(lexed("99999999999999999999999").num_errors, 1);
  EXPECT_EQ(lexed("t.99999999999").num_errors, 1);
}

TEST(lexer, refuses_reals_that_overflow_and_takes_those_that_underflow) {
  EXPECT_EQ(lexed("1.8e308").num_errors, 1);
  EXPECT_EQ(lexed("1.7e308").num_errors, 0);
  EXPECT_EQ(lexed("1e-400").num_errors, 0);
}

TEST(lexer, skips_comments_and_white_space) {
  EXPECT_EQ(lexed("a // b /* c\n/* d // e\n*/ f\t\r\n").texts, "a f");
}

TEST(lexer, keeps_non_ascii_text_in_comments_and_strings) {
  EXPECT_EQ(lexed("// µ\nprint(\"σ² = \")").num_errors, 0);
}

TEST(lexer, reports_a_run_of_foreign_characters_once) { EXPECT_EQ(lexed("a µσ b").num_errors, 1); }

TEST(lexer, takes_a_byte_order_mark_and_a_hard_space_for_white_space_after_reporting) {
  const Lexed marked = lexed(
      "\xEF\xBB\xBF"
      "a \xC2\xA0 b");
  EXPECT_EQ(marked.texts, "a b");
  EXPECT_EQ(marked.num_errors, 2);
}

TEST(lexer, survives_zero_bytes) { EXPECT_EQ(lexed(std::string("a\0b", 3)).num_errors, 1); }

TEST(lexer, marks_the_first_token_of_each_line) {
  Diagnostics diagnostics;
  const SourceMap source = SourceMap::from_text("t.stan", "a b\nc /* \n */ d", diagnostics);
  std::vector<bool> starts;
  for (const Token& token : lex(source, diagnostics)) starts.push_back(token.starts_line);
  EXPECT_EQ(starts, (std::vector<bool>{true, false, true, true, true}));
}

TEST(lexer, describes_every_kind_of_token) {
  for (int kind = 0; kind <= static_cast<int>(TokenKind::reserved); ++kind) {
    EXPECT_NE(description(static_cast<TokenKind>(kind)), "something else") << kind;
  }
}

TEST(lexer, limits_identifiers) {
  EXPECT_EQ(lexed(std::string(kMaxIdentifier, 'a')).num_errors, 0);
  EXPECT_EQ(lexed(std::string(kMaxIdentifier + 1, 'a')).num_errors, 1);
}

}  // namespace credo::lang::lexer_test
