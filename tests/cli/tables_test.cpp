// Realistic tables in sample, predict, filter and score: the right rows, or an error with row and column. Rows are
// read from generated quantities that repeat the data.
#include <gtest/gtest.h>

#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"

namespace credo::cli::tables_test {
namespace {

constexpr const char* kRegression = R"(data {
  int<lower=0> N;
  int<lower=1> K;
  vector[N] y;
  vector[N] x;
  array[N] int<lower=1, upper=K> g;
}
parameters { real a; real b; vector[K] u; }
model { a ~ normal(0, 5); b ~ normal(0, 5); u ~ normal(0, 1); y ~ normal(a + b * x + u[g], 1); }
generated quantities {
  vector[N] seen_y = y;
  vector[N] seen_x = x;
  array[N] int seen_g = g;
}
)";

// A level that follows its state, with an input and groups.
constexpr const char* kStates = R"(functions {
  real initial_rng() { return normal_rng(0, 1); }
  real initial_lpdf(real h) { return normal_lpdf(h | 0, 1); }
  real transition_rng(real before, real s) { return normal_rng(before, s); }
  real transition_lpdf(real h, real before, real s) { return normal_lpdf(h | before, s); }
  real observation_lpdf(real y, real h, real x, int g) { return normal_lpdf(y | h + 0.5 * x + g, 1); }
}
data {
  int<lower=0> N;
  int<lower=1> K;
  vector[N] y;
  vector[N] x;
  array[N] int<lower=1, upper=K> g;
}
parameters { real<lower=0> s; }
model { s ~ normal(0, 1); }
)";

using Numbers = std::vector<double>;

// A table, its options, and the result: values that the program sees, or the error.
struct Table {
  const char* name;
  const char* text;
  std::vector<std::string> options = {};
  Numbers y = {}, x = {}, g = {};
  std::vector<std::string> error = {};  // parts of the message; empty: no error
  std::vector<std::string> told = {};   // parts of the note
  const char* file = "t.csv";
};

const std::vector<std::string> kDrop = {"--missing", "drop"};

const Table kTables[] = {
    {"plain",
     "y,x,g\n1,0,b\n2,1,a\n3.5,2,b\n4,3,c\n",
     {},
     {1, 2, 3.5, 4},
     {0, 1, 2, 3},
     {2, 1, 2, 3}},
    {"gaps_in_two_columns",
     "y,x,g\n1,0,a\n2.1,1,b\n,2,a\n3.9,,b\n5.2,4,a\n",
     kDrop,
     {1, 2.1, 5.2},
     {0, 1, 4},
     {1, 2, 1},
     {},
     {"2 of 5 rows", "y or x", "rows 3, 4 (lines 4, 5)"}},
    {"gaps_without_a_word",
     "y,x,g\n1,0,a\n2.1,1,b\n,2,a\n3.9,,b\n5.2,4,a\n",
     {},
     {},
     {},
     {},
     {"t.csv:4", "column y has no value in row 3", "hint: --missing drop"}},
    {"gaps_listed",
     "y,x,g\n1,0,a\n2.1,1,b\n,2,a\n3.9,,b\n5.2,4,a\n",
     {"--missing", "list"},
     {},
     {},
     {},
     {"variable y", "1 of 5 values of column y", "neither y_observed nor y_missing",
      "--missing drop"}},
    {"gaps_kept_for_a_regression",
     "y,x,g\n1,0,a\n,1,b\n",
     {"--missing", "nan"},
     {},
     {},
     {},
     {"t.csv:3", "column y has no value in row 2", "observation_lpdf"}},
    {"words_for_nothing",
     "y,x,g\n1,0,a\nNA,1,b\n2,N/A,b\n3,NaN,b\n4,null,b\n5,5,b\n",
     kDrop,
     {1, 5},
     {0, 5},
     {1, 2},
     {},
     {"rows 2, 3, 4, 5"}},
    {"a_level_that_goes",
     "y,x,g\n1,0,c\n,1,b\n2,2,a\n3,3,\n",
     kDrop,
     {1, 2},
     {0, 2},
     {2, 1},
     {},
     {"a level of g is in none of the other rows and is left out: b", "K is 2"}},
    {"gaps_elsewhere", "y,z,x,g\n1,,0,a\n2,3,1,b\n", kDrop, {1, 2}, {0, 1}, {1, 2}},
    {"no_complete_row",
     "y,x,g\n,0,a\n2,,b\n",
     kDrop,
     {},
     {},
     {},
     {"every row of", "lacks a value in y or x"}},
    {"an_empty_line", "y,x,g\n1,0,a\n\n2,1,b\n", {}, {}, {}, {}, {"t.csv:3", "an empty line"}},
    {"a_column_twice",
     "y,x,x,g\n1,0,1,a\n",
     {},
     {},
     {},
     {},
     {"t.csv:1", "two columns have the name x: numbers 2 and 3"}},
    {"rows_twice", "y,x,g\n1,0,a\n1,0,a\n2,1,b\n", {}, {1, 1, 2}, {0, 0, 1}, {1, 1, 2}},
    {"quoted_numbers",
     "\"y\",\"x\",\"g\"\n\"1\",\"0\",\"a\"\n\"2.5\",\"1\",\"b\"\n",
     {},
     {1, 2.5},
     {0, 1},
     {1, 2}},
    {"quoted_decimal_commas",
     "y,x,g\n\"1,5\",0,a\n\"2,5\",1,b\n",
     {},
     {},
     {},
     {},
     {"column y is a factor", "--decimal comma"}},
    {"quoted_thousands",
     "y,x,g\n\"1,500\",0,a\n\"1,202,500\",1,b\n",
     {},
     {},
     {},
     {},
     {"column y is a factor", "may separate thousands"}},
    {"quoted_names_with_semicolons",
     "\"y\";\"x\";\"g\"\n1,5;0;\"a\"\n2;1;\"b\"\n",
     {},
     {},
     {},
     {},
     {"t.csv:1", "--separator semicolon", "--decimal comma"}},
    {"one_separator_of_thousands",
     "y,x,g\n1,0,a\n\"2,500\",1,b\n",
     {},
     {},
     {},
     {},
     {"t.csv:3", "`2,500` is no number", "if the comma separates thousands"}},
    {"decimal_commas",
     "y,x,g\n\"1,5\",0,a\n\"2,5\",1,b\n",
     {"--decimal", "comma"},
     {1.5, 2.5},
     {0, 1},
     {1, 2}},
    {"one_decimal_comma",
     "y,x,g\n1,0,a\n\"2,5\",1,b\n",
     {},
     {},
     {},
     {},
     {"t.csv:3", "`2,5` is no number", "--decimal comma"}},
    {"semicolons",
     "y;x;g\n1,5;0;a\n2;1;b\n",
     {"--separator", "semicolon"},
     {1.5, 2},
     {0, 1},
     {1, 2}},
    {"two_decimal_signs",
     "y;x;g\n1,5;0;a\n1.500;1;b\n",
     {"--separator", "semicolon"},
     {},
     {},
     {},
     {"t.csv:3", "`1.500` is no number", "column y"}},
    {"a_text_among_numbers",
     "y,x,g\n1,0,a\n<5,1,b\n",
     {},
     {},
     {},
     {},
     {"t.csv:3", "`<5` is no number", "column y"}},
    {"dates_as_numbers",
     "y,x,g\n1,2024-01-31,a\n2,2024-02-28,b\n",
     {},
     {},
     {},
     {},
     {"column x is a factor", "a date is no number"}},
    {"dates_as_groups",
     "y,x,g\n1,0,2024-02-28\n2,1,2024-01-31\n",
     {},
     {1, 2},
     {0, 1},
     {2, 1},
     {},
     {"g has codes: 1 2024-01-31, 2 2024-02-28"}},
    {"truths", "y,x,g\n1,TRUE,a\n2,FALSE,b\n", {}, {1, 2}, {1, 0}, {1, 2}},
    {"other_ways_to_write_numbers", "y,x,g\n1e0,0.0,a\n+2,1e1,b\n", {}, {1, 2}, {0, 10}, {1, 2}},
    {"subject_numbers", "y,x,g\n1,0,\"309\"\n2,1,\"308\"\n", {}, {}, {}, {}, {"K"}},
    {"subject_numbers_as_groups",
     "y,x,subject\n1,0,\"309\"\n2,1,\"308\"\n3,2,\"1000\"\n",
     {"--columns", "g=factor(subject)"},
     {1, 2, 3},
     {0, 1, 2},
     {2, 1, 3}},
    {"levels_in_a_given_order",
     "y,x,g\n1,0,a\n2,1,b\n3,2,c\n",
     {"--levels", "g=[c,a,b]"},
     {1, 2, 3},
     {0, 1, 2},
     {2, 3, 1}},
    {"a_reference",
     "y,x,g\n1,0,a\n2,1,b\n3,2,c\n",
     {"--levels", "g=[b,...]"},
     {1, 2, 3},
     {0, 1, 2},
     {2, 1, 3}},
    {"a_level_that_is_not_listed",
     "y,x,g\n1,0,a\n2,1,b\n",
     {"--levels", "g=[a,c]"},
     {},
     {},
     {},
     {"t.csv:3", "column g has `b`", "among the 2 levels"}},
    {"levels_of_nothing",
     "y,x,g\n1,0,a\n",
     {"--levels", "h=[a]"},
     {},
     {},
     {},
     {"--levels", "no variable h"}},
    {"names_in_capitals",
     "Y,x,g\n1,0,a\n",
     {},
     {},
     {},
     {},
     {"variable y is not in the data", "case-sensitive", "--columns y=Y"}},
    {"blanks_and_line_ends",
     "\xEF\xBB\xBFy , x,g \r\n 1,0 , a\r\n2, 1,a \r\n",
     {},
     {1, 2},
     {0, 1},
     {1, 1}},
    {"columns_in_another_order", "g,extra,x,y\nb,9,0,1\na,8,1,2\n", {}, {1, 2}, {0, 1}, {2, 1}},
    {"row_names",
     "\"\",\"y\",\"x\",\"g\"\n\"1\",1,0,\"a\"\n\"2\",2,1,\"b\"\n",
     {},
     {1, 2},
     {0, 1},
     {1, 2}},
    {"a_short_row", "y,x,g\n1,0,a\n2,1\n", {}, {}, {}, {}, {"t.csv:3", "a row of 2 cells"}},
    {"tabs", "y\tx\tg\n1\t0\ta\n2\t\tb\n", kDrop, {1}, {0}, {1}, {}, {"row 2 (line 3)"}, "t.tsv"},
};

class Tables : public testing::CommandRun {
 protected:
  Tables() : CommandRun("tables") { write("reg.stan", kRegression); }

  std::vector<std::string> sampled(const std::string& program, const std::string& table,
                                   const std::vector<std::string>& options) {
    std::vector<std::string> words = {"sample", at(program), "--data",   at(table),   "--chains",
                                      "1",      "--warmup",  "50",       "--draws",   "20",
                                      "--seed", "1",         "--output", at("fit.nc")};
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }
  void fit(const std::string& program, const std::string& table,
           const std::vector<std::string>& options = {}) {
    EXPECT_EQ(run(sampled(program, table, options)), 0) << said();
  }
  // Means of the elements of a quantity, from a summary as JSON.
  static Numbers means_of(const testing::Json& summary, const std::string& name) {
    Numbers found;
    for (const testing::Json& row : summary.items)
      if (row.at("name").text.starts_with(name + ".")) found.push_back(row.at("mean").value());
    return found;
  }
  // The rows that the program is to see, as JSON.
  static std::string rows_of(const Table& table, double levels) {
    const auto list = [](const Numbers& values) {
      std::string text;
      for (const double v : values) text += (text.empty() ? "[" : ", ") + std::to_string(v);
      return text + "]";
    };
    const auto codes = [](const Numbers& values) {
      std::string text;
      for (const double v : values)
        text += (text.empty() ? "[" : ", ") + std::to_string(static_cast<int>(v));
      return text + "]";
    };
    return R"({"N": )" + std::to_string(table.y.size()) + R"(, "K": )" +
           std::to_string(static_cast<int>(levels)) + R"(, "y": )" + list(table.y) + R"(, "x": )" +
           list(table.x) + R"(, "g": )" + codes(table.g) + "}";
  }
  // Finds all parts in the text, ignoring line breaks.
  static void expect_parts(const std::string& text, const std::vector<std::string>& parts,
                           const char* name) {
    for (const std::string& part : parts)
      EXPECT_NE(on_one_line(text).find(part), std::string::npos)
          << name << ": no `" << part << "` in\n"
          << text;
  }
  // Runs a command that reads the table for a fit whose levels are a, b, c: the answer as JSON (true), or the refusal of
  // the table or of its levels (false).
  bool is_read_like_the_fit(std::vector<std::string> words, const Table& table) {
    words.insert(words.end(), table.options.begin(), table.options.end());
    const bool has_own_levels = std::string_view(table.name).find("subject") != std::string::npos ||
                                std::string_view(table.name) == "dates_as_groups";
    const bool is_refused = has_own_levels || !table.error.empty();
    if (!is_refused) words.emplace_back("--json");
    const int status = run(words);
    if (!is_refused) {
      EXPECT_EQ(status, 0) << table.name << said();
      return status == 0;
    }
    EXPECT_TRUE(status == 2 || status == 4) << table.name << said();
    const std::vector<std::string> levels = {"among the 3 levels of the fit: a, b, c"};
    expect_parts(said(), has_own_levels ? levels : table.error, table.name);
    return false;
  }
  void expect_seen(const testing::Json& summary, const Table& table) {
    EXPECT_EQ(means_of(summary, "seen_y"), table.y) << table.name;
    EXPECT_EQ(means_of(summary, "seen_x"), table.x) << table.name;
    EXPECT_EQ(means_of(summary, "seen_g"), table.g) << table.name;
  }
};

LONG_TEST_F(Tables, sample_sees_the_right_rows_or_names_row_and_column) {
  EXPECT_GE(std::size(kTables), 30u);
  for (const Table& table : kTables) {
    write(table.file, table.text);
    const int status = run(sampled("reg.stan", table.file, table.options));
    expect_parts(said(), table.told, table.name);
    if (!table.error.empty()) {
      EXPECT_TRUE(status == 2 || status == 4) << table.name << said();
      expect_parts(said(), table.error, table.name);
      continue;
    }
    EXPECT_EQ(status, 0) << table.name << said();
    expect_seen(json({"summary", at("fit.nc")}), table);
  }
}

// The fit's levels are a, b, c; the tables contain some of them, or others.
TEST_F(Tables, predict_sees_the_right_rows_or_names_row_and_column) {
  write("first.csv", "y,x,g\n1,0,a\n2,1,b\n3,2,c\n2,2,c\n");
  fit("reg.stan", "first.csv");
  for (const Table& table : kTables) {
    if (std::ranges::count(table.options, "--levels") > 0) continue;  // the fit has an order
    write(table.file, table.text);
    if (!is_read_like_the_fit({"predict", at("fit.nc"), "--data", at(table.file)}, table)) continue;
    const testing::Json summary = testing::parse_json(printed());
    EXPECT_EQ(means_of(summary, "seen_y"), table.y) << table.name;
    EXPECT_EQ(means_of(summary, "seen_x"), table.x) << table.name;
    // a, b and c have the fit's codes, whichever of them are in the table.
    const Numbers codes = means_of(summary, "seen_g");
    EXPECT_EQ(codes.size(), table.g.size()) << table.name;
    if (std::string_view(table.name) == "a_level_that_goes")
      EXPECT_EQ(codes, (Numbers{3, 1}));
    else
      EXPECT_EQ(codes, table.g) << table.name;
  }
}

// The filter answers as it does for the same rows as JSON.
TEST_F(Tables, filter_sees_the_right_rows_or_names_row_and_column) {
  write("states.stan", kStates);
  write("at.json", R"({"s": 0.7})");
  std::vector<std::string> words = {"filter",   at("states.stan"), "--parameters", at("at.json"),
                                    "--method", "kalman",          "--data"};
  for (const Table& table : kTables) {
    const bool keeps_gaps = std::string_view(table.name) == "gaps_kept_for_a_regression";
    if (keeps_gaps) continue;  // a filter takes them: filter_keeps_the_gaps_of_a_series
    write(table.file, table.text);
    auto with_table = words;
    with_table.push_back(at(table.file));
    with_table.insert(with_table.end(), table.options.begin(), table.options.end());
    const int status = run(with_table);
    expect_parts(said(), table.told, table.name);
    if (!table.error.empty()) {
      EXPECT_TRUE(status == 2 || status == 4) << table.name << said();
      expect_parts(said(), table.error, table.name);
      continue;
    }
    ASSERT_EQ(status, 0) << table.name << said();
    const std::string found = printed();
    EXPECT_NE(found.find("log likelihood"), std::string::npos) << found;
    write("rows.json", rows_of(table, std::ranges::max(table.g)));
    auto with_rows = words;
    with_rows.push_back(at("rows.json"));
    ASSERT_EQ(run(with_rows), 0) << table.name << said();
    EXPECT_EQ(found, printed()) << table.name;
  }
}

// Each row's scores are those of the same rows as JSON with the codes of the fit, whose levels are a, b, c.
TEST_F(Tables, score_sees_the_right_rows_or_names_row_and_column) {
  write("first.csv", "y,x,g\n1,0,a\n2,1,b\n3,2,c\n2,2,c\n");
  fit("reg.stan", "first.csv");
  const auto scores_of = [&](const std::string& text) {
    return text.substr(text.find("\"form\""));
  };
  for (const Table& table : kTables) {
    if (std::ranges::count(table.options, "--levels") > 0) continue;  // the fit has an order
    write(table.file, table.text);
    if (!is_read_like_the_fit({"score", at("fit.nc"), "--test", at(table.file)}, table)) continue;
    const std::string found = scores_of(printed());
    Table coded = table;
    if (std::string_view(table.name) == "a_level_that_goes") coded.g = {3, 1};
    write("rows.json", rows_of(coded, 3));
    ASSERT_EQ(run({"score", at("fit.nc"), "--json", "--test", at("rows.json")}), 0)
        << table.name << said();
    EXPECT_EQ(found, scores_of(printed())) << table.name;
  }
}

TEST_F(Tables, predict_takes_levels_by_name) {
  write("first.csv", "y,x,g\n1,0,north\n2,1,south\n3,2,east\n");
  fit("reg.stan", "first.csv");
  write("new.csv", "y,x,g\n1,0,south\n");
  const testing::Json summary = json({"predict", at("fit.nc"), "--data", at("new.csv")});
  EXPECT_EQ(means_of(summary, "seen_g"), Numbers{3});  // east, north, south
  write("new.csv", "y,x,g\n1,0,south\n2,0,west\n");
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("new.csv")}), 4);
  expect_parts(said(),
               {"new.csv:3", "column g has `west`", "levels of the fit: east, north, south",
                "no parameter for a new level"},
               "west");
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("new.csv"), "--levels", "g=[south,west]"}),
            2);
  expect_parts(said(), {"the levels of g are east, north, south in the fit"}, "other order");
}

// A column of numbers and a column of texts with the same name aren't the same variable.
TEST_F(Tables, predict_keeps_what_a_variable_was_made_of) {
  write("texts.csv", "y,x,g\n1,0,a\n2,1,b\n3,2,b\n");
  write("numbers.csv", "y,x,g\n1,0,1\n2,1,2\n3,2,2\n");
  write("K.json", R"({"K": 2})");
  fit("reg.stan", "texts.csv");
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("numbers.csv")}), 4);
  expect_parts(said(), {"numbers.csv:2", "column g has `1`", "levels of the fit: a, b"}, "numbers");
  fit("reg.stan", "numbers.csv", {"--data", at("K.json")});
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("texts.csv"), "--data", at("K.json")}), 4);
  expect_parts(said(), {"texts.csv:2", "column g has texts (a, b)", "made of numbers"}, "texts");
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("numbers.csv"), "--data", at("K.json")}), 0)
      << said();
}

constexpr const char* kMatrix = R"(data { int N; vector[N] y; matrix[N, 2] X; }
transformed data { real middle = mean(X[:, 1]); vector[N] centred = X[:, 1] - middle; }
parameters { vector[2] b; }
model { b ~ normal(0, 1); y ~ normal(X * b, 1); }
generated quantities { vector[N] seen_1 = X[:, 1]; vector[N] seen_2 = X[:, 2]; vector[N] m = b[1] * centred; }
)";

TEST_F(Tables, predict_takes_columns_as_the_fit_did_and_tells_other_centres) {
  write("matrix.stan", kMatrix);
  write("first.csv", "weight,height,age\n1,10,20\n2,11,22\n3,12,21\n");
  fit("matrix.stan", "first.csv", {"--columns", "y=weight,X=[height,age]"});
  write("new.csv", "age,height,weight\n30,14,1\n31,18,2\n");
  const testing::Json summary = json({"predict", at("fit.nc"), "--data", at("new.csv")});
  EXPECT_EQ(means_of(summary, "seen_1"), (Numbers{14, 18}));
  EXPECT_EQ(means_of(summary, "seen_2"), (Numbers{30, 31}));
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("new.csv")}), 0);
  expect_parts(said(), {"middle is computed from the data: it is 11 for the fit and 16 here"},
               "centre");
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("new.csv"), "--columns", "X=[age,height]"}),
            2);
  expect_parts(said(), {"the columns of X were [height,age] for the fit"}, "swapped");
}

TEST_F(Tables, the_rows_that_are_left_out_stay_left_out_in_what_follows) {
  write("gaps.csv", "y,x,g\n1,0,a\n2.1,1,b\n,2,a\n3.9,,b\n5.2,4,a\n");
  fit("reg.stan", "gaps.csv", kDrop);
  EXPECT_EQ(json({"score", at("fit.nc")}).at("num_rows").value(), 3);
  EXPECT_EQ(json({"loo", at("fit.nc")}).at("rows").items.size(), 3u);
  write("new.csv", "y,x,g\n1,0,b\n2,,a\n");
  const testing::Json summary = json({"predict", at("fit.nc"), "--data", at("new.csv")});
  EXPECT_EQ(means_of(summary, "seen_g"), Numbers{2});
  expect_parts(said(), {"1 of 2 rows of", "has no value in x", "row 2 (line 3)"}, "in JSON, too");
  EXPECT_EQ(run({"export", at("fit.nc"), "-o", at("again.nc")}), 0) << said();
  EXPECT_EQ(json({"score", at("again.nc")}).at("num_rows").value(), 3);
}

TEST_F(Tables, rows_of_two_tables_that_lose_different_ones_are_not_paired) {
  write("y.csv", "y,g\n1,a\n,b\n3,a\n");
  write("x.csv", "x\n0\n1\nNA\n");
  EXPECT_EQ(run(sampled("reg.stan", "y.csv", {"--data", at("x.csv"), "--missing", "drop"})), 4);
  expect_parts(said(), {"have 3 rows each", "put the columns into one table"}, "two tables");
}

TEST_F(Tables, the_input_of_missing_pairs_has_its_complete_rows) {
  const std::string inputs = CREDO_SOURCE_DIR "/tests/inputs/";
  const std::vector<std::string> words = {"log-prob", inputs + "missing_pairs.stan", "--data",
                                          inputs + "missing_pairs.csv"};
  write("points.json", "[[0.5, 1.5, 0]]");
  write("pairs.json", R"({"N": 3, "y": [1, 2.1, 5.2], "x": [0, 1, 4]})");
  auto dropped = words;
  for (const std::string& word : {std::string("--missing"), std::string("drop"),
                                  std::string("--unconstrained"), at("points.json")})
    dropped.push_back(word);
  EXPECT_EQ(run(dropped), 0) << said();
  const std::string found = printed();
  EXPECT_EQ(
      run({"log-prob", words[1], "--data", at("pairs.json"), "--unconstrained", at("points.json")}),
      0);
  EXPECT_EQ(found, printed());
  auto listed = words;
  listed.insert(listed.end(), {"--missing", "list", "--unconstrained", at("points.json")});
  EXPECT_EQ(run(listed), 4);
  expect_parts(said(), {"neither y_observed nor y_missing"}, "list");
}

// Value of an independent Kalman filter (tests/inputs/README.md).
TEST_F(Tables, filter_keeps_the_gaps_of_a_series) {
  const std::string inputs = CREDO_SOURCE_DIR "/tests/inputs/";
  write("at.json", R"({"sd_flow": 120, "sd_level": 38})");
  std::vector<std::string> words = {
      "filter",       inputs + "level.stan", "--data",   inputs + "level_gaps.csv",
      "--parameters", at("at.json"),         "--method", "kalman",
      "--missing"};
  const auto with = [&](const char* use) {
    auto all = words;
    all.emplace_back(use);
    return all;
  };
  const testing::Json found = json(with("nan"));
  EXPECT_NEAR(found.at("log_likelihood").value(), -387.9056, 5e-5);
  EXPECT_EQ(run(with("nan")), 0);
  expect_parts(said(), {"T is 100, the number of rows"}, "nan");
  EXPECT_EQ(run(with("list")), 4);
  expect_parts(said(), {"40 of 100 values of column y", "--missing nan keeps gaps"}, "list");
  EXPECT_EQ(run(with("refuse")), 4);
  expect_parts(said(), {"level_gaps.csv:22", "--missing drop"}, "refuse");
  EXPECT_EQ(run(with("drop")), 0) << said();
  expect_parts(said(), {"40 of 100 rows", "T is 60", "--missing nan keeps those"}, "drop");
}

TEST_F(Tables, other_data_than_the_fits_are_not_passed_over) {
  write("first.csv", "y,x,g\n1,0,a\n2,1,b\n3,2,a\n");
  write("other.csv", "y,x,g\n1,0,b\n2,1,a\n3,2,b\n");
  fit("reg.stan", "first.csv");
  EXPECT_EQ(run({"loo", at("fit.nc"), "--data", at("first.csv")}), 0) << said();
  EXPECT_EQ(run({"loo", at("fit.nc"), "--data", at("other.csv")}), 2);
  expect_parts(said(), {"keeps the data it was made of", "credo predict"}, "loo");
  EXPECT_EQ(run({"sbc", at("reg.stan"), "--data", at("other.csv"), "--posterior", at("fit.nc"),
                 "--replicates", "2", "--draws", "20", "--warmup", "20"}),
            4);
  expect_parts(said(), {"the fit has other data"}, "sbc");
}

// A result without its data stores their digest, so that the same files have the same levels.
TEST_F(Tables, a_result_without_its_data_takes_the_same_table_and_refuses_levels_it_cannot_know) {
  write("first.csv", "y,x,g\n1,0,c\n2,1,b\n3,2,c\n");
  write("other.csv", "y,x,g\n1,0,a\n2,1,c\n3,2,a\n");
  fit("reg.stan", "first.csv", {"--no-data"});
  EXPECT_EQ(run({"loo", at("fit.nc"), "--data", at("first.csv")}), 0) << said();
  EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("other.csv")}), 2);
  expect_parts(said(), {"column g has texts (a, c)", "--levels 'g=[...]'"}, "levels");
  write("other.csv", "y,x,g\n1,0,c\n");
  const testing::Json summary =
      json({"predict", at("fit.nc"), "--data", at("other.csv"), "--levels", "g=[b,c]"});
  EXPECT_EQ(means_of(summary, "seen_g"), Numbers{2});
}

}  // namespace
}  // namespace credo::cli::tables_test
