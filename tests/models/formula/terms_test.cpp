#include "models/formula/terms.hpp"

#include <gtest/gtest.h>

namespace credo::models {
namespace {

std::string read(const std::string& text) {
  FormulaFaults faults;
  const Formula formula = parse_formula(text, faults);
  if (!faults.empty()) return faults.text(formula.text);
  const std::vector<std::string> others{"x", "z", "g"};
  const TermList list = read_terms(formula.parts[0].right, others, faults);
  if (!faults.empty()) return faults.text(formula.text);
  std::string words = list.has_intercept ? "1" : "0";
  for (const Term& term : list.terms) {
    std::string name;
    for (const Index v : term)
      name += (name.empty() ? "" : ":") + list.variables[static_cast<std::size_t>(v)].text();
    words += " " + name;
  }
  for (const GroupTerm& group : list.groups) {
    words += " (" + group.terms.text() + (group.is_correlated ? " | " : " || ");
    for (std::size_t k = 0; k < group.grouping.size(); ++k)
      words += (k == 0 ? "" : ":") + group.grouping[k].word;
    words += ")";
  }
  for (const Expression& offset : list.offsets) words += " offset " + offset.text();
  return words;
}

// The terms are those that R 4.2's terms() lists.
TEST(formula_terms, are_those_of_r) {
  EXPECT_EQ(read("y ~ a * b"), "1 a b a:b");
  EXPECT_EQ(read("y ~ a * b * c - a:b:c"), "1 a b c a:b a:c b:c");
  EXPECT_EQ(read("y ~ (a + b + c)^2"), "1 a b c a:b a:c b:c");
  EXPECT_EQ(read("y ~ a:b + a"), "1 a a:b");
  EXPECT_EQ(read("y ~ a / b / c"), "1 a a:b a:b:c");
  EXPECT_EQ(read("y ~ (a + b) / c"), "1 a b a:b:c");
  EXPECT_EQ(read("y ~ a / (b + c)"), "1 a a:b a:c");
  EXPECT_EQ(read("y ~ a %in% b"), "1 a:b");
  EXPECT_EQ(read("y ~ 0 + a + a"), "0 a");
  EXPECT_EQ(read("y ~ a - 1"), "0 a");
  EXPECT_EQ(read("y ~ -1 + a + 1"), "1 a");
  EXPECT_EQ(read("y ~ . - z"), "1 x g");
  EXPECT_EQ(read("y ~ I(x^2) + log(x) + poly(x, 2)"), "1 I(x^2) log(x) poly(x, 2)");
  EXPECT_EQ(read("y ~ x + offset(log(z))"), "1 x offset log(z)");
  EXPECT_EQ(read("y ~ `mass (kg)` + x"), "1 `mass (kg)` x");
}

TEST(formula_terms, have_groups_as_lme4_reads_them) {
  EXPECT_EQ(read("y ~ x + (x | g)"), "1 x (x | g)");
  EXPECT_EQ(read("y ~ (1 | a/b)"), "1 (1 | a) (1 | a:b)");
  EXPECT_EQ(read("y ~ (1 | a:b) + (0 + x || g)"), "1 (1 | a:b) (0 + x || g)");
  EXPECT_EQ(read("y ~ (1 | a/b/c)"), "1 (1 | a) (1 | a:b) (1 | a:b:c)");
}

TEST(formula_terms, point_to_the_place_of_a_fault_and_name_what_is_not_there_yet) {
  EXPECT_EQ(read("y ~ x +"),
            "  y ~ x +\n         ^\nsomething is missing at the end of the formula\n"
            "  hint: add a term, or leave the sign out\n");
  EXPECT_NE(read("y ~ s(x)").find("      ^~~~\ns() (a smooth) is not there yet"), std::string::npos)
      << read("y ~ s(x)");
  EXPECT_NE(read("y ~ (1 | 2 | g)").find("an optional name"), std::string::npos);
  EXPECT_NE(read("y ~ 1 | g").find("a group stands in parentheses"), std::string::npos);
  EXPECT_NE(read("y ~ x^z").find("a number from 1 to 9"), std::string::npos);
  EXPECT_NE(read("y x").find("no ~"), std::string::npos);
  EXPECT_NE(read("y ~ x $ z").find("'$' has no meaning"), std::string::npos);
  EXPECT_NE(read("y ~ (x").find("')' is missing"), std::string::npos);
  EXPECT_NE(read("y ~ x + 3").find("3 is no term"), std::string::npos);
}

TEST(formula_terms, report_all_faults_at_once) {
  const std::string faults = read("y ~ s(x) + gp(z) + x^z");
  EXPECT_NE(faults.find("s() (a smooth)"), std::string::npos);
  EXPECT_NE(faults.find("gp() (a Gaussian process)"), std::string::npos);
  EXPECT_NE(faults.find("a number from 1 to 9"), std::string::npos);
}

TEST(formula_terms, refuse_hostile_depth_and_size) {
  EXPECT_NE(read("y ~ " + std::string(100'000, '(') + "x").find("nested too deeply"),
            std::string::npos);
  std::string many = "y ~ (";
  for (int k = 0; k < 60; ++k) many += (k == 0 ? "v" : " + v") + std::to_string(k);
  EXPECT_NE(read(many + ")^9").find("more than 5000 terms"), std::string::npos);
}
}  // namespace
}  // namespace credo::models
