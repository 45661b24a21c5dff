#include "lang/diagnostics/diagnostics.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/json_tree.hpp"

namespace credo::lang::diagnostics_test {
namespace {
SourceMap text(const std::string& content) {
  Diagnostics diagnostics;
  return SourceMap::from_text("glm.stan", content, diagnostics);
}

// Where the first occurrence of a word lies.
SourceRange find(const SourceMap& source, const std::string& word) {
  const auto at = source.files()[0].text.find(word);
  return {0, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + word.size())};
}

std::vector<std::string> lines(const std::string& content) {
  std::vector<std::string> result(1);
  for (const char c : content) c == '\n' ? (void)result.emplace_back() : (void)(result.back() += c);
  return result;
}

}  // namespace

// --- the table ---

TEST(diagnostic_table, has_names_in_kebab_case_that_differ) {
  std::set<std::string> names;
  for (const DiagRow& kind : diagnostic_rows()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(kind.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-0123456789"), kind.name.npos);
    EXPECT_EQ(&row(kind.code), &kind);
  }
}

TEST(diagnostic_table, has_texts_in_lower_case_without_a_full_stop) {
  for (const DiagRow& kind : diagnostic_rows()) {
    ASSERT_FALSE(kind.text.empty()) << kind.name;
    EXPECT_FALSE(kind.text.ends_with('.')) << kind.name;
    EXPECT_FALSE(kind.text[0] >= 'A' && kind.text[0] <= 'Z' && kind.text[1] >= 'a') << kind.name;
  }
}

TEST(diagnostic_table, has_a_way_out_for_everything) {
  for (const DiagRow& kind : diagnostic_rows()) {
    EXPECT_FALSE(kind.way_out.empty()) << kind.name;
    EXPECT_FALSE(kind.way_out.ends_with('.') && !kind.way_out.ends_with("...")) << kind.name;
  }
}

TEST(diagnostics, without_a_hint_have_the_rows_way_out_with_their_facts) {
  Diagnostics sink;
  EXPECT_EQ(sink.report(DiagCode::unexpected_token, {0, 0, 1}, {"`)`", "`;`"}).hint,
            "put `)` before `;`");
  EXPECT_EQ(sink.report(DiagCode::unexpected_token, {0, 1, 2}, {"a", "b"}, "c").hint, "c");
}

// --- the sink ---

TEST(diagnostics, keep_one_of_two_with_equal_code_and_place) {
  Diagnostics sink;
  sink.report(DiagCode::not_assignable, {0, 3, 5});
  sink.report(DiagCode::not_assignable, {0, 3, 9});
  sink.report(DiagCode::not_assignable, {0, 4, 9});
  EXPECT_EQ(sink.all().size(), 2u);
  EXPECT_EQ(sink.num_errors(), 2);
}

TEST(diagnostics, count_errors_past_the_limit_without_keeping_them) {
  Diagnostics sink;
  for (std::uint32_t i = 0; i < 500; ++i) sink.report(DiagCode::not_assignable, {0, i, i});
  EXPECT_EQ(sink.all().size(), static_cast<std::size_t>(Diagnostics::kMaxErrors));
  EXPECT_EQ(sink.num_errors(), 500);
}

// --- text ---

TEST(rendering, shows_place_code_line_caret_and_hint) {
  const SourceMap source = text("a\n  y ~ normal(X, sigma);\n");
  Diagnostics sink;
  sink.report(DiagCode::reserved_word, find(source, "X"), {"X"}, "choose another name");
  EXPECT_EQ(render(source, sink.all()[0]),
            "glm.stan:2:14: error[reserved-word]: X is a reserved word and can't be a name\n"
            "   2 |   y ~ normal(X, sigma);\n"
            "     |              ^\n"
            "  hint: choose another name\n");
}

TEST(rendering, puts_the_caret_right_behind_tabs_and_wide_characters) {
  const SourceMap source = text("\tσσ(abc)\n");
  Diagnostics sink;
  const std::string shown =
      render(source, sink.report(DiagCode::not_assignable, find(source, "abc")));
  EXPECT_EQ(lines(shown).at(2), "     | \t   ^~~");
}

TEST(rendering, cuts_long_lines_and_hides_control_characters) {
  const SourceMap source = text(std::string(5000, 'a') + "\x1b[31mX" + std::string(5000, 'b'));
  Diagnostics sink;
  const std::string shown =
      render(source, sink.report(DiagCode::not_assignable, find(source, "X")));
  EXPECT_LT(shown.size(), 600u);
  EXPECT_EQ(shown.find('\x1b'), shown.npos);
  const auto shown_lines = lines(shown);
  EXPECT_EQ(shown_lines.at(1).at(shown_lines.at(2).find('^')), 'X');
}

TEST(rendering, names_the_chain_of_includes) {
  Diagnostics sink;
  const std::string dir = std::string(CREDO_SOURCE_DIR) + "/tests/lang/bad/syntax/include";
  const SourceMap source = SourceMap::from_text(
      "glm.stan", "data {\n#include declarations.stan\n}\n", sink, std::span(&dir, 1));
  const SourceRange inside = {1, 0, 3};
  const std::string shown = render(source, sink.report(DiagCode::not_assignable, inside));
  EXPECT_NE(shown.find("declarations.stan:1:1: error"), shown.npos);
  EXPECT_NE(shown.find("  included from glm.stan:2:1\n"), shown.npos);
}

TEST(rendering, shows_notes_with_their_lines) {
  const SourceMap source = text("real x;\nreal x;\n");
  Diagnostics sink;
  sink.report(DiagCode::not_assignable, {0, 13, 14}).note({0, 5, 6}, "first declared here");
  const std::string shown = render(source, sink.all()[0]);
  EXPECT_NE(shown.find("  note: glm.stan:1:6: first declared here\n   1 | real x;\n"), shown.npos);
}

TEST(rendering, orders_by_place_and_counts) {
  const SourceMap source = text("a b c\n");
  Diagnostics sink;
  sink.report(DiagCode::not_assignable, find(source, "c"));
  sink.report(DiagCode::include_trailing_text, find(source, "b"));
  sink.report(DiagCode::not_assignable, find(source, "a"));
  const std::string shown = render(source, sink);
  EXPECT_LT(shown.find(":1:1:"), shown.find(":1:3: warning"));
  EXPECT_LT(shown.find(":1:3:"), shown.find(":1:5:"));
  EXPECT_TRUE(shown.ends_with("\n2 errors, 1 warning\n"));
}

TEST(rendering, is_empty_without_diagnostics) {
  EXPECT_EQ(render(text("a"), Diagnostics()), "");
  EXPECT_EQ(render_json(text("a"), Diagnostics()), "[]");
}

TEST(rendering, writes_json_that_parses) {
  const SourceMap source = text("say \"x\\\"\nmore");
  Diagnostics sink;
  sink.report(DiagCode::unexpected_token, {0, 4, 8}, {"\"\\\n\x01", "b"}, "a \"hint\"")
      .note({0, 9, 13}, "note");
  const auto json = credo::testing::parse_json(render_json(source, sink));
  ASSERT_EQ(json.items.size(), 1u);
  const auto& object = json.items[0];
  EXPECT_EQ(object.find("code")->text, "unexpected-token");
  EXPECT_EQ(object.find("severity")->text, "error");
  EXPECT_EQ(object.find("hint")->text, "a \"hint\"");
  EXPECT_EQ(object.find("line")->number, 1);
  EXPECT_EQ(object.find("column")->number, 5);
  EXPECT_EQ(object.find("end_column")->number, 9);
  EXPECT_EQ(object.find("notes")->items.at(0).find("line")->number, 2);
}

// --- places ---

TEST(source_file, finds_lines_and_columns) {
  const SourceFile file("f", "ab\r\n\ncd");
  EXPECT_EQ(file.position(0), (Position{1, 1}));
  EXPECT_EQ(file.position(3), (Position{1, 4}));
  EXPECT_EQ(file.position(4), (Position{2, 1}));
  EXPECT_EQ(file.position(7), (Position{3, 3}));  // the end
  EXPECT_EQ(file.line(1), "ab");
  EXPECT_EQ(file.line(2), "");
  EXPECT_EQ(file.line(3), "cd");
}

TEST(source_range, join_covers_both_and_stays_in_its_file) {
  EXPECT_EQ(join({0, 5, 7}, {0, 9, 12}), (SourceRange{0, 5, 12}));
  EXPECT_EQ(join({0, 5, 7}, {1, 9, 12}), (SourceRange{0, 5, 7}));
}

// --- names ---

TEST(names_of_other_languages, have_one_here) {
  EXPECT_EQ(distribution_elsewhere("gaussian"), "normal");
  EXPECT_EQ(distribution_elsewhere("dnorm"), "normal");
  EXPECT_EQ(distribution_elsewhere("normal"), "");
  EXPECT_EQ(function_elsewhere("nrow"), "rows");
  EXPECT_EQ(function_elsewhere("rows"), "");
}

TEST(removed_functions, have_a_replacement) {
  EXPECT_EQ(replacement_of_removed_function("fabs"), "abs(x)");
  EXPECT_EQ(replacement_of_removed_function("exp"), "");
}

}  // namespace credo::lang::diagnostics_test
