// Claims about sizes that tables imply, and about the survey of a program's data.
#include "model/data/sizes.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/data/data_files.hpp"
#include "model/data/data_survey.hpp"
#include "model/model.hpp"

namespace credo::model::sizes_test {
namespace {
constexpr const char* kProgram = R"(data {
  int<lower=0> N;
  int<lower=0> J, K;
  vector[N] y;
  matrix[N, K] X;
  array[N] int<lower=1, upper=J> site;
  real<lower=0> scale;
}
parameters { real mu; }
model { y ~ normal(mu, scale); }
)";
constexpr const char* kTable = "y,a,b,site\n0.5,1,2,x\n1.5,3,4,z\n2.5,5,6,x\n";

std::shared_ptr<const ProgramSource> compiled(const std::string& text) {
  lang::Diagnostics diagnostics;
  lang::SourceMap map;
  auto source = compile_text("m.stan", text, diagnostics, map);
  EXPECT_NE(source, nullptr) << lang::render(map, diagnostics);
  return source;
}

io::DataTable data_of(const std::string& table, const std::string& constants,
                      const std::vector<std::string>& columns, const std::string& missing = "") {
  const io::DataRecipe recipe{
      .files = {"t.csv", "c.json"}, .columns = columns, .missing = missing, .separator = {}};
  const std::map<std::string, std::string> texts = {{"t.csv", table}, {"c.json", constants}};
  return io::read_data(
      recipe.text(), [&](const std::string& path) -> const std::string& { return texts.at(path); });
}

std::string told(const std::vector<SuppliedSize>& sizes) {
  std::string text;
  for (const SuppliedSize& size : sizes)
    text += size.name + "=" + std::to_string(size.value) + " " + size.reason + "; ";
  return text;
}

TEST(supplied_sizes, are_rows_columns_and_levels_and_make_the_model_of_all_data_given) {
  const auto source = compiled(kProgram);
  const io::DataTable data = data_of(kTable, R"({"scale": 2})", {"X=[a,b]"});
  EXPECT_EQ(told(supplied_sizes(source->program, data)),
            "N=3 the number of rows of t.csv; K=2 the number of columns of X; J=2 the number of "
            "levels of site; ");
  const Model model(source, data, {});
  const Model plain(source,
                    io::parse_data(R"({"N": 3, "J": 2, "K": 2, "y": [0.5, 1.5, 2.5], "scale": 2,
                                       "X": [[1, 2], [3, 4], [5, 6]], "site": [1, 2, 1]})",
                                   "c.json"),
                    {});
  const std::vector<double> at{0.3};
  EXPECT_EQ(model.evaluate_in_full(at).log_density, plain.evaluate_in_full(at).log_density);
  EXPECT_EQ(model.data().supplied().size(), 3u);
}

TEST(supplied_sizes, are_not_taken_from_data_that_are_no_columns) {
  const auto source =
      compiled("data { int N; vector[N] y; } parameters { real mu; } model { y ~ normal(mu, 1); }");
  EXPECT_TRUE(
      supplied_sizes(source->program, io::parse_data(R"({"y": [1, 2]})", "c.json")).empty());
  EXPECT_THROW(Model(source, io::parse_data(R"({"y": [1, 2]})", "c.json"), {}), Error);
  EXPECT_EQ(Model(source, io::parse_data("y\n1\n2\n", "c.csv"), {}).dimension(), 1);
}

TEST(supplied_sizes, are_refused_where_they_disagree_and_never_replace_what_is_given) {
  const auto source = compiled(
      "data { int N; vector[N] y; array[N] int i; } parameters { real mu; } model { y ~ normal(mu, "
      "1); }");
  const std::map<std::string, std::string> texts = {{"a.csv", "y\n1\n2\n"}, {"b.csv", "i\n1\n"}};
  const io::DataRecipe two{
      .files = {"a.csv", "b.csv"}, .columns = {}, .missing = {}, .separator = {}};
  const io::DataTable data = io::read_data(
      two.text(), [&](const std::string& path) -> const std::string& { return texts.at(path); });
  try {
    (void)supplied_sizes(source->program, data);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a.csv is 2, the number of rows of b.csv is 1"),
              std::string::npos)
        << error.what();
  }
  const auto one =
      compiled("data { int N; vector[N] y; } parameters { real mu; } model { y ~ normal(mu, 1); }");
  EXPECT_THROW(Model(one, data_of("y\n1\n2\n", R"({"N": 3})", {}), {}), Error);
}

TEST(supplied_sizes, of_missing_values_are_those_of_both_lists) {
  const auto source = compiled(R"(data {
  int N, N_seen, N_gone;
  array[N_seen] int<lower=1, upper=N> y_observed;
  array[N_gone] int<lower=1, upper=N> y_missing;
  vector[N_seen] y;
} parameters { vector[N_gone] gone; } model { y ~ normal(0, 1); gone ~ normal(0, 1); })");
  const io::DataTable data = data_of("y\n1\nNA\n3\n", "{}", {}, "list");
  EXPECT_EQ(
      told(supplied_sizes(source->program, data)),
      "N_seen=2 the number of values of y_observed; N=3 the number of rows of t.csv; N_gone=1 "
      "the number of values of y_missing; ");
}

TEST(data_survey, tells_what_is_given_supplied_missing_and_wrong) {
  const auto source = compiled(kProgram);
  const DataSurvey survey =
      survey_data(*source, data_of("y,a,b,Site\n0.5,1,2,x\n", R"({"scale": -2})", {"X=[a,b]"}));
  std::map<std::string, const DeclaredData*> by_name;
  for (const DeclaredData& d : survey.declared) by_name[d.name] = &d;
  EXPECT_TRUE(by_name.at("N")->is_given);
  EXPECT_EQ(by_name.at("K")->found, "2, the number of columns of X");
  EXPECT_TRUE(by_name.at("y")->is_given);
  EXPECT_FALSE(by_name.at("J")->is_given);
  EXPECT_NE(by_name.at("scale")->problem.find("at least"), std::string::npos)
      << by_name.at("scale")->problem;
  EXPECT_FALSE(by_name.at("site")->is_given);
  EXPECT_EQ(survey.unused, std::vector<std::string>{"Site"});
  EXPECT_FALSE(survey.is_complete());
  EXPECT_TRUE(survey_data(*source, data_of(kTable, R"({"scale": 2})", {"X=[a,b]"})).is_complete());
}
}  // namespace
}  // namespace credo::model::sizes_test
