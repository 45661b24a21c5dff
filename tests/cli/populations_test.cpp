// credo sample --sampler smc and importance: files, tables, summaries, refusals.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "io/file.hpp"
#include "results/draws/summary.hpp"

namespace credo::cli::populations_test {
namespace {
namespace fs = std::filesystem;

// theta ~ beta(1, 1), 3 of 10: the evidence is 1 / 11 without the binomial coefficient, the mean 4 / 12.
constexpr const char* kCoin =
    "data { int n; int y; } parameters { real<lower=0, upper=1> theta; }\n"
    "model { theta ~ beta(1, 1); y ~ binomial(n, theta); }\n"
    "generated quantities { real odds = theta / (1 - theta); }\n";
const double kLogEvidence = -std::log(11.0);

class Populations : public ::testing::Test {
 protected:
  Populations() {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "coin.stan") << kCoin;
    std::ofstream(folder_ / "flat.stan")
        << "parameters { real x; } model { x ~ normal(1, 2); target += 0 * x; }";
    std::ofstream(folder_ / "data.json") << R"({"n": 10, "y": 3})";
  }
  ~Populations() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    std::fflush(stdout);
    printed_ = ::testing::internal::GetCapturedStdout();
    said_ = ::testing::internal::GetCapturedStderr();
    return status;
  }
  int sample(std::vector<std::string> more) {
    more.insert(more.begin(), {"sample", at("coin.stan"), "--data", at("data.json")});
    return run(std::move(more));
  }
  std::unique_ptr<Fit> open(std::vector<std::string> names) const {
    for (std::string& name : names) name = at(name);
    return open_fit(names);
  }
  int run_far(std::vector<std::string> more) {
    more.insert(more.begin(), {"sample", at("coin.stan"), "--data", at("far.json")});
    return run(std::move(more));
  }
  double log_evidence(const Fit& fit) const {
    for (const infer::TunedSetting& setting : fit.result().chains.at(0).tuned)
      if (setting.name == "log_evidence") return setting.values.at(0);
    return kNaN;
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_populations_" + std::to_string(getpid()));
  std::string printed_, said_;
};

TEST_F(Populations, of_smc_have_the_posterior_the_evidence_and_their_stages) {
  ASSERT_EQ(sample({"--sampler", "smc", "-o", at("a.nc")}), 0) << said_;
  EXPECT_NE(printed_.find("log evidence"), std::string::npos);
  const auto fit = open({"a.nc"});
  const io::SummaryRow row = results::summarise_outputs(*fit).at(0);
  EXPECT_NEAR(row.mean, 4.0 / 12.0, 5.0 * row.mcse_mean);
  EXPECT_NEAR(log_evidence(*fit), kLogEvidence, 0.2);
  ASSERT_EQ(fit->tables().size(), 1u);
  const RowTable& stages = fit->tables()[0];
  EXPECT_EQ(stages.name, "stages");
  EXPECT_EQ(stages.row, "stage");
  EXPECT_EQ(stages.columns.at(0).name, "inverse_temperature");
  for (Index chain = 0; chain < 4; ++chain) {
    const std::vector<double> rows = fit->table_rows(0, chain);
    ASSERT_GE(rows.size(), stages.columns.size());
    EXPECT_EQ(rows[rows.size() - stages.columns.size()], 1.0);
  }
  // The same as CSV files; their names are none of files of draws.
  ASSERT_EQ(sample({"--sampler", "smc", "-o", at("b.csv"), "--threads", "3", "--quiet"}), 0)
      << said_;
  const auto csv = open({"b_1.csv", "b_2.csv", "b_3.csv", "b_4.csv"});
  const density::Draws a = fit->quantities(false, *find_quantity(*fit, "theta"), 1),
                       b = csv->quantities(false, *find_quantity(*csv, "theta"), 1);
  EXPECT_TRUE(std::ranges::equal(a.quantity(0), b.quantity(0)));
  const std::string table = io::read_file(at("b.stages.csv"));
  EXPECT_TRUE(table.starts_with("chain,stage,inverse_temperature,")) << table;
  EXPECT_NE(table.find("\n4,1,"), std::string::npos);
}

TEST_F(Populations, of_weighted_draws_are_summarised_by_their_weights) {
  for (const char* output : {"w.nc", "w.csv"}) {
    ASSERT_EQ(sample({"--sampler", "importance", "-o", at(output)}), 0) << said_;
    EXPECT_NE(printed_.find("No fault found"), std::string::npos) << printed_;
  }
  const auto fit = open({"w.nc"});
  const io::SummaryRow row = results::summarise_outputs(*fit).at(0);
  EXPECT_NEAR(row.mean, 4.0 / 12.0, 5.0 * row.mcse_mean);
  EXPECT_NEAR(row.sd, std::sqrt(4.0 * 8.0 / (144.0 * 13.0)), 5.0 * row.mcse_sd);
  EXPECT_LT(row.ess_bulk, 4000.0);
  EXPECT_TRUE(std::isnan(row.r_hat));
  const density::Draws plain = fit->quantities(false, *find_quantity(*fit, "theta"), 1);
  const auto values = plain.quantity(0);
  const double unweighted = std::accumulate(values.begin(), values.end(), 0.0) / 4000.0;
  EXPECT_NEAR(unweighted, 0.5, 0.03);  // that of the prior: weights matter here
  EXPECT_GT(std::abs(unweighted - row.mean), 20.0 * row.mcse_mean);
  const auto csv = open({"w_1.csv", "w_2.csv", "w_3.csv", "w_4.csv"});
  EXPECT_EQ(results::summarise_outputs(*csv).at(0).mean, row.mean);
}

// x ~ N(0, 1) is refused below -1, and nothing else is said: the evidence is the mass above.
TEST_F(Populations, count_what_the_program_refuses) {
  std::ofstream(folder_ / "cut.stan") << "parameters { real x; } transformed parameters { real t = "
                                         "x; if (x < -1) reject(\"low \", x); }\n"
                                         "model { x ~ normal(0, 1); target += 0.0; }";
  for (const char* sampler : {"smc", "importance"}) {
    ASSERT_EQ(
        run({"sample", at("cut.stan"), "--sampler", sampler, "-o", at("c.nc"), "--draws", "2000"}),
        0)
        << said_;
    const auto fit = open({"c.nc"});
    const infer::LogEvidence found = *infer::log_evidence(fit->result());
    EXPECT_NEAR(found.value, std::log(0.8413447460685429), 4.5 * found.error) << sampler;
    EXPECT_LT(found.error, 0.01);
    const density::Draws draws = fit->quantities(false, *find_quantity(*fit, "x"), 1);
    EXPECT_GE(*std::ranges::min_element(draws.quantity(0)), -1.0);
    EXPECT_TRUE(fit->notes().empty());
  }
}

TEST_F(Populations, of_few_weights_are_not_believed) {
  std::ofstream(folder_ / "far.json") << R"({"n": 100000, "y": 3})";
  ASSERT_EQ(run({"sample", at("coin.stan"), "--data", at("far.json"), "--sampler", "importance",
                 "--draws", "250"}),
            0);
  EXPECT_NE(printed_.find("bad[weights]"), std::string::npos) << printed_;
}

// Two chains that each found one of two modes: their evidences differ.
TEST_F(Populations, that_disagree_on_the_evidence_are_told) {
  infer::RunResult run;
  run.chains.resize(2);
  const auto tell = [&](std::size_t c, double value, double error) {
    run.chains[c].tuned = {{"log_evidence", {value}}, {"log_evidence_error", {error}}};
  };
  tell(0, -10.0, 0.1);
  tell(1, -10.0 + std::log(3.0), 0.1);
  const infer::LogEvidence all = *infer::log_evidence(run);
  EXPECT_NEAR(all.value, -10.0 + std::log(2.0), 1e-12);
  EXPECT_NEAR(all.error, 0.5, 1e-12);  // evidences 1 and 3: mean 2, standard error 1
  tell(1, -10.0, 0.1);
  EXPECT_NEAR(infer::log_evidence(run)->error, 0.1 / std::sqrt(2.0), 1e-12);
  run.chains[1].tuned.clear();
  EXPECT_FALSE(infer::log_evidence(run).has_value());
  // Three particles' worth of a narrow likelihood: nobody knows its evidence.
  std::ofstream(folder_ / "far.json") << R"({"n": 100000, "y": 3})";
  ASSERT_EQ(run_far({"--sampler", "smc", "--draws", "20", "--num-moves", "1"}), 0) << said_;
  EXPECT_NE(printed_.find("[uncertain_evidence]"), std::string::npos) << printed_;
  ASSERT_EQ(run_far({"--sampler", "importance", "--draws", "50"}), 0) << said_;
  EXPECT_NE(printed_.find("± inf"), std::string::npos) << printed_;  // nobody knows
}

TEST_F(Populations, of_weighted_draws_have_no_figures_that_ignore_weights) {
  ASSERT_EQ(sample({"--sampler", "importance", "-o", at("w.nc"), "--draws", "100", "--quiet"}), 0);
  EXPECT_EQ(run({"summary", at("w.nc"), "--columns", "theta", "--trace"}), 2);
  EXPECT_NE(said_.find("weights"), std::string::npos) << said_;
  EXPECT_EQ(
      run({"samplers", at("coin.stan"), "--data", at("data.json"), "--only", "nuts,importance"}),
      2);
}

TEST_F(Populations, are_repeated_from_their_results) {
  ASSERT_EQ(sample({"--sampler", "smc", "--draws", "50", "--num-moves", "2", "-o", at("a.nc"),
                    "--quiet"}),
            0);
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "-o", at("b.nc"), "--quiet"}), 0) << said_;
  const auto a = open({"a.nc"}), b = open({"b.nc"});
  EXPECT_EQ(a->table_rows(0, 3), b->table_rows(0, 3));
  EXPECT_EQ(a->origin().settings.at("num_moves"), "2");
}

TEST_F(Populations, are_refused_with_the_way_out) {
  std::ofstream(folder_ / "unbounded.stan")
      << "data { int n; int y; } parameters { real x; }\nmodel { y ~ binomial_logit(n, x); }";
  EXPECT_EQ(run({"sample", at("unbounded.stan"), "--data", at("data.json"), "--sampler", "smc"}),
            2);
  EXPECT_NE(said_.find("--from normal"), std::string::npos) << said_;
  EXPECT_EQ(run({"sample", at("unbounded.stan"), "--data", at("data.json"), "--sampler", "smc",
                 "--from", "normal", "--quiet"}),
            0)
      << said_;
  EXPECT_EQ(sample({"--sampler", "smc", "--draws", "19"}), 2);
  EXPECT_NE(said_.find("20"), std::string::npos) << said_;
  EXPECT_EQ(sample({"--sampler", "smc", "--mover", "tempering"}), 2);
  EXPECT_EQ(sample({"--sampler", "smc", "--terms", "likelihood"}), 2);
  EXPECT_EQ(sample({"--sampler", "smc", "--conditional-ess", "0"}), 2);
}

}  // namespace
}  // namespace credo::cli::populations_test
