// Broken tables and formulas, each answered with its place (a caret below the formula, or a row of the file), the reason and a
// way out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/command_run.hpp"

namespace credo::cli::broken_tables_test {
namespace {

struct Broken {
  std::string formula, table;        // table: a name of tables()
  std::vector<std::string> options;  // more words of the command
  std::string place;  // the part of the formula below which carets stand, or "t.csv:7"
  std::string reason, way_out;
};

// Twelve rows: numbers, a column of both signs, levels, counts, trials, ordered codes, zeros and ones.
std::string whole_table() {
  std::string text = "y,x,z,f,g,n,k,o,b\n";
  for (int i = 0; i < 12; ++i)
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", 2.5 + i % 3, i, (i % 2 == 0 ? 0.5 : -0.5) * i,
                    "abc"[i % 3], "uvw"[(i + i / 6) % 3], 10 + i, 3 + i % 4, 1 + i % 3, i % 2);
  return text;
}

const std::map<std::string, std::string>& tables() {
  static const std::map<std::string, std::string> all{
      {"whole", whole_table()},
      {"gaps", "y,x\n1,2\n2,\n3,NA\n4,5\n"},
      {"one level", "y,f\n1,a\n2,a\n3,a\n"},
      {"a text among numbers", "y,x\n1,2\n2,b\n3,4\n"},
      {"no rows", "y,x\n"},
      {"a short row", "y,x\n1,2\n2\n3,4\n"},
      {"a name twice", "y,x,x\n1,2,3\n2,3,4\n3,4,5\n"},
      {"a constant", "y,x\n1,3\n2,3\n4,3\n"},
      {"far away", "y,x\n1,1000000000001\n2,1000000000002\n4,1000000000003\n"},
      {"too large", "y,x\n1,1e999\n2,2\n3,4\n"},
      {"semicolons", "y;x\n1;2\n2;3\n"},
      {"a cell that is missing", "y,f,g\n1,a,u\n2,b,u\n3,a,v\n4,b,v\n5,a,w\n7,a,w\n8,b,u\n"},
  };
  return all;
}

const std::vector<Broken>& broken() {
  static const std::vector<Broken> all{
      {"y ~ xx", "whole", {}, "xx", "no column xx", "did you mean x?"},
      {"yy ~ x", "whole", {}, "yy", "no column yy", "did you mean y?"},
      {"y ~ X", "whole", {}, "X", "no column X", "did you mean x?"},
      {"y ~ (1 | gg)", "whole", {}, "gg", "no column gg", "did you mean g?"},
      {"y ~ x +", "whole", {}, "", "missing at the end", "leave the sign out"},
      {"y ~ (x", "whole", {}, "", "')' is missing", "close the parenthesis"},
      {"y ~ x ~ z", "whole", {}, "~ z", "doesn't belong", "parts are separated by ;"},
      {"x", "whole", {}, "", "here is no ~", "y ~ x + (1 | group)"},
      {"y ~ lg(x)", "whole", {}, "lg(x)", "no function lg()", "did you mean log?"},
      {"y ~ poly(x, 40)", "whole", {}, "poly(x, 40)", "there are 12", "take fewer functions"},
      {"y ~ bs(x, df = 2)", "whole", {}, "2)", "whole number df from 3", "from 3 to 500"},
      {"y ~ log(z)", "whole", {}, "log(z)", "log(z) is -inf in row 1", "leave the row out"},
      {"y ~ s(x, k = 40)", "whole", {}, "s(x, k = 40)", "12 different values", "k = 12"},
      {"y ~ s(f)", "whole", {}, "f)", "f has texts (a, b, c)", "texts are levels"},
      {"y ~ mo(f)", "whole", {}, "f)", "whose order isn't known", "--levels 'f=[...]'"},
      {"y ~ x:mo(o)", "whole", {}, "x:mo(o)", "can't be multiplied", "add it"},
      {"y ~ factor(f, ref = 'd')", "whole", {}, "'d'", "d is no level", "the levels are a, b, c"},
      {"y ~ C(f, treat)", "whole", {}, "treat", "no contrasts treat", "use one of treatment"},
      {"y ~ x + I(2 * x)", "whole", {}, "", "I(2 * x) = 2 * x", "leave one of its terms out"},
      {"y ~ x; sigm ~ x", "whole", {}, "sigm", "no parameter sigm", "did you mean sigma?"},
      {"y ~ x; sigma ~ x; sigma ~ z", "whole", {}, "sigma ~ z", "two formulas", "one of them"},
      {"n | trials(k) ~ x", "whole", {}, "t.csv:2", "more than the 3 trials", "correct the cell"},
      {"k ~ x", "whole", {"--family", "binomial"}, "k ~", "number of trials", "trials(COLUMN)"},
      {"y ~ x", "whole", {"--family", "poisson"}, "t.csv:2", "takes whole numbers", "--family"},
      {"z ~ x", "whole", {"--family", "gamma"}, "t.csv:3", "it must be positive", "--family"},
      {"z ~ x", "whole", {"--family", "beta"}, "t.csv:3", "between 0 and 1", "--family"},
      {"f ~ x", "whole", {"--family", "cumulative"}, "f ~", "order isn't known", "--levels"},
      {"y ~ x", "whole", {"--family", "poison"}, "--family", "no family poison", "did you mean"},
      {"y | cens(f) ~ x", "whole", {}, "t.csv:2", "f is 'a' in row 1", "left, right"},
      {"y | weights(z) ~ x", "whole", {}, "t.csv:3", "z is -0.5 in row 2", "at least 0"},
      {"y | trunc(3, 9) ~ x", "whole", {}, "t.csv:2", "outside of its bounds 3 to 9", "cens()"},
      {"y | se(z) ~ x", "whole", {}, "t.csv:2", "z is 0 in row 1", "sigma = TRUE"},
      {"y ~ x", "whole", {"--prior", "q ~ normal(0, 1)"}, "--prior", "called q", "there are b"},
      {"y ~ x", "whole", {"--prior", "x ~ nrmal(0, 1)"}, "--prior", "nrmal", "did you mean normal"},
      {"y ~ x", "whole", {"--prior", "x normal(0, 1)"}, "--prior", "is no prior", "NAME ~ DIST"},
      {"y ~ x", "gaps", {}, "t.csv:3", "2 of 4 rows have no value in x (2)", "--missing drop"},
      {"y ~ f", "one level", {}, "f", "f has one level, a", "leave the term out"},
      {"y ~ x", "a text among numbers", {}, "t.csv:3", "the text 'b'", "correct the cell"},
      {"y ~ x", "no rows", {}, "", "no row has a value", "the table needs rows"},
      {"y ~ x", "a short row", {}, "t.csv:3", "a row of 1 cells", "double quotes"},
      {"y ~ x", "a name twice", {}, "t.csv:1", "two columns have the name x", "another name"},
      {"y ~ x", "a constant", {}, "", "x is 3 in all rows", "leave the term out"},
      {"y ~ x", "far away", {}, "", "lost beside its size", "subtract its mean"},
      {"y ~ x", "too large", {}, "x", "x is inf in row 1", "correct the cell"},
      {"y ~ x", "semicolons", {}, "t.csv:1", "semicolons in it", "--separator semicolon"},
      {"y ~ f * g", "a cell that is missing", {}, "", "is 0 in all rows", "join levels"},
  };
  return all;
}

class BrokenTables : public testing::CommandRun {
 protected:
  BrokenTables() : CommandRun("broken_tables") {}
};

// The line of carets below the formula begins under the named part.
bool points_at(const std::string& said, const std::string& formula, const std::string& part) {
  const std::string shown = "  " + formula + "\n";
  const std::size_t line = said.find(shown), at = formula.rfind(part);
  return line != said.npos && said.find('^', line + shown.size()) == line + shown.size() + 2 + at;
}

TEST_F(BrokenTables, are_answered_with_place_reason_and_way_out) {
  EXPECT_GE(broken().size(), 40u);
  for (const Broken& one : broken()) {
    SCOPED_TRACE(one.formula + " | " + one.table);
    write("t.csv", tables().at(one.table));
    std::vector<std::string> words{"regression", one.formula, "--data", at("t.csv"), "--explain"};
    words.insert(words.end(), one.options.begin(), one.options.end());
    const int status = run(words);
    EXPECT_TRUE(status == 4 || status == 2) << status;
    const bool is_of_table = one.place.starts_with("t.csv:") || one.place.starts_with("--");
    if (is_of_table) {
      EXPECT_NE(said().find(one.place), std::string::npos) << said();
    } else if (!one.place.empty()) {
      EXPECT_TRUE(points_at(said(), one.formula, one.place)) << said();
    }
    EXPECT_NE(said().find(one.reason), std::string::npos) << said();
    EXPECT_NE(said().find(one.way_out), std::string::npos) << said();
    EXPECT_EQ(printed(), "");
  }
}

// Without the fault each table fits: the refusals above are of the faults and not of the tables.
TEST_F(BrokenTables, fit_without_their_faults) {
  write("t.csv", tables().at("whole"));
  for (const char* formula :
       {"y ~ x + z + f", "y ~ poly(x, 3)", "k ~ x + (1 | g)", "y ~ x; sigma ~ z", "y ~ f + g"})
    EXPECT_EQ(run({"regression", formula, "--data", at("t.csv"), "--explain"}), 0) << said();
  write("t.csv", tables().at("gaps"));
  EXPECT_EQ(run({"regression", "y ~ x", "--data", at("t.csv"), "--missing", "drop", "--explain"}),
            0);
}
}  // namespace
}  // namespace credo::cli::broken_tables_test
