// Missing likelihoods: outcomes that no statement reads are reported, and a program whose likelihood needs a filter
// isn't sampled from its prior.
#include "support/command_run.hpp"

namespace credo::cli::likelihood_test {
namespace {

std::string input(const std::string& name) {
  return std::string(CREDO_SOURCE_DIR) + "/tests/inputs/" + name;
}

class LikelihoodRun : public testing::CommandRun {
 protected:
  LikelihoodRun() : CommandRun("likelihood") {
    write("y.json", R"({"N": 3, "x": [1, 2, 3], "y": [0.1, 0.2, 0.3]})");
  }
  // Ignores line breaks.
  bool says(const std::string& words) const {
    std::string text;
    for (const char c : said() + printed())
      if (c != '\n' && !(c == ' ' && text.ends_with(' ')))
        text += c;
      else if (c == '\n' && !text.ends_with(' '))
        text += ' ';
    return text.find(words) != std::string::npos;
  }
};

TEST_F(LikelihoodRun, that_was_forgotten_is_a_warning_of_check) {
  EXPECT_EQ(run({"check", input("forgot_likelihood.stan")}), 0);
  EXPECT_TRUE(says("warning[unread-outcome]: no statement of the model reads y, x")) << said();
  EXPECT_TRUE(says("its density is the prior of the parameters")) << said();
}

TEST_F(LikelihoodRun, that_was_forgotten_is_a_finding_but_of_the_prior_alone) {
  const std::vector<std::string> words{
      "sample", input("forgot_likelihood.stan"), "--data", at("y.json"), "--seed", "1"};
  EXPECT_EQ(run(words), 0) << said();
  EXPECT_TRUE(says("Doubtful")) << printed();
  EXPECT_TRUE(says("No statement of the model reads y and x")) << printed();
  std::vector<std::string> of_prior = words;
  of_prior.insert(of_prior.end(), {"--terms", "prior"});
  EXPECT_EQ(run(of_prior), 0) << said();
  EXPECT_TRUE(says("No fault found")) << printed();
}

// Programs that have a likelihood, or no outcome, and that use their data.
TEST_F(LikelihoodRun, that_is_there_is_no_warning) {
  const std::vector<std::string> bodies{
      "data { int N; vector[N] y; } parameters { real m; } model { y ~ normal(m, 1); }",
      "data { int N; vector[N] y; vector[N] x; } parameters { real m; } model { y ~ normal(m, 1); "
      "}",
      "data { int N; vector[N] y; } transformed data { vector[N] s = y - mean(y); } "
      "parameters { real m; } model { s ~ normal(m, 1); }",
      "data { int N; vector[N] y; } parameters { real m; } model { for (n in 1:N) target += "
      "-square(y[n] - m); }",
      "functions { void add_lp(vector y, real m) { target += normal_lpdf(y | m, 1); } } "
      "data { int N; vector[N] y; } parameters { real m; } model { add_lp(y, m); }",
      "data { int N; vector[N] y; vector[N] y_new; } parameters { real m; } "
      "model { y ~ normal(m, 1); } generated quantities { real l = normal_lpdf(y_new | m, 1); }",
      "data { real m0; real s0; } parameters { real m; } model { m ~ normal(m0, s0); }",
      "data { int N; vector[N] x; } parameters { real a; real b; } model { a ~ normal(0, 1); "
      "b ~ normal(0, 1); } generated quantities { array[N] real y = normal_rng(a + b * x, 1); }",
      "data { int N; vector[N] y; } parameters { real m; } model { m ~ normal(0, 1); } "
      "generated quantities { array[N] real y_sim = normal_rng(rep_vector(m, N), 1); }",
      "data { int N; vector[N] y; } generated quantities { real z = normal_rng(0, 1); }",
      "data { int N; array[N] int<lower=1, upper=2> k; } parameters { vector[2] a; } "
      "model { target += sum(log_softmax(a)[k]); }"};
  for (const std::string& body : bodies) {
    write("right.stan", body);
    EXPECT_EQ(run({"check", at("right.stan")}), 0) << said();
    EXPECT_FALSE(says("unread-outcome")) << body << said();
  }
}

TEST_F(LikelihoodRun, that_was_forgotten_is_seen_in_its_other_shapes) {
  const std::vector<std::string> bodies{
      "data { int N; vector[N] y; } transformed data { vector[N] s = y - mean(y); } "
      "parameters { real m; } model { m ~ normal(0, 1); }",
      "data { int N; vector[N] y; } parameters { real m; } model { m ~ normal(0, 1); } "
      "generated quantities { vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | m, "
      "1); }",
      "data { int N; vector[N] y; real s; } parameters { real m; } model { m ~ normal(0, s); }",
      "data { int N; vector[N] y; array[N] int y2; } parameters { real m; } "
      "model { y ~ normal(m, 1); }"};
  for (const std::string& body : bodies) {
    write("wrong.stan", body);
    EXPECT_EQ(run({"check", at("wrong.stan")}), 0) << said();
    EXPECT_TRUE(says("unread-outcome")) << body << said();
  }
}

TEST_F(LikelihoodRun, of_states_that_are_left_out_is_asked_of_filters_alone) {
  const std::string model = input("states_left_out.stan"), data = input("states_left_out.json");
  write("points.json", "[[0, 0]]");
  const std::vector<std::vector<std::string>> refused{
      {"sample", model, "--data", data},
      {"sample", model, "--data", data, "--sampler", "smc"},
      {"sample", model, "--data", data, "--sampler", "nested"},
      {"optimize", model, "--data", data},
      {"evidence", model, "--data", data},
      {"evidence", model, "--data", data, "--method", "all"},
      {"simulate", model, "--data", data},
      {"expect", model, "--data", data, "--of", "q", "--posterior"},
      {"log-prob", model, "--data", data, "--terms", "likelihood", "--unconstrained",
       at("points.json")},
      {"sbc", model, "--data", data, "--replicates", "2"}};
  for (const std::vector<std::string>& words : refused) {
    EXPECT_NE(run(words), 0) << words[0] << printed();
    EXPECT_TRUE(says("leaves the states out")) << words[0] << ": " << said();
    EXPECT_TRUE(says("smc2")) << words[0] << ": " << said();
  }
  EXPECT_EQ(run({"sample", model, "--data", data, "--terms", "prior", "--draws", "50"}), 0)
      << said();
  EXPECT_EQ(run({"sample", model, "--data", data, "--sampler", "pmmh", "--draws", "50", "--warmup",
                 "50", "--chains", "1", "-o", at("fit.nc")}),
            0)
      << said();
  write("at.json", R"({"q": 0.4, "r": 0.7})");
  EXPECT_EQ(
      run({"filter", model, "--data", data, "--parameters", at("at.json"), "--method", "kalman"}),
      0)
      << said();
  for (const char* command : {"sensitivity", "loo"}) {
    EXPECT_NE(run({command, at("fit.nc")}), 0) << command << printed();
    EXPECT_TRUE(says("leaves the states out")) << command << ": " << said();
  }
}

TEST_F(LikelihoodRun, of_the_level_of_a_river_is_asked_of_filters_alone) {
  for (const char* command : {"sample", "evidence"}) {
    EXPECT_NE(
        run({command, input("level.stan"), "--data", input("level_gaps.csv"), "--missing", "nan"}),
        0)
        << printed();
    EXPECT_TRUE(says("leaves the states out")) << said();
  }
}

}  // namespace
}  // namespace credo::cli::likelihood_test
