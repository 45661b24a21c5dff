// Chains of operators: a sum of 100,000 terms is read, printed, checked and taken apart without
// recursion; what must stay shallow is refused.
#include "check_support.hpp"
#include "lang/syntax/ast_dump.hpp"
#include "lang/syntax/print.hpp"

#include <gtest/gtest.h>

namespace credo::lang::long_chains_test {
namespace {

constexpr int kTerms = 100'000;

std::string chain(const std::string& term, const std::string& between, int terms = kTerms) {
  std::string text = term;
  for (int k = 1; k < terms; ++k) text += between + term;
  return text;
}

ast::Program parsed(const std::string& text) {
  Diagnostics diagnostics;
  const SourceMap source = SourceMap::from_text("test.stan", text, diagnostics);
  ast::Program program = parse(source, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << render(source, diagnostics).substr(0, 2000);
  return program;
}

TEST(long_chains, are_printed_and_read_again) {
  for (const auto& [term, between] : std::vector<std::pair<std::string, std::string>>{
           {"1", " + "}, {"x * (2 - x)", " - "}, {"x", " .* "}, {"(x ? 1 : 2)", " && "}}) {
    const ast::Program program =
        parsed("model {\n  real x = 1;\n  real y = " + chain(term, between) + ";\n}\n");
    const std::string text = lang::print(program);
    EXPECT_TRUE(ast::same_tree(program, parsed(text))) << term << between;
  }
}

// Left operands that need them keep their parentheses, and no others have them.
TEST(long_chains, keep_the_parentheses_that_they_need) {
  const std::string text =
      "model {\n  real y = ((1 + 2) * 3 - 4) / 5 ^ 2 ^ 3 * -6 - (7 - 8) - ((1 ^ 2) ^ 3)';\n}\n";
  EXPECT_EQ(lang::print(parsed(text)), text);
  EXPECT_NE(ast::dump(parsed(text)).find("(- (- (* (/ (- (* (+ 1 2) 3) 4) (^ 5 (^ 2 3))) (- 6))"),
            std::string::npos)
      << ast::dump(parsed(text));
}

TEST(long_chains, are_typed_in_parts_wherever_a_statement_evaluates_nothing_else) {
  const std::string sum = chain("x", " + ");
  const Checked checked = check_text(R"(
functions {
  real f(real x) { return )" + sum + R"(; }
  real g(real x) { if (x > 0) return )" +
                                     sum + R"(; return 0; }
}
parameters { real x; }
transformed parameters { real y = )" +
                                     sum + ", z; z = " + sum + R"(; }
model {
  real w = f(x);
  for (k in 1 : 3) w += )" + sum + R"(;
  target += )" + sum + R"(;
}
)");
  EXPECT_TRUE(checked.program) << checked.text().substr(0, 2000);
}

TEST(long_chains, are_refused_inside_of_other_expressions) {
  const std::string sum = chain("x", " + ", 1100);
  const Checked argument =
      check_text("parameters { real x; }\nmodel { x ~ normal(" + sum + ", 1); }");
  EXPECT_TRUE(argument.has("expression-too-long"));
  EXPECT_NE(argument.text().find("give the sum a name of its own: real total = ...;"),
            std::string::npos)
      << argument.text();
  EXPECT_TRUE(check_text("model { if (" + chain("1", " + ", 1100) + ") print(1); }")
                  .has("expression-too-long"));
  EXPECT_TRUE(check_text("model { real x = -(" + chain("1", " + ", 1100) + "); }")
                  .has("expression-too-long"));
  EXPECT_TRUE(check_text("model { vector[2] v; v = " + chain("v", " + ", 1100) + "; }")
                  .has("expression-too-long"));
  EXPECT_TRUE(check_text("model { real x = " + chain("1", " + ", 300'000) + "; }")
                  .has("expression-too-long"));
}

// Powers associate to the right: each is nested in the one before.
TEST(long_chains, of_powers_are_nested) {
  EXPECT_TRUE(
      check_text("model { real x = " + chain("1", " ^ ", 1100) + "; }").has("nesting-too-deep"));
}

}  // namespace
}  // namespace credo::lang::long_chains_test
