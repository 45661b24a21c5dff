#include "lang/syntax/parser.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "lang/parser_support.hpp"
#include "lang/syntax/ast_dump.hpp"
#include "lang/syntax/print.hpp"

namespace credo::lang::parser_test {
namespace {
using namespace testing;

std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Parsed {
  Diagnostics diagnostics;
  std::string include_dir = test_dir() + "bad/syntax/include";
  SourceMap source;
  ast::Program program;
};

Parsed parsed(const std::string& text) {
  Parsed result;
  result.source = SourceMap::from_text("t.stan", text, result.diagnostics);
  result.program = parse(result.source, result.diagnostics);
  return result;
}

Parsed parsed_file(const std::string& path) {
  Parsed result;
  result.source = SourceMap::from_file(path, result.diagnostics, std::span(&result.include_dir, 1));
  result.program = parse(result.source, result.diagnostics);
  return result;
}

// The tree of an expression in prefix form, or what is wrong with it.
std::string tree(const std::string& expression) {
  const Parsed p = parsed("model {\nx = " + expression + ";\n}\n");
  if (p.diagnostics.has_errors()) return render(p.source, p.diagnostics);
  const ast::Statement& statement = p.program[ast::BlockKind::model].statements.at(0);
  return dump(ast::as<ast::Assignment>(statement)->value);
}

std::string statement_tree(const std::string& text) {
  const Parsed p = parsed("model {\n" + text + "\n}\n");
  if (p.diagnostics.has_errors()) return render(p.source, p.diagnostics);
  return dump(p.program[ast::BlockKind::model].statements.at(0));
}

void expect_prints_to_itself(const Parsed& p, const std::string& name) {
  const std::string printed = print(p.program);
  const Parsed again = parsed(printed);
  EXPECT_FALSE(again.diagnostics.has_errors()) << name << render(again.source, again.diagnostics);
  EXPECT_TRUE(ast::same_tree(p.program, again.program)) << name;
  EXPECT_EQ(print(again.program), printed) << name;
}

// Rows of the lexer and the parser, and of reading sources: the first ones of the table.
bool is_of_the_front(DiagCode code) { return code <= DiagCode::removed_function; }
}  // namespace

// --- expressions (language facts 6.2) ---

TEST(parser, binds_power_tighter_than_a_prefix_and_a_prefix_tighter_than_products) {
  EXPECT_EQ(tree("-2 ^ 2"), "(- (^ 2 2))");
  EXPECT_EQ(tree("2 ^ -1"), "(^ 2 (- 1))");
  EXPECT_EQ(tree("-a * b"), "(* (- a) b)");
  EXPECT_EQ(tree("!a == b"), "(== (! a) b)");
  EXPECT_EQ(tree("2 ^ -1 ^ 3"), "(^ 2 (- (^ 1 3)))");
}

TEST(parser, groups_powers_to_the_right_and_the_rest_to_the_left) {
  EXPECT_EQ(tree("a ^ b .^ c"), "(^ a (.^ b c))");
  EXPECT_EQ(tree("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(tree("a / b * c"), "(* (/ a b) c)");
  EXPECT_EQ(tree("a < b < c"), "(< (< a b) c)");
}

TEST(parser, binds_left_division_tighter_than_products) {
  EXPECT_EQ(tree("a \\ b * c"), "(* (\\ a b) c)");
  EXPECT_EQ(tree("a * b %/% c"), "(* a (%/% b c))");
}

TEST(parser, transposes_before_it_multiplies) {
  EXPECT_EQ(tree("a * b'"), "(* a (' b))");
  EXPECT_EQ(tree("2 ^ 3'"), "(^ 2 (' 3))");
  EXPECT_EQ(tree("x'[1]"), "(index (' x) [ (at 1 -) ])");
}

TEST(parser, orders_the_logical_operators) {
  EXPECT_EQ(tree("a || b && c == d < e + f"), "(|| a (&& b (== c (< d (+ e f)))))");
}

TEST(parser, nests_conditionals_to_the_right) {
  EXPECT_EQ(tree("a ? b : c ? d : e"), "(? a b (? c d e))");
  EXPECT_EQ(tree("a ? b ? c : d : e"), "(? a (? b c d) e)");
}

TEST(parser, tells_projections_from_reals) {
  EXPECT_EQ(tree("t.1.2"), "(.2 (.1 t))");
  EXPECT_EQ(tree("t.1 * .5"), "(* (.1 t) .5)");
}

TEST(parser, tells_tuples_from_parentheses) {
  EXPECT_EQ(tree("(a)"), "a");
  EXPECT_EQ(tree("(a,)"), "(tuple [ a ])");
  EXPECT_EQ(tree("(a, b)"), "(tuple [ a b ])");
}

TEST(parser, knows_every_index_form) {
  EXPECT_EQ(
      tree("x[1, :, 2:, :3, 4:5, , i]"),
      "(index x [ (at 1 -) (all - -) (from 2 -) (up_to - 3) (between 4 5) (all - -) (at i -) ])");
  EXPECT_EQ(tree("x[]"), "(index x [ (all - -) ])");
  EXPECT_EQ(tree("x[c ? 1 : 2:3]"), "(index x [ (between (? c 1 2) 3) ])");
}

TEST(parser, keeps_the_bar_of_a_density) {
  EXPECT_EQ(tree("normal_lpdf(y | 0, 1)"), "(call| normal_lpdf [ y 0 1 ])");
  EXPECT_EQ(tree("std_normal_lpdf(y | )"), "(call| std_normal_lpdf [ y ])");
}

// --- statements ---

TEST(parser, gives_a_dangling_else_to_the_nearest_if) {
  EXPECT_EQ(statement_tree("if (a) if (b) break; else continue;"),
            "(if a (if b (break) (continue)) -)");
}

TEST(parser, tells_a_comparison_from_the_removed_arrow) {
  EXPECT_EQ(statement_tree("a < -b ~ foo();"), "(~ (< a (- b)) foo [ ] -)");
  EXPECT_NE(statement_tree("a <- b;").find("removed-arrow"), std::string::npos);
}

TEST(parser, reads_truncations) {
  EXPECT_EQ(statement_tree("y ~ normal(0, 1) T[, 2];"), "(~ y normal [ 0 1 ] (T - 2))");
}

TEST(parser, gives_ranges_that_cover_the_text) {
  const Parsed p = parsed("model {\n  foo = (a + bc) * d;\n}\n");
  const auto& statement = p.program[ast::BlockKind::model].statements.at(0);
  const auto& product = *ast::as<ast::Binary>(ast::as<ast::Assignment>(statement)->value);
  EXPECT_EQ(p.source.text(statement.range), "foo = (a + bc) * d;");
  EXPECT_EQ(p.source.text(product.left->range), "(a + bc)");
  EXPECT_EQ(p.source.text(product.op_range), "*");
}

// --- whole programs ---

TEST(parser, accepts_the_good_programs_and_they_print_to_themselves) {
  const auto files = stan_files(test_dir() + "good");
  ASSERT_GE(files.size(), 4u);
  for (const std::string& file : files) {
    const Parsed p = parsed_file(file);
    EXPECT_TRUE(p.diagnostics.all().empty()) << render(p.source, p.diagnostics);
    expect_prints_to_itself(p, file);
  }
}

TEST(parser, reports_exactly_what_the_bad_programs_expect) {
  const auto files = stan_files(test_dir() + "bad/syntax");
  ASSERT_GE(files.size(), 10u);
  for (const std::string& file : files) {
    const Parsed p = parsed_file(file);
    EXPECT_EQ(reported(p.source, p.diagnostics), expectations(read(file)))
        << render(p.source, p.diagnostics);
  }
}

TEST(parser, has_a_bad_program_for_each_of_its_diagnostics) {
  // These need a file of megabytes, none at all, no text or a link; other tests provoke them.
  std::set<DiagCode> provoked = {DiagCode::program_too_large, DiagCode::file_not_readable,
                                 DiagCode::wrong_encoding, DiagCode::include_outside};
  for (const std::string& file : stan_files(test_dir() + "bad/syntax")) {
    const Parsed p = parsed_file(file);
    for (const Diagnostic& d : p.diagnostics.all()) provoked.insert(d.code);
  }
  for (const DiagRow& kind : diagnostic_rows()) {
    if (!is_of_the_front(kind.code)) continue;
    EXPECT_TRUE(provoked.contains(kind.code)) << kind.name;
  }
}

TEST(parser, parses_every_published_model_and_prints_it_to_itself) {
  const std::string dir = std::string(CREDO_SOURCE_DIR) + "/../pdb/posterior_database/models/stan";
  const auto files = stan_files(dir);
  if (files.empty()) GTEST_SKIP() << "SKIPPED: no models in " << dir;
  for (const std::string& file : files) {
    const Parsed p = parsed_file(file);
    EXPECT_TRUE(p.diagnostics.all().empty()) << render(p.source, p.diagnostics);
    expect_prints_to_itself(p, file);
  }
}

TEST(parser, names_the_operators_for_and_or_and_not) {
  for (const auto& [condition, way_out] :
       {std::pair{"a > 0 and b > 0", "&&"}, std::pair{"a > 0 or b > 0", "||"},
        std::pair{"a > 0 AND b > 0", "&&"}, std::pair{"not a", "!"}}) {
    const Parsed p = parsed(std::string("model { if (") + condition + ") target += 1; }");
    ASSERT_FALSE(p.diagnostics.all().empty()) << condition;
    EXPECT_NE(p.diagnostics.all()[0].hint.find(way_out), std::string::npos)
        << p.diagnostics.all()[0].hint;
    const Parsed assigned = parsed(std::string("model { real x = ") + condition + "; }");
    ASSERT_FALSE(assigned.diagnostics.all().empty()) << condition;
    EXPECT_NE(assigned.diagnostics.all()[0].hint.find(way_out), std::string::npos)
        << assigned.diagnostics.all()[0].hint;
  }
  EXPECT_TRUE(parsed("model { real not_a = 1; real andy = not_a; }").diagnostics.all().empty());
}

// --- sources and limits ---

TEST(source, refuses_a_program_that_is_too_large) {
  const Parsed p = parsed(std::string(kMaxProgramBytes + 1, ' '));
  ASSERT_EQ(p.diagnostics.all().size(), 1u);
  EXPECT_EQ(p.diagnostics.all()[0].code, DiagCode::program_too_large);
  EXPECT_FALSE(parsed(std::string(kMaxProgramBytes, ' ')).diagnostics.has_errors());
}

TEST(source, in_another_encoding_is_one_error_with_the_way_out) {
  using namespace std::string_literals;
  for (const std::string& text :
       {"\xFF\xFEm\0"s, "\xFE\xFF\0m"s, "m\0o\0"s, "\0m\0o"s, "\xFF\xFE\0\0m\0\0\0"s, "\0\0\0m"s}) {
    const Parsed p = parsed(text);
    ASSERT_EQ(p.diagnostics.all().size(), 1u);
    EXPECT_EQ(p.diagnostics.all()[0].code, DiagCode::wrong_encoding);
    EXPECT_NE(p.diagnostics.all()[0].hint.find("iconv -f UTF-"), std::string::npos);
  }
  EXPECT_TRUE(parsed("\n").diagnostics.all().empty());
}

TEST(source, reports_a_file_that_cant_be_read) {
  for (const auto& path : {test_dir() + "no such file.stan", test_dir()}) {
    const Parsed p = parsed_file(path);
    ASSERT_EQ(p.diagnostics.all().size(), 1u);
    EXPECT_EQ(p.diagnostics.all()[0].code, DiagCode::file_not_readable);
  }
}

TEST(source, puts_an_include_in_the_middle_of_a_statement) {
  Diagnostics diagnostics;
  const std::string dir = test_dir() + "good/include";
  const SourceMap source =
      SourceMap::from_text("t.stan", "model {\n  x = 1 +\n#include <two.stan>\n  ;\n}\n",
                           diagnostics, std::span(&dir, 1));
  const ast::Program program = parse(source, diagnostics);
  ASSERT_TRUE(diagnostics.all().empty()) << render(source, diagnostics);
  EXPECT_EQ(dump(program[ast::BlockKind::model].statements.at(0)), "(= x (+ 1 2))");
}

TEST(parser, accepts_what_lies_within_the_limits) {
  const std::string deep(200, '('), closing(200, ')');
  EXPECT_EQ(tree(deep + "1" + closing), "1");
  std::string sum = "1";
  for (int term = 1; term < 900; ++term) sum += " + 1";
  EXPECT_EQ(tree(sum).find("error"), std::string::npos);
}

TEST(parser, stops_after_too_many_errors) {
  std::string text = "model {\n";
  for (int line = 0; line < 1000; ++line) text += "  x = ;\n";
  EXPECT_EQ(parsed(text + "}\n").diagnostics.num_errors(), Diagnostics::kMaxErrors);
}

}  // namespace credo::lang::parser_test
