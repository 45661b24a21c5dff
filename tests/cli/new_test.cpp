// credo new on realistic tables: numbers that label groups, outcomes of two values, cells without a value, whole
// numbers that aren't counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::new_test {
namespace {

class NewProject : public testing::CommandRun {
 protected:
  NewProject() : CommandRun("new_project") {}

  // Twelve subjects, numbered from 308, with ten days and an effect with standard deviation 40 each; one cell is
  // missing.
  std::string days_of_subjects() {
    Rng rng({.seed = 3, .purpose = purpose::kInterface, .chain = 0, .iteration = 0});
    std::string text = "reaction,day,subject,score,answer\n";
    for (int subject = 308; subject < 320; ++subject) {
      const double own = 40.0 * rng.normal();
      for (int day = 0; day < 10; ++day) {
        const double reaction = 250.0 + own + 10.0 * day + 25.0 * rng.normal();
        text += fmt::format("{:.3f},{},{},{},{}\n", reaction,
                            subject == 310 && day == 4 ? "" : std::to_string(day), subject,
                            10 * (5 + (subject + day) % 6), reaction > 290.0 ? "Yes" : "No");
      }
    }
    return text;
  }
  std::string program(const std::string& folder) {
    return io::read_file(at(folder) + "/model.stan");
  }
  // The last block of a page that begins with this command, split into words.
  std::vector<std::string> command_of_page(const std::string& folder, const std::string& begin) {
    const std::string page = io::read_file(at(folder) + "/README.md");
    std::string line = page.substr(page.find(begin));
    line =
        line.substr(std::string("credo ").size(), line.find('\n') - std::string("credo ").size());
    std::vector<std::string> words(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '\'')
        quoted = !quoted;
      else if (c == ' ' && !quoted)
        words.emplace_back();
      else
        words.back() += c;
    }
    for (std::string& word : words)
      if (word.ends_with(".stan") || word.ends_with(".csv") || word.ends_with(".nc"))
        word = at(folder) + "/" + word;
    return words;
  }
  void make(const std::string& folder, std::vector<std::string> more) {
    std::vector<std::string> words = {"new", at(folder), "--data", at("t.csv")};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said();
  }
};

TEST_F(NewProject, takes_numbers_of_subjects_as_groups_and_its_verdict_accepts_the_fit) {
  write("t.csv", days_of_subjects());
  make("plain", {"--outcome", "reaction"});
  EXPECT_NE(printed().find("subject is taken as an amount; if its numbers are names of groups: "
                           "--group subject"),
            std::string::npos)
      << printed();
  make("groups", {"--outcome", "reaction", "--group", "subject"});
  EXPECT_NE(printed().find("1 of 120 rows of"), std::string::npos) << printed();
  EXPECT_NE(program("groups").find("int<lower=1, upper=K_subject> subject"), std::string::npos);
  EXPECT_EQ(run(command_of_page("groups", "credo data")), 0) << printed() << said();
  auto fit = command_of_page("groups", "credo sample model.stan");
  EXPECT_EQ(run(fit), 0) << said();
  EXPECT_EQ(said().find("Don't believe"), std::string::npos) << said();
  EXPECT_EQ(run(command_of_page("groups", "credo sample baseline.stan")), 0) << said();
  const testing::Json summary = json({"summary", at("groups/model.nc")});
  EXPECT_LT(summary.items.size(), 30u);  // without the elements of mu
  const auto slope = std::ranges::find_if(
      summary.items, [](const testing::Json& row) { return row.at("name").text == "slope_day"; });
  ASSERT_NE(slope, summary.items.end());  // 10 per day, times the standard deviation of 2.87 days
  EXPECT_NEAR(slope->at("mean").number, 28.7, 4.0 * slope->at("sd").number);
  EXPECT_EQ(json({"loo", at("groups/model.nc")}).at("rows").items.size(), 119u);
  EXPECT_EQ(json({"loo", at("groups/baseline.nc")}).at("rows").items.size(), 119u);
}

TEST_F(NewProject, notes_whole_numbers_of_few_values_that_may_be_groups) {
  std::string table = "diet,day,weight\n";
  for (int k = 0; k < 60; ++k) table += fmt::format("{},{},{}\n", 1 + k % 4, k % 12, 50 + k % 7);
  write("t.csv", table);
  make("plain", {"--outcome", "weight"});
  EXPECT_NE(printed().find("diet is taken as an amount; if its numbers are names of groups: "
                           "--group diet"),
            std::string::npos)
      << printed();
  EXPECT_EQ(printed().find("day is taken"), std::string::npos) << printed();
}

TEST_F(NewProject, takes_an_outcome_of_two_texts_as_truths) {
  write("t.csv", days_of_subjects());
  make("truth", {"--outcome", "answer"});
  EXPECT_NE(printed().find("answer_Yes is 1 where answer is Yes, else 0"), std::string::npos)
      << printed();
  EXPECT_NE(program("truth").find("answer_Yes ~ bernoulli_logit(mu)"), std::string::npos);
  EXPECT_EQ(run(command_of_page("truth", "credo sample model.stan")), 0) << said();
  const std::string table = io::read_file(at("t.csv"));
  std::size_t yes = 0;
  for (std::size_t at = table.find("Yes"); at != table.npos; at = table.find("Yes", at + 1)) ++yes;
  const testing::Json seen = json({"data", at("t.csv"), "--columns", "z=is(answer,Yes)"});
  EXPECT_GT(yes, 10u);
  for (const testing::Json& row : seen.at("variables").items) {
    if (row.at("name").text != "z") continue;
    EXPECT_EQ(row.at("greatest").number, 1);
  }
  EXPECT_EQ(run({"data", at("t.csv"), "--columns", "z=is(answer,yes)"}), 4);
  EXPECT_NE(said().find("did you mean Yes?"), std::string::npos) << said();
}

TEST_F(NewProject, takes_whole_numbers_as_counts_only_where_they_look_like_counts) {
  write("t.csv", days_of_subjects());
  make("tens", {"--outcome", "score"});
  EXPECT_NE(program("tens").find("score ~ normal(mu, sigma)"), std::string::npos)
      << program("tens");
  make("asked", {"--outcome", "score", "--kind", "count"});
  EXPECT_NE(program("asked").find("score ~ poisson_log(mu)"), std::string::npos);
  make("small", {"--outcome", "day"});
  EXPECT_NE(program("small").find("day ~ poisson_log(mu)"), std::string::npos) << program("small");
}

TEST_F(NewProject, hints_for_data_in_the_place_of_something_else) {
  write("t.csv", "y,g\n1,a\n2,b\n");
  write("m.stan",
        "data { int N; vector[N] y; } parameters { real m; } model { y ~ normal(m, 1); }");
  EXPECT_EQ(run({"sample", at("m.stan"), at("t.csv")}), 2);
  EXPECT_NE(on_one_line(said()).find("data are named by --data: credo sample " + at("m.stan") +
                                     " --data " + at("t.csv")),
            std::string::npos)
      << said();
  EXPECT_EQ(run({"summary", at("t.csv")}), 2);
  EXPECT_NE(on_one_line(said()).find("this is a table of data, and no draws"), std::string::npos)
      << said();
  EXPECT_NE(on_one_line(said()).find("credo data " + at("t.csv")), std::string::npos) << said();
}

// The first 4,096 bytes tell draws from data. They end within a number here: "1.000e".
TEST_F(NewProject, draws_with_a_long_row_are_no_table_of_data) {
  const std::string names = "a,b\n", start = "2,1.";
  write("draws.csv", names + start + std::string(4095 - names.size() - start.size(), '0') +
                         "e0\n3,4\n5,2\n6,1\n");
  EXPECT_EQ(run({"summary", at("draws.csv")}), 0) << said();
}
}  // namespace
}  // namespace credo::cli::new_test
