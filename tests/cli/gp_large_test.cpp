// credo gp with solvers for many rows, the search for kernels, graphs, training and the representer theorem.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::gp_large_test {
namespace {
class GpLarge : public testing::CommandRun {
 protected:
  GpLarge() : CommandRun("gp_large") {
    std::string text = "x,y\n";
    for (int i = 0; i < 120; ++i) {
      const double x = 0.05 * i;
      text += std::to_string(x) + "," +
              std::to_string(std::sin(2.0 * x) + 0.2 * std::cos(40.0 * x + 7.0 * i * i)) + "\n";
    }
    write("d.csv", text);
    write("new.csv", "x\n0.33\n2.71\n5.2\n");
  }
  testing::Json fit(std::vector<std::string> more) {
    std::vector<std::string> words{"gp",        "y ~ 1 | se(x, length = 0.6, sd = 0.9)",
                                   "--data",    at("d.csv"),
                                   "--noise",   "0.2",
                                   "--predict", at("new.csv")};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
  std::string refused(std::vector<std::string> words, int status) {
    EXPECT_EQ(run(std::move(words)), status) << printed();
    return credo::on_one_line(said());
  }
};

// Tolerances: conjugate gradients end at 1e-6 of the outcome; a grid of 512 points over 6 length scales of 0.6 has errors of 1e-6; 200 sines on
// the box leave nothing of the spectrum. Standard deviations are roots of such numbers beside variances of 1e-3.
TEST_F(GpLarge, solvers_for_many_rows_agree_with_the_dense_factor) {
  const testing::Json exact = fit({"--solver", "exact"});
  const std::vector<std::vector<std::string>> all{
      {"--solver", "cg", "--probes", "20"},
      {"--solver", "ski", "--grid", "512"},
      {"--solver", "features:hilbert", "--features", "200"}};
  for (const std::vector<std::string>& words : all) {
    const testing::Json found = fit(words);
    for (std::size_t k = 0; k < 3; ++k)
      for (const char* field : {"mean", "sd"})
        EXPECT_NEAR(found.at("predictions").items.at(k).at(field).number,
                    exact.at("predictions").items.at(k).at(field).number, 2e-4)
            << words[1];
    EXPECT_NEAR(found.at("log_evidence").number, exact.at("log_evidence").number, 1e-2) << words[1];
  }
}
TEST_F(GpLarge, options_of_other_solvers_are_refused) {
  const std::vector<std::vector<std::string>> wrong{
      {"--features", "10"}, {"--grid", "100"},   {"--tolerance", "0.001"},
      {"--probes", "5"},    {"--move-inducing"}, {"--inducing-by", "kmeans"},
      {"--inducing", "6"},  {"--batch", "5"},    {"--steps", "9"},
      {"--depth", "2"}};
  for (const std::vector<std::string>& option : wrong) {
    std::vector<std::string> words{"gp", "y ~ se(x)", "--data", at("d.csv"), "--solver", "exact"};
    words.insert(words.end(), option.begin(), option.end());
    EXPECT_NE(refused(words, 2).find(option[0]), std::string::npos) << said();
  }
}
TEST_F(GpLarge, explains_the_cost_of_each_solver) {
  ASSERT_EQ(run({"gp", "y ~ linear(x)", "--data", at("d.csv"), "--explain"}), 0) << said();
  for (const char* name : {"exact", "states", "cg", "ski", "features:random", "sgpr"})
    EXPECT_NE(printed().find(name), std::string::npos) << name;
  EXPECT_NE(printed().find("not possible: linear(x) isn't a function of differences"),
            std::string::npos)
      << printed();
  // options of any solver count in its costs
  EXPECT_EQ(run({"gp", "y ~ se(x)", "--data", at("d.csv"), "--explain", "--features", "40"}), 0)
      << said();
  EXPECT_NE(refused({"gp", "y ~ ?", "--data", at("d.csv"), "--explain"}, 2).find("--explain"),
            std::string::npos);
}
TEST_F(GpLarge, moves_inducing_points_and_says_how_the_bound_grew) {
  ASSERT_EQ(run({"gp", "y ~ se(x)", "--data", at("d.csv"), "--solver", "sgpr", "--inducing", "6",
                 "--inducing-by", "kmeans", "--move-inducing", "--starts", "1"}),
            0)
      << said();
  EXPECT_NE(printed().find("rows nearest to the centres of k-means"), std::string::npos);
  EXPECT_NE(printed().find("which grew from"), std::string::npos) << printed();
  EXPECT_NE(refused({"gp", "y ~ brownian(x)", "--data", at("d.csv"), "--solver", "sgpr",
                     "--inducing", "6", "--move-inducing"},
                    2)
                .find("--move-inducing"),
            std::string::npos);
}
TEST_F(GpLarge, chooses_a_solver_for_many_rows_and_says_so) {
  std::string text = "x,y\n";
  for (int i = 0; i < 5200; ++i)
    text += std::to_string(0.001 * i) + "," + std::to_string(std::sin(0.01 * i)) + "\n";
  write("many.csv", text);
  ASSERT_EQ(
      run({"gp", "y ~ se(x, length = 0.6, sd = 1)", "--data", at("many.csv"), "--noise", "0.2"}), 0)
      << said();
  EXPECT_NE(printed().find("The solver ski was chosen for 5200 rows. The dense factor would take"),
            std::string::npos)
      << printed();
  // without noise, there is no other solver than the dense one
  EXPECT_NE(
      refused({"gp", "y ~ se(x, length = 0.6, sd = 1)", "--data", at("many.csv"), "--noise", "0"},
              2)
          .find("need noise"),
      std::string::npos);
}
TEST_F(GpLarge, searches_for_kernels_and_says_them_in_words) {
  std::string text = "t,y\n";
  for (int i = 0; i < 60; ++i)
    text += std::to_string(i / 12.0) + "," +
            std::to_string(0.8 * i / 12.0 + std::sin(2.0 * 3.14159265 * i / 12.0) +
                           0.1 * std::cos(17.0 * i * i)) +
            "\n";
  write("season.csv", text);
  const testing::Json found =
      json({"gp", "y ~ ?", "--data", at("season.csv"), "--depth", "2", "--ahead", "3"});
  const std::string words = found.at("words").text;
  EXPECT_NE(words.find("pattern of period 1"), std::string::npos) << words;
  EXPECT_NE(words.find("noise of standard deviation"), std::string::npos) << words;
  EXPECT_EQ(found.at("search").items.size(), 3u);
  EXPECT_EQ(found.at("predictions").items.size(), 3u);
}
TEST_F(GpLarge, has_the_means_of_training) {
  const testing::Json found =
      json({"gp", "y ~ 0 | ntk(x, 2, weight = 1.4, bias = 0.5, sd = 1)", "--data", at("d.csv"),
            "--noise", "0.2", "--predict", at("new.csv"), "--flow", "0,0.5,inf"});
  const testing::Json& flow = found.at("training");
  ASSERT_EQ(flow.at("flow_time").items.size(), 3u);
  double before = kInfinity;
  for (const testing::Json& loss : flow.at("flow_loss").items) {
    EXPECT_LT(loss.number, before);
    before = loss.number;
  }
  EXPECT_NE(refused({"gp", "y ~ se(x, length = 1, sd = 1)", "--data", at("d.csv"), "--noise", "0.2",
                     "--flow", "-1"},
                    2)
                .find("--flow"),
            std::string::npos);
}
// f(x) = level + sum of weights k(x, x_n): the representer theorem, with the kernel's formula.
TEST_F(GpLarge, ridge_regression_is_the_sum_of_its_weights_times_kernels) {
  const testing::Json found = fit({"--method", "ridge"});
  const auto& weights = found.at("weights").items;
  ASSERT_EQ(weights.size(), 120u);
  const double level = found.at("mean").items.at(0).at("value").number;
  for (const auto& [k, x] : {std::pair<std::size_t, double>{0, 0.33}, {1, 2.71}, {2, 5.2}}) {
    double sum = level;
    for (std::size_t n = 0; n < weights.size(); ++n) {
      const double off = (x - 0.05 * static_cast<double>(n)) / 0.6;
      sum += weights[n].number * 0.81 * std::exp(-0.5 * off * off);
    }
    EXPECT_NEAR(found.at("predictions").items.at(k).at("mean").number, sum, 1e-8);
  }
}
TEST_F(GpLarge, heat_on_a_graph_shares_between_neighbours) {
  write("edges.csv", "node,neighbour\na,b\nb,c\nc,d\nd,e\n");
  write("nodes.csv", "node,y\na,1\na,1.2\nb,1.1\nb,0.9\ne,-2\ne,-2.1\n");
  write("other.csv", "node\nc\nd\n");
  const testing::Json found =
      json({"gp", "y ~ 1 | heat(node, \"" + at("edges.csv") + "\", time = 1, sd = 1.5)", "--data",
            at("nodes.csv"), "--noise", "0.2", "--predict", at("other.csv")});
  const double c = found.at("predictions").items.at(0).at("mean").number,
               d = found.at("predictions").items.at(1).at("mean").number;
  EXPECT_GT(c, d);
  EXPECT_LT(c, 1.1);
  EXPECT_GT(d, -2.1);
  write("strange.csv", "node,y\na,1\nz,2\nb,1\n");
  EXPECT_NE(
      refused({"gp", "y ~ heat(node, \"" + at("edges.csv") + "\")", "--data", at("strange.csv")}, 4)
          .find("z is no node"),
      std::string::npos)
      << said();
  EXPECT_NE(refused({"gp", "y ~ heat(node)", "--data", at("nodes.csv")}, 4).find("needs a graph"),
            std::string::npos);
}

}  // namespace
}  // namespace credo::cli::gp_large_test
