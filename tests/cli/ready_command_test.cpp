// credo ready: the ready-made models from a command line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numbers>

#include "cli/killed_run.hpp"
#include "cli/ready_data.hpp"
#include "cli/results.hpp"
#include "diagnose/convergence.hpp"
#include "io/json_reader.hpp"
#include "models/ready/ready_table.hpp"
#include "support/command_run.hpp"
#include "support/test_seed.hpp"

namespace credo::cli::ready_command_test {
namespace {

class ReadyRun : public testing::KilledRun {
 protected:
  ReadyRun() : KilledRun("ready") {}

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
  for (const models::ReadyRow& row : models::ready_table()) {
    const auto& [data, name] = testing::ready_data().at(row.name);
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
    EXPECT_EQ(printed().find("--cross-check"), std::string::npos) << printed();  // it has none
  }
  EXPECT_NE(run({"sample", "--like", at("fit.nc"), "-o", at("again.nc")}), 0);
  EXPECT_NE(said().find("ready"), std::string::npos) << said();
}

TEST_F(ReadyRun, like_takes_the_options_of_a_result) {
  write("y.json", R"({"y": [1, 2, 4]})");
  ASSERT_EQ(sample("normal_precision", {"--data", at("y.json"), "--draws", "60"}), 0) << said();
  const auto first = draws_of("mean").values;
  std::filesystem::rename(at("fit.nc"), at("first.nc"));
  const std::vector<std::string> again = {"ready",   "--like", at("first.nc"),
                                          "--quiet", "-o",     at("fit.nc")};
  ASSERT_EQ(run(again), 0) << said();
  EXPECT_EQ(draws_of("mean").values, first);
  auto other = again;
  other.insert(other.end(), {"--seed", "8"});
  ASSERT_EQ(run(other), 0) << said();
  EXPECT_NE(draws_of("mean").values, first);
  EXPECT_EQ(run({"predict", "--like", at("first.nc")}), 2);
  EXPECT_NE(said().find("credo ready"), std::string::npos) << said();
}

// log p(y_i | the others) of normal numbers with a flat mean and the prior 1 / precision: a t distribution.
double log_predictive(std::vector<double> y, std::size_t i) {
  std::swap(y[i], y.back());
  const double left_out = y.back();
  y.pop_back();
  const auto n = static_cast<double>(y.size());
  const double mean = diagnose::mean(y), variance = diagnose::variance(y) * (1.0 + 1.0 / n);
  const double z = (left_out - mean) * (left_out - mean) / variance;
  return std::lgamma(0.5 * n) - std::lgamma(0.5 * (n - 1.0)) -
         0.5 * std::log((n - 1.0) * std::numbers::pi * variance) -
         0.5 * n * std::log1p(z / (n - 1.0));
}

TEST_F(ReadyRun, rows_of_a_fit_are_left_out_and_replicated) {
  const std::vector<double> y = {1.2, 0.7, 2.1, 1.9, 0.4, 1.1, 1.6, 0.9};
  write("y.json", fmt::format("{{\"y\": [{}]}}", fmt::join(y, ", ")));
  ASSERT_EQ(sample("normal_precision", {"--data", at("y.json"), "--draws", "2000"}), 0) << said();
  ASSERT_EQ(run({"loo", at("fit.nc"), "--json"}), 0) << said();
  const io::JsonValue loo = io::parse_json_value(printed(), "loo");
  const auto& rows = loo.find("rows")->items;
  ASSERT_EQ(rows.size(), y.size());
  double off = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double elpd = rows[i].find("elpd_loo")->number, mcse = rows[i].find("mcse")->number;
    EXPECT_NEAR(elpd, log_predictive(y, i), 5.0 * mcse) << i;
    // A planted fault: the density of another row.
    off = std::max(off, std::fabs(elpd - log_predictive(y, (i + 1) % y.size())) / mcse);
  }
  EXPECT_GT(off, 5.0);
  EXPECT_EQ(run({"loo", at("fit.nc"), "--folds", "2"}), 2);
  EXPECT_NE(said().find("isn't fitted without"), std::string::npos) << said();
  ASSERT_EQ(run({"ppc", at("fit.nc"), "--replicates", "200"}), 0) << said();
  EXPECT_NE(printed().find("like those that were observed"), std::string::npos) << printed();
  EXPECT_EQ(run({"ppc", at("fit.nc"), "--loo-pit"}), 2);
  write("y.json", R"({"y": [1, 2, 4]})");
  EXPECT_NE(run({"loo", at("fit.nc")}), 0);
  EXPECT_NE(said().find("run credo ready again"), std::string::npos) << said();
  ASSERT_EQ(sample("lattice", {"--set", "rows=3", "--set", "cols=3", "--draws", "20"}), 0);
  EXPECT_NE(run({"loo", at("fit.nc")}), 0);
  EXPECT_NE(said().find("the likelihood has no rows"), std::string::npos) << said();
  EXPECT_NE(run({"ppc", at("fit.nc")}), 0);
  EXPECT_NE(said().find("doesn't draw data"), std::string::npos) << said();
}

// A run that was stopped isn't mixed with one of other data or another seed.
TEST_F(ReadyRun, a_run_file_of_other_options_or_data_is_refused) {
  write("y.json", R"({"y": [1, 2, 4]})");
  const testing::Words more = {"--data", at("y.json"), "--draws", "2000000"};
  // In another process, which alone is asked to stop.
  const testing::Words begin = {"ready", "--model",    "normal_precision", "--warmup",
                                "50",    "--quiet",    "--seed",           "7",
                                "-o",    at("fit.nc"), "--max-time",       "0.3"};
  kill_when(start(with(begin, more)), [] { return false; });
  ASSERT_TRUE(std::filesystem::exists(at("fit.nc.run")));
  for (const char* reader : {"summary", "diagnose"})
    EXPECT_EQ(run({reader, at("fit.nc.run")}), 0) << reader << said();
  EXPECT_EQ(sample("normal_precision", with(more, {"--set", "mean=1"})), 2);
  EXPECT_NE(said().find("other data"), std::string::npos) << said();
  write("y.json", R"({"y": [1, 2, 5]})");
  EXPECT_EQ(run({"resume", at("fit.nc.run")}), 2);
  EXPECT_NE(said().find("other data"), std::string::npos) << said();
  EXPECT_EQ(run({"resume", at("fit.nc.run"), "--draws", "9"}), 2);
}

}  // namespace
}  // namespace credo::cli::ready_command_test
