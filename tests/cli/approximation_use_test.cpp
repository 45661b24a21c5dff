// Results of approximations in other commands: as proposals and maps, in credo loo, and options that are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/killed_run.hpp"
#include "results/files/fit.hpp"
#include "support/one_line.hpp"

namespace credo::cli::approximation_use_test {
namespace {
using testing::Words;

class ApproximationUse : public testing::KilledRun {
 protected:
  ApproximationUse() : KilledRun("approximation_use") {
    write("mean.stan", R"(data { int N; vector[N] y; }
parameters { real mu; real<lower=0> s; }
model { mu ~ normal(0, 3); s ~ normal(0, 3); y ~ normal(mu, s); }
)");
    write("other.stan", R"(data { int N; vector[N] y; }
parameters { real a; real<lower=0> b; }
model { a ~ normal(0, 3); b ~ normal(0, 3); y ~ normal(a, b); }
)");
    write("unbounded.stan", R"(data { int N; vector[N] y; }
parameters { real mu; real s; }
model { mu ~ normal(0, 3); s ~ normal(0, 3); y ~ normal(mu, exp(s)); }
)");
    write("narrower.stan", R"(data { int N; vector[N] y; }
parameters { real mu; real<lower=0> s; }
model { mu ~ normal(0, 2); s ~ normal(0, 2); y ~ normal(mu, s); }
)");
    write("d.json", R"({"N": 8, "y": [1.1, -0.4, 0.3, 2.2, 0.9, -1.3, 0.2, 1.8]})");
  }
  Words asked(const std::string& command, const std::string& program, const Words& more) const {
    return with({command, at(program), "--data", at("d.json"), "--seed", "2", "--quiet"}, more);
  }
  void fit(const std::string& file, const Words& more) {
    ASSERT_EQ(run(with(asked("approximate", "mean.stan", more), {"-o", at(file)})), 0) << said();
  }
  // Refused with these words.
  void expect_refused(const Words& words, const std::string& text) {
    EXPECT_EQ(run(words), 2) << printed();
    EXPECT_NE(on_one_line(said()).find(text), std::string::npos) << said();
  }
};

TEST_F(ApproximationUse, as_a_proposal_is_use_through_its_map) {
  fit("fit.nc", {"--covariance", "full"});
  for (const char* sampler : {"importance", "independence"}) {
    const Words run_of = asked("sample", "mean.stan", {"--sampler", sampler, "--draws", "100"});
    ASSERT_EQ(run(with(run_of, {"--through", at("fit.nc"), "-o", at("map.nc")})), 0) << said();
    ASSERT_EQ(run(with(run_of, {"--proposal", at("fit.nc"), "-o", at("proposal.nc")})), 0)
        << said();
    EXPECT_EQ(content(at("proposal.nc")), content(at("map.nc"))) << sampler;
  }
  ASSERT_EQ(run(asked("evidence", "mean.stan",
                      {"--method", "proposal", "--proposal", at("fit.nc"), "--json"})),
            0)
      << said();
  const std::string by_proposal = printed();
  ASSERT_EQ(run(asked("evidence", "mean.stan",
                      {"--method", "proposal", "--through", at("fit.nc"), "--json"})),
            0);
  const auto evidence = [](const std::string& text) {
    return testing::parse_json(text).at("methods").items.at(0).at("log_evidence").number;
  };
  EXPECT_EQ(evidence(by_proposal), evidence(printed()));
  expect_refused(asked("sample", "mean.stan", {"--proposal", at("fit.nc")}), "--sampler");
  expect_refused(
      asked("sample", "mean.stan",
            {"--sampler", "importance", "--proposal", at("fit.nc"), "--through", at("fit.nc")}),
      "leave out one of them");
}

TEST_F(ApproximationUse, of_another_program_is_refused) {
  fit("fit.nc", {});
  expect_refused(asked("sample", "other.stan", {"--through", at("fit.nc")}),
                 "is an approximation of another program: its parameters are mu, s");
  expect_refused(asked("sample", "unbounded.stan", {"--through", at("fit.nc")}),
                 "s has other constraints there");
  expect_refused(
      asked("evidence", "other.stan", {"--method", "proposal", "--proposal", at("fit.nc")}),
      "is an approximation of another program");
  // Another prior of the same parameters: the map is right for any density.
  EXPECT_EQ(run(asked("sample", "narrower.stan",
                      {"--through", at("fit.nc"), "--draws", "50", "--warmup", "50"})),
            0)
      << said();
}

// Weights of all rows are those of the approximation: k is high for each of them, and none is to blame.
TEST_F(ApproximationUse, in_loo_judges_its_own_weights_first) {
  fit("fit.nc", {"--covariance", "full"});
  ASSERT_EQ(run({"loo", at("fit.nc"), "--json"}), 0) << said();
  auto answer = testing::parse_json(printed());
  const double own_k = answer.at("pareto_k_of_draws").number;
  EXPECT_TRUE(std::isfinite(own_k));
  ASSERT_EQ(run({"loo", at("fit.nc")}), 0);
  EXPECT_NE(printed().find("the 4000 weighted draws are worth"), std::string::npos) << printed();

  write("far.stan", R"(data { int N; vector[N] y; }
parameters { vector[12] mu; }
model { for (k in 1:12) mu[k] ~ student_t(1.5, 0, 1); y ~ normal(mu[1], 1); }
)");
  ASSERT_EQ(run(with(asked("approximate", "far.stan", {"--method", "laplace", "--no-check"}),
                     {"-o", at("far.nc")})),
            0)
      << said();
  ASSERT_EQ(run({"loo", at("far.nc"), "--json"}), 0) << said();
  answer = testing::parse_json(printed());
  EXPECT_GT(answer.at("pareto_k_of_draws").number, 0.7);
  EXPECT_EQ(answer.at("num_unreliable").number, 0);
  ASSERT_EQ(run({"loo", at("far.nc")}), 0);
  EXPECT_NE(printed().find("The rows aren't to blame"), std::string::npos) << printed();

  // A row that is far from the others is to blame with draws whose own weights are good.
  write("outlier.json", R"({"N": 8, "y": [0.1, -0.4, 0.3, 0.2, 0.9, -0.3, 0.2, 14]})");
  write("scale.stan", R"(data { int N; vector[N] y; }
parameters { real mu; }
model { mu ~ normal(0, 30); y ~ normal(mu, 1); }
)");
  ASSERT_EQ(run({"approximate", at("scale.stan"), "--data", at("outlier.json"), "--quiet", "-o",
                 at("outlier.nc")}),
            0)
      << said();
  ASSERT_EQ(run({"loo", at("outlier.nc")}), 0) << said();
  EXPECT_NE(printed().find("row 8 "), std::string::npos) << printed();
  EXPECT_EQ(printed().find("The rows aren't to blame"), std::string::npos) << printed();
}

TEST_F(ApproximationUse, options_without_effect_are_refused) {
  expect_refused(asked("approximate", "mean.stan",
                       {"--method", "amortized", "--objective", "sleep", "--features", "y",
                        "--simulations", "20", "--step", "0.5"}),
                 "--step");
}

// Few draws by default where each takes all of many rows; as many as are asked for else.
TEST_F(ApproximationUse, of_many_rows_by_batches_has_fewer_draws) {
  constexpr int kRows = 120'000;
  std::string y;
  for (int n = 0; n < kRows; ++n)
    y += fmt::format("{}{:.2f}", n == 0 ? "" : ",", std::sin(n) + 0.001 * (n % 7));
  write("rows.json", fmt::format(R"({{"N": {}, "y": [{}]}})", kRows, y));
  write("rows.stan",
        "data { int N; vector[N] y; } parameters { real mu; }\n"
        "model { mu ~ normal(0, 1); y ~ normal(mu, 1); }\n");
  const auto draws_with = [&](const Words& more) {
    const Words words = with({"approximate", at("rows.stan"), "--data", at("rows.json"), "--batch",
                              "200", "--max-steps", "300", "-o", at("rows.nc")},
                             more);
    EXPECT_EQ(run(words), 0) << said();
    const std::string path = at("rows.nc");
    const auto opened = results::open_fit(std::span(&path, 1));
    return opened->num_draws(false) * opened->num_chains();
  };
  EXPECT_EQ(draws_with({}), 4 * (200'000'000 / 120'000 / 4));
  const std::string text = on_one_line(said());
  EXPECT_NE(text.find("each draw's weight takes all 120000 rows"), std::string::npos) << said();
  EXPECT_NE(text.find("aren't looked for: credo diagnose"), std::string::npos) << said();
  EXPECT_EQ(draws_with({"--draws", "500"}), 2000);
}

}  // namespace
}  // namespace credo::cli::approximation_use_test
