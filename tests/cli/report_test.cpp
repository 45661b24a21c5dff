// credo report: what is in the file, for results of all kinds. How it looks and works is told by tests/report/browser.
#include <sched.h>

#include "io/file.hpp"
#include "report/kinds.hpp"
#include "support/command_run.hpp"

namespace credo::cli::report_test {
namespace {
using ::credo::testing::Json;

class Report : public ::credo::testing::CommandRun {
 protected:
  Report() : CommandRun("report") {
    write("m.stan",
          "data { int N; vector[N] y; } parameters { real mu; real<lower=0> s; } // </script><b>\n"
          "model { mu ~ normal(0, 3); s ~ normal(0, 2); y ~ normal(mu, s); }");
    write("d.json", R"({"N": 5, "y": [0.3, -0.8, 1.1, 2.2, 0.9]})");
  }
  void sample(std::vector<std::string> more) {
    std::vector<std::string> words{"sample",  at("m.stan"), "--data", at("d.json"), "--quiet",
                                   "--draws", "200",        "--seed", "5"};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said();
  }
  // What the page reads.
  Json report(std::vector<std::string> words) {
    words.insert(words.begin(), "report");
    words.insert(words.end(), {"-o", at("r.html")});
    EXPECT_EQ(run(words), 0) << said();
    html_ = io::read_file(at("r.html"));
    const std::string begin = "id=\"report-json\">";
    const std::size_t first = html_.find(begin) + begin.size();
    std::string text = html_.substr(first, html_.find("</script>", first) - first);
    EXPECT_EQ(text.find('<'), std::string::npos);  // no text of the program ends the script
    for (std::size_t at = 0; (at = text.find("\\u003c", at)) != std::string::npos;)
      text.replace(at, 6, "<");
    return ::credo::testing::parse_json(text);
  }
  static std::vector<std::string> kinds(const Json& json) {
    std::vector<std::string> names;
    for (const Json& picture : json.at("pictures").items) names.push_back(picture.at("kind").text);
    return names;
  }
  std::string html_;
};

TEST_F(Report, holds_what_the_result_says_of_its_run) {
  sample({"-o", at("fit.nc")});
  const Json json = report({at("fit.nc")});
  EXPECT_EQ(json.at("program").at("text").text, io::read_file(at("m.stan")));
  EXPECT_EQ(html_.find("<b>\n"), std::string::npos);  // the program's text is no part of the page
  EXPECT_NE(html_.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(html_.find("%REPORT_"), std::string::npos);
  EXPECT_EQ(json.at("data").at("variables").items.size(), 2u);
  const Json& y =
      json.at("data")
          .at("variables")
          .items[json.at("data").at("variables").items[0].at("name").text == "y" ? 0 : 1];
  EXPECT_EQ(y.at("shape").text, "5");
  EXPECT_TRUE(y.at("observed").truth);
  EXPECT_NE(json.at("data").at("hash").text, "");
  EXPECT_EQ(json.at("settings").at("num_draws").text, "200");
  EXPECT_EQ(json.at("again").at("commands").items[0].text,
            "credo sample --like " + at("fit.nc") + " -o again.nc");
  EXPECT_EQ(kinds(json), (std::vector<std::string>{"calibration", "energy", "intervals", "loo",
                                                   "loo_pit", "overlay", "predictive", "row_scores",
                                                   "scores", "statistics"}));
  const Json diagnosed = this->json({"diagnose", at("fit.nc")});
  EXPECT_EQ(json.at("verdict").at("sentence").text, diagnosed.at("sentence").text);
  const std::string& sentence = diagnosed.at("sentence").text;
  EXPECT_NE(html_.find("data-word=\"" + diagnosed.at("verdict").text + "\">" +
                       sentence.substr(0, sentence.find_first_of(",:.")) + "</p>"),
            std::string::npos)
      << "the badge has the verdict's own words";
}

// Elements of an array in the order of their names, columns of a matrix separately, single quantities by their
// scales.
TEST_F(Report, arranges_what_is_drawn_together) {
  write("m.stan",
        "data { int N; vector[N] y; } parameters { real mu; real<lower=0> s; matrix[3, 2] b; "
        "vector[2] "
        "t; } model { mu ~ normal(0, 3); s ~ normal(0, 2); y ~ normal(mu, s); to_vector(b) ~ "
        "normal(0, 1); t ~ normal(0, 1); } generated quantities { real far = 1000 + 0.001 * mu; "
        "vector[2] m = [250 + mu, s]'; }");
  sample({"-o", at("fit.nc")});
  const Json json = report({at("fit.nc")});
  const auto& names = json.at("quantities").at("name").items;
  std::vector<std::string> found;
  for (const Json& group : json.at("groups").items) {
    found.push_back(group.at("name").text + ":");
    for (const Json& panel : group.at("forest").items) {
      found.push_back(panel.at("title").text);
      for (const Json& place : panel.at("quantities").items)
        found.back() += " " + names[static_cast<std::size_t>(place.number)].text;
    }
  }
  EXPECT_EQ(found, (std::vector<std::string>{"b:", "b[*,1] b[1,1] b[2,1] b[3,1]",
                                             "b[*,2] b[1,2] b[2,2] b[3,2]", "t:", " t[1] t[2]",
                                             "m:", " m[1]", " m[2]", ":", " mu s", " far"}));
}

TEST_F(Report, has_the_figures_of_the_summary_in_full) {
  sample({"-o", at("fit.nc")});
  const Json json = report({at("fit.nc"), "--columns", "s", "--columns", "mu"});
  const Json rows = this->json({"summary", at("fit.nc"), "--columns", "s", "--columns", "mu"});
  const Json& q = json.at("quantities");
  ASSERT_EQ(q.at("name").items.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(q.at("name").items[k].text, rows.items[k].at("name").text);
    for (const char* name :
         {"mean", "sd", "mcse_mean", "ess_bulk", "ess_tail", "r_hat", "q5", "q50", "q95"})
      EXPECT_EQ(q.at(name).items[k].value(), rows.items[k].at(name).value()) << name;
  }
}

TEST_F(Report, has_the_same_bytes_for_any_number_of_processors) {
  sample({"-o", at("fit.nc")});
  report({at("fit.nc")});
  const std::string of_all = html_;
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int k = 0; k < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++k)
    if (CPU_ISSET(k, &before)) CPU_SET(k, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  report({at("fit.nc")});
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(html_, of_all);
}

TEST_F(Report, answers_questions_as_the_summary_does) {
  sample({"-o", at("fit.nc")});
  EXPECT_EQ((report({at("fit.nc")}), html_.find("id=\"questions\"")), std::string::npos);
  const std::vector<std::string> asked{"--where", "mu < s",      "--where", "s > 0",
                                       "--of",    "exp(mu) / s", "--of",    "s < 1 ? 0 : mu"};
  std::vector<std::string> words{at("fit.nc")};
  words.insert(words.end(), asked.begin(), asked.end());
  report(words);
  words.insert(words.begin(), "summary");
  const Json answers = json(words);
  ASSERT_EQ(run(words), 0) << said();
  // The sentences are those of the summary, as HTML.
  for (const char* part : {"P(mu < s) = ", "P(s > 0) = "}) {
    const std::size_t first = printed().find(part);
    std::string sentence = printed().substr(first, printed().find('\n', first) - first);
    for (const auto& [sign, name] : {std::pair{'<', "&lt;"}, std::pair{'>', "&gt;"}})
      if (const std::size_t at = sentence.find(sign); at != std::string::npos)
        sentence.replace(at, 1, name);
    EXPECT_NE(html_.find("<li>" + sentence + "</li>"), std::string::npos) << sentence;
  }
  EXPECT_NE(html_.find("<th scope=\"row\">s &lt; 1 ? 0 : mu</th>"), std::string::npos);
  const std::size_t row = html_.find("<th scope=\"row\">exp(mu) / s</th><td");
  ASSERT_NE(row, std::string::npos);
  const std::size_t cell = html_.find('>', html_.find("<td", row)) + 1;
  const std::string shown = html_.substr(cell, html_.find('<', cell) - cell);
  const std::size_t dot = shown.find('.');
  const double unit =
      dot == std::string::npos ? 1.0 : std::pow(10.0, -static_cast<double>(shown.size() - dot - 1));
  const Json& of = answers.at("of").items[0];
  EXPECT_NEAR(std::stod(shown), of.at("mean").number, 0.5000001 * unit);  // of the last digit
  EXPECT_EQ(run({"report", at("fit.nc"), "--where", "nobody > 1", "-o", at("r.html")}), 2);
  EXPECT_NE(said().find("nobody"), std::string::npos) << said();
}

// Data that came as a table, and words that a shell would take apart.
TEST_F(Report, of_a_fit_of_a_table_has_its_variables_and_a_command_to_copy) {
  write("d.csv", "plot,y\n1,0.3\n2,-0.8\n3,1.1\n4,2.2\n5,0.9\n");
  ASSERT_EQ(run({"sample", at("m.stan"), "--data", at("d.csv"), "--quiet", "--draws", "200",
                 "--seed", "5", "-o", at("fit.nc")}),
            0)
      << said();
  const Json json = report({at("fit.nc"), "--title", "It's a trial"});
  const Json& variables = json.at("data").at("variables");
  ASSERT_FALSE(variables.items.empty());
  for (const Json& variable : variables.items)
    EXPECT_EQ(variable.at("shape").text, variable.at("name").text == "y" ? "5" : "a number");
  EXPECT_NE(json.at("again").at("commands").items[1].text.find(R"(It'\''s a trial')"),
            std::string::npos)
      << json.at("again").at("commands").items[1].text;
}

TEST_F(Report, of_files_without_their_program_says_what_is_missing) {
  sample({"--chains", "2", "-o", at("fit")});
  const std::vector<std::string> files{at("fit_1.csv"), at("fit_2.csv")};
  const Json bare = report(files);
  EXPECT_EQ(kinds(bare), std::vector<std::string>{"energy"});
  const auto of_whole_run = [](const report::PictureKind* kind) {
    return kind->most_quantities == 0;
  };
  ASSERT_EQ(ssize(bare.at("refusals").items) + 1,
            std::ranges::count_if(report::picture_kinds(), of_whole_run));
  EXPECT_NE(bare.at("refusals").items[0].at("reason").text.find("--model"), std::string::npos);
  EXPECT_EQ(bare.at("num_prior_draws").number, 0.0);
  EXPECT_EQ(
      kinds(report({files[0], files[1], "--model", at("m.stan"), "--data", at("d.json")})).size(),
      10u);
}

TEST_F(Report, takes_weighted_draws) {
  sample({"--sampler", "importance", "-o", at("fit.nc")});
  const Json json = report({at("fit.nc")});
  EXPECT_TRUE(json.at("weighted").truth);
  const Json rows = this->json({"summary", at("fit.nc")});
  const Json& q = json.at("quantities");
  for (std::size_t k = 0; k < rows.items.size(); ++k)
    EXPECT_EQ(q.at("mean").items[k].value(), rows.items[k].at("mean").value());
}

TEST_F(Report, names_the_command_that_repeats_the_run) {
  ASSERT_EQ(run({"laplace", at("m.stan"), "--data", at("d.json"), "-o", at("l.nc"), "--quiet"}), 0)
      << said();
  const Json json = report({at("l.nc")});
  EXPECT_EQ(json.at("again").at("commands").items[0].text,
            "credo approximate --like " + at("l.nc") + " -o again.nc");
}

TEST_F(Report, keeps_fewer_draws_of_many_and_says_which) {
  sample({"-o", at("fit.nc")});
  const Json json = report({at("fit.nc"), "--draws", "1000"});
  EXPECT_EQ(json.at("packed").at("kept").items[0].items.size(),
            67u);  // every third of 200, of two parameters and lp__
  EXPECT_EQ(json.at("packed").at("kept").items[0].items[1].number, 3.0);
}

TEST_F(Report, says_what_is_wrong) {
  sample({"-o", at("fit.nc")});
  EXPECT_EQ(run({"report", at("fit.nc")}), 2);
  EXPECT_NE(said().find("-o report.html"), std::string::npos) << said();
  EXPECT_EQ(run({"report", at("nowhere.nc"), "-o", at("r.html")}), 6);
  EXPECT_EQ(run({"report", at("fit.nc"), "--columns", "q", "-o", at("r.html")}), 2);
  EXPECT_EQ(run({"report", at("fit.nc"), "-o", at("no/where.html")}), 6);
  EXPECT_FALSE(std::filesystem::exists(at("r.html")));
}

}  // namespace
}  // namespace credo::cli::report_test
