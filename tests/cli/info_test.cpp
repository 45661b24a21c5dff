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

// Four statements of 40 rows: groups, a triangle, distinct rows, and a mean that no path takes.
TEST_F(Info, explains_the_paths_of_statements) {
  write("paths.stan",
        "data { int N; array[N] int g, k; vector[N] x, y; }\n"
        "parameters { real a, b; real<lower=0> s; vector[4] u, v; }\n"
        "model {\n"
        "  y ~ normal(a + s * (u[g] + x .* v[g]), 2);\n"
        "  y ~ normal(a + b * x, 2);\n"
        "  k ~ poisson_log(u[g]);\n"
        "  y ~ normal(sin(a * x), 2);\n"
        "}\n");
  std::string g, k, x, y;
  for (int i = 0; i < 40; ++i) {
    const std::string comma = i > 0 ? ", " : "";
    g += comma + std::to_string(i % 4 + 1), k += comma + std::to_string(i * 7 % 5);
    x += comma + std::to_string(i * 0.37 - 3.0), y += comma + std::to_string(i * i % 11 - 5.5);
  }
  write("paths.json", "{\"N\": 40, \"g\": [" + g + "], \"k\": [" + k + "], \"x\": [" + x +
                          "], \"y\": [" + y + "]}");
  const std::vector<std::string> question{"info", at("paths.stan"), "--data", at("paths.json"),
                                          "--explain"};
  ASSERT_EQ(run(question), 0) << said();
  for (const char* words :
       {"grouped: 40 rows become 4 groups with 2 unknowns of each and 0 unknowns of all rows",
        "statistics: 40 rows become one triangle of 2 unknowns of all rows",
        "distinct: 40 rows become 4 distinct ones with counts", "has another value in each row"})
    EXPECT_NE(printed().find(words), std::string::npos) << words << "\n" << printed();
  const testing::Json all = json(question);
  const auto& paths = all.at("paths").items;
  ASSERT_EQ(paths.size(), 4u) << printed();
  EXPECT_EQ(paths[0].at("path").text, "grouped");
  EXPECT_EQ(paths[0].at("groups").number, 4.0);
  EXPECT_EQ(paths[3].at("path").text, "");
  EXPECT_NE(paths[3].at("because").text.find("paths.stan:7"), std::string::npos);
}

// Normal effects of normal outcomes, not centred; with counts the same effects aren't normal given the rest.
TEST_F(Info, explains_which_effects_are_integrated_out_exactly) {
  const std::string head =
      "data { int N; array[N] int g, k; vector[N] y; }\n"
      "parameters { real a; real<lower=0> s, sigma; vector[2] u; }\n"
      "model { u ~ std_normal(); ";
  write("normal.stan", head + "y ~ normal(a + s * u[g], sigma); }\n");
  write("counts.stan", head + "k ~ poisson_log(a + s * u[g]); }\n");
  write("rows.json", R"({"N": 4, "g": [1, 2, 1, 2], "k": [1, 0, 2, 3], "y": [0.5, 1, 2, -1]})");
  const auto question = [&](const char* program) {
    return std::vector<std::string>{"info", at(program), "--data", at("rows.json"), "--explain"};
  };
  ASSERT_EQ(run(question("normal.stan")), 0) << said();
  EXPECT_NE(printed().find("credo sample --marginal u\n"), std::string::npos) << printed();
  EXPECT_EQ(json(question("normal.stan")).at("exact_marginal").items.size(), 1u);
  ASSERT_EQ(run(question("counts.stan")), 0) << said();
  EXPECT_EQ(printed().find("--marginal"), std::string::npos) << printed();
}

}  // namespace
}  // namespace credo::cli::info_test
