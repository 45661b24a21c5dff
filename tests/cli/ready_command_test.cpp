// credo ready: the ready-made models from a command line.
#include <fmt/format.h>

#include "cli/results.hpp"
#include "diagnose/convergence.hpp"
#include "models/ready/ready_table.hpp"
#include "support/command_run.hpp"
#include "support/test_seed.hpp"

namespace credo::cli::ready_command_test {
namespace {

class ReadyRun : public testing::CommandRun {
 protected:
  ReadyRun() : CommandRun("ready") {}

  // Draws of one output.
  diagnose::ChainsCopy draws_of(const std::string& name) {
    const std::string path = at("fit.nc");
    const auto fit = open_fit(std::span(&path, 1));
    const density::Draws draws = fit->quantities(false, *results::find_quantity(*fit, name), 1);
    const auto values = draws.quantity(0);
    return {{values.begin(), values.end()}, draws.num_draws(), draws.num_chains()};
  }
  int sample(const std::string& model, std::vector<std::string> more) {
    std::vector<std::string> words = {"ready",   "--model", model, "--warmup", "50",
                                      "--quiet", "--seed",  "7",   "-o",       at("fit.nc")};
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words));
  }
};

// In standard errors of the draws.
double distance(const diagnose::Chains& chains, double exact) {
  return std::fabs(diagnose::mean(chains.values) - exact) / diagnose::mcse_mean(chains);
}

TEST_F(ReadyRun, lists_the_models_and_the_fields_of_each) {
  ASSERT_EQ(run({"ready"}), 0);
  for (const models::ReadyRow& row : models::ready_table())
    EXPECT_NE(printed().find(std::string(row.name) + " "), std::string::npos) << row.name;
  ASSERT_EQ(run({"ready", "--model", "topics"}), 0);
  for (const char* field : {"document ", "word_concentration ", "default 0.01", "; needed"})
    EXPECT_NE(printed().find(field), std::string::npos) << field;
  EXPECT_EQ(run({"ready", "--model", "topix"}), 2);
}

// A mixture with known parameters has the mean 0.3 · -2 + 0.7 · 2; with other weights it has not, the mutant.
TEST_F(ReadyRun, known_mixtures_have_their_mean_and_shares) {
  write("mixture.json",
        R"({"weights": [0.3, 0.7], "means": [[-2], [2]], "covariances": [[[2]], [[2]]]})");
  ASSERT_EQ(sample("known_mixture", {"--data", at("mixture.json"), "--draws", "4000"}), 0)
      << said();
  EXPECT_LT(distance(draws_of("x.1"), 0.8), 4.0);
  EXPECT_LT(distance(draws_of("label"), 0.7), 4.0);
  ASSERT_EQ(sample("known_mixture",
                   {"--data", at("mixture.json"), "--set", "weights=0.5,0.5", "--draws", "4000"}),
            0)
      << said();
  EXPECT_GT(distance(draws_of("x.1"), 0.8), 4.0);
}

// With a flat prior the mean is normal about the mean of the data, and the precision has the mean 1 / variance.
TEST_F(ReadyRun, reads_columns_of_tables) {
  write("y.csv", "id,y\n1,2.5\n2,3.5\n3,1.0\n4,4.5\n5,3.0\n");
  ASSERT_EQ(sample("normal_precision", {"--data", at("y.csv"), "--draws", "4000"}), 0) << said();
  EXPECT_LT(distance(draws_of("mean"), 2.9), 4.0);
  EXPECT_LT(distance(draws_of("precision"), 1.0 / 1.675), 4.0);
  EXPECT_GT(distance(draws_of("precision"), 1.0), 4.0);
}

// From the mean of the stationary distribution on, 1, the mean of the content stays what it is; with another rate it becomes 1 / 2,
// the mutant. The level in that distribution comes to have the mean 1 / 2; after five steps it still has nearly that of the start, 0.63.
TEST_F(ReadyRun, paths_of_a_tank_come_to_its_stationary_distribution) {
  const auto sample_of = [&](int num_steps, const char* rate) {
    std::string rain = "rain=1";
    for (int k = 1; k < num_steps; ++k) rain += ",1";
    return sample("tank_path",
                  {"--set", rain, "--set", "time_step=0.02", "--set", std::string("rate=") + rate,
                   "--set", "noise=0.5", "--draws", "500"});
  };
  const auto level = [&] { return diagnose::mean(draws_of("level").values); };
  ASSERT_EQ(sample_of(400, "1"), 0) << said();
  EXPECT_LT(distance(draws_of("x.401"), 1.0), 4.0);
  EXPECT_NEAR(level(), 0.5, 0.04);
  ASSERT_EQ(sample_of(5, "1"), 0) << said();
  EXPECT_GT(level(), 0.58);
  ASSERT_EQ(sample_of(400, "2"), 0) << said();
  EXPECT_GT(distance(draws_of("x.401"), 1.0), 4.0);
}

// Each model with data of a few numbers: variables, and the size of the result.
TEST_F(ReadyRun, every_model_can_be_run) {
  const std::map<std::string_view, std::pair<const char*, const char*>> cases = {
      {"collapsed_mixture", {R"({"points": [-2, -1.8, 1.9, 2.2]})", "num_clusters"}},
      {"gaussian_mixture", {R"({"points": [-2, -1.8, 1.9, 2.2]})", "weights.1"}},
      {"hidden_markov", {R"({"symbols": [0, 0, 1, 1, 0]})", "path.3"}},
      {"known_mixture",
       {R"({"weights": [1], "means": [0, 1], "covariances": [1, 0.5, 0.5, 2]})", "x.2"}},
      {"lattice", {R"({"rows": 3, "cols": 4, "coupling": 0.5, "kernel": "sweep"})", "agreement"}},
      {"normal_precision", {R"({"y": [1, 2, 4]})", "precision"}},
      {"radial_basis",
       {R"({"x": [[-1], [0], [1]], "y": [0.1, 1, 0.2], "at": [0.5]})", "num_centres"}},
      {"selection",
       {R"({"y": [1, 2, 3], "candidates": [[1, 0], [2, 1], [3, 0]]})", "num_included"}},
      {"tank", {R"({"rain": [1, 1, 0, 0], "observed_at": [1, 4], "observed": [0.9, 0.8]})", "x.5"}},
      {"tank_path", {R"({"rain": [1, 1, 0, 0]})", "x.5"}},
      {"topics", {R"({"document": [0, 0, 1], "word": [0, 1, 1]})", "topics_of_documents.2.1"}}};
  for (const models::ReadyRow& row : models::ready_table()) {
    const auto& [data, name] = cases.at(row.name);
    write("data.json", data);
    ASSERT_EQ(sample(std::string(row.name),
                     {"--data", at("data.json"), "--chains", "2", "--draws", "30"}),
              0)
        << row.name << said();
    EXPECT_EQ(ssize(draws_of(name).values), 60) << row.name;
  }
}

TEST_F(ReadyRun, says_which_field_is_wrong) {
  write("data.json", R"({"points": [1, 2], "concentraton": 2})");
  EXPECT_EQ(sample("collapsed_mixture", {"--data", at("data.json")}), 2);
  EXPECT_NE(said().find("concentraton"), std::string::npos);
  EXPECT_EQ(sample("collapsed_mixture", {"--set", "dof=3"}), 4);
  EXPECT_NE(said().find("collapsed_mixture needs points"), std::string::npos) << said();
  EXPECT_EQ(sample("collapsed_mixture", {"--set", "points=1,2", "--set", "scale=1,2"}), 4);
  EXPECT_NE(said().find("scale has 2 numbers, must have 1 x 1"), std::string::npos) << said();
  EXPECT_EQ(sample("topics", {"--set", "document=0,0.5", "--set", "word=0,1"}), 4);
  EXPECT_EQ(sample("topics", {"--set", "document"}), 2);
}

TEST_F(ReadyRun, results_are_read_by_commands_that_need_draws_alone) {
  ASSERT_EQ(sample("lattice", {"--set", "rows=3", "--set", "cols=3", "--draws", "200"}), 0)
      << said();
  for (const char* command : {"summary", "diagnose"}) {
    ASSERT_EQ(run({command, at("fit.nc")}), 0) << command << said();
    EXPECT_FALSE(printed().empty());
  }
  EXPECT_NE(run({"sample", "--like", at("fit.nc"), "-o", at("again.nc")}), 0);
  EXPECT_NE(said().find("ready"), std::string::npos) << said();
}

}  // namespace
}  // namespace credo::cli::ready_command_test
