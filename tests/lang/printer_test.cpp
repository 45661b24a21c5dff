#include "lang/syntax/print.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lang/parser_random.hpp"
#include "lang/syntax/ast_dump.hpp"
#include "lang/syntax/parser.hpp"

namespace credo::lang::printer_test {
namespace {
constexpr std::uint64_t kNumPrograms = 2000;

std::uint64_t first_seed() {
  const char* given = std::getenv("CREDO_TEST_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 1;
}

std::string canonical(const std::string& text) {
  Diagnostics diagnostics;
  const SourceMap source = SourceMap::from_text("t.stan", text, diagnostics);
  const ast::Program program = parse(source, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << render(source, diagnostics);
  return print(program);
}

// Whether text, read again, is the tree it was printed from.
bool reads_back(const ast::Program& program, const std::string& text) {
  Diagnostics diagnostics;
  const SourceMap source = SourceMap::from_text("t.stan", text, diagnostics);
  const ast::Program again = parse(source, diagnostics);
  return !diagnostics.has_errors() && same_tree(program, again);
}
}  // namespace

TEST(printer, writes_the_canonical_form) {
  EXPECT_EQ(
      canonical(
          "data{int N;}model{for(n in 1:N)if(n>1){x[n]=((a+b)*c);}else y~normal( 0,1 )T[,2];}"),
      "data {\n"
      "  int N;\n"
      "}\n"
      "model {\n"
      "  for (n in 1:N)\n"
      "    if (n > 1) {\n"
      "      x[n] = (a + b) * c;\n"
      "    } else\n"
      "      y ~ normal(0, 1) T[, 2];\n"
      "}\n");
}

TEST(printer, keeps_only_the_parentheses_that_matter) {
  const std::string kept = "model {\n  x = a - (b - c) * (-d) ^ e;\n}\n";
  EXPECT_EQ(canonical(kept), kept);
  EXPECT_EQ(canonical("model { x = ((a * b) + (c)); }"), "model {\n  x = a * b + c;\n}\n");
}

TEST(printer, protects_an_outcome_that_begins_with_a_brace) {
  const std::string text = "model {\n  ({1, 2}[i]) ~ poisson(3);\n}\n";
  EXPECT_EQ(canonical(text), text);
}

TEST(printer, protects_a_comparison_in_a_bound) {
  const std::string text = "data {\n  real<lower=(a > b ? 1 : 2)> x;\n}\n";
  EXPECT_EQ(canonical(text), text);
}

TEST(printer, makes_of_a_random_program_what_parses_to_it) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + kNumPrograms; ++seed) {
    const ast::Program program = testing::random_program(seed);
    const std::string text = print(program);
    ASSERT_TRUE(reads_back(program, text)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(canonical(text), text) << "seed " << seed;
  }
}

// Planted mutants: a printer that forgets parentheses, and one that mixes up two operators.
TEST(printer, would_be_caught_if_it_lost_parentheses_or_operators) {
  int lost = 0, mixed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ast::Program program = testing::random_program(seed);
    const std::string text = print(program);
    std::string without = text, other = text;
    for (std::size_t at = 0; (at = other.find(" + ", at)) != other.npos;) other[at + 1] = '-';
    for (std::size_t at = 0; (at = without.find(" (", at)) != without.npos;) {
      const std::size_t end = without.find(')', at);
      without[at + 1] = without[end] = ' ';
    }
    lost += without != text && !reads_back(program, without);
    mixed += other != text && !reads_back(program, other);
  }
  EXPECT_GT(lost, 100);
  EXPECT_GT(mixed, 30);
}

}  // namespace credo::lang::printer_test
