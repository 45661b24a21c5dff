// credo info --statements: the densities of a program without data, as a table and as JSON.
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::info_test {
namespace {

class Info : public testing::CommandRun {
 protected:
  Info() : CommandRun("info") {
    write("model.stan",
          "data { int N; vector[N] y; int J; array[N] int g; }\n"
          "parameters { real mu; real<lower=0> tau; vector[J] theta; }\n"
          "model {\n"
          "  theta ~ normal(mu, tau);\n"
          "  for (n in 1:N)\n"
          "    if (g[n] > 1)\n"
          "      y[n] ~ normal(theta[g[n]], 1) T[0, ];\n"
          "  target += -log(tau);\n"
          "}\n");
  }
};

TEST_F(Info, lists_the_statements_of_a_program_without_data) {
  ASSERT_EQ(run({"info", at("model.stan"), "--statements"}), 0) << said();
  const std::string table = on_one_line(printed());
  for (const char* words :
       {"place kind outcome distribution rows", "effects theta normal(mu, tau) J",
        "likelihood y[n] normal(theta[g[n]], 1) T[0, ] N if g[n] > 1",
        "prior -log(tau) by hand 1 it is a formula that calls no density"})
    EXPECT_NE(table.find(words), std::string::npos) << words << "\n" << printed();
}

TEST_F(Info, says_the_same_as_json) {
  const testing::Json all = json({"info", at("model.stan"), "--statements"});
  const auto& entries = all.at("statements").items;
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].at("kind").text, "effects");
  EXPECT_EQ(entries[0].at("outcome").at("variable").text, "theta");
  EXPECT_EQ(entries[0].at("arguments").items[1].at("role").text, "scale parameter");
  EXPECT_EQ(entries[1].at("distribution").text, "normal");
  EXPECT_EQ(entries[1].at("lower").text, "0");
  EXPECT_EQ(entries[1].at("loops").items[0].at("over").text, "N");
  EXPECT_EQ(entries[1].at("conditions").items[0].at("text").text, "g[n] > 1");
  EXPECT_EQ(entries[2].at("reason").text, "it is a formula that calls no density");
}

TEST_F(Info, prints_the_table_of_exponential_families) {
  ASSERT_EQ(run({"info", "--families"}), 0) << said();
  const std::string table = on_one_line(printed());
  EXPECT_NE(table.find("inv_gamma inv_gamma log x, 1 / x -alpha - 1, -beta 0"), std::string::npos)
      << printed();
  const testing::Json all = json({"info", "--families"});
  const auto& families = all.at("families").items;
  const auto gamma = std::ranges::find_if(
      families, [](const testing::Json& family) { return family.at("name").text == "gamma"; });
  ASSERT_NE(gamma, families.end());
  ASSERT_EQ(gamma->at("statistics").items.size(), 2u);
  EXPECT_EQ(gamma->at("natural_parameters").items[1].text, "-beta");
  EXPECT_EQ(run({"info", at("model.stan"), "--families"}), 2);
  EXPECT_EQ(run({"info", "--families", "--statements"}), 2);
  EXPECT_EQ(run({"info"}), 2);
  EXPECT_NE(said().find("--families"), std::string::npos) << said();
}

}  // namespace
}  // namespace credo::cli::info_test
