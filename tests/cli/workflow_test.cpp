// credo simulate, ppc, sensitivity, sbc on files.
#include <gtest/gtest.h>

#include <fstream>

#include "io/file.hpp"
#include "support/command_run.hpp"

namespace credo::cli::workflow_test {
namespace {

constexpr const char* kProgram =
    "data { int N; array[N] int y; } parameters { real<lower=0> rate; } model { rate ~ gamma(2, "
    "1); y ~ "
    "poisson(rate); }";
// 3 zeros and a 9: no Poisson distribution has both.
constexpr const char* kData = R"({"N": 8, "y": [0, 1, 0, 2, 9, 1, 0, 2]})";

class Workflow : public testing::CommandRun {
 protected:
  Workflow() : CommandRun("workflow") {
    write("model.stan", kProgram);
    write("data.json", kData);
  }
  std::vector<std::string> on_model(const std::string& command) {
    return {command, at("model.stan"), "--data", at("data.json")};
  }
  std::string fit() {
    EXPECT_EQ(run({"sample", at("model.stan"), "--data", at("data.json"), "--seed", "1", "--quiet",
                   "-o", at("fit.nc")}),
              0)
        << said();
    return at("fit.nc");
  }
};

TEST_F(Workflow, simulates_data_that_sample_takes) {
  auto words = on_model("simulate");
  words.insert(words.end(),
               {"--seed", "5", "-o", at("simulated.json"), "--parameters", at("truth.json")});
  ASSERT_EQ(run(words), 0) << said();
  const testing::Json data = testing::parse_json(io::read_file(at("simulated.json")));
  EXPECT_EQ(data.at("N").number, 8.0);
  EXPECT_EQ(data.at("y").items.size(), 8u);
  const testing::Json truth = testing::parse_json(io::read_file(at("truth.json")));
  EXPECT_GT(truth.at("rate").number, 0.0);
  EXPECT_EQ(
      run({"sample", at("model.stan"), "--data", at("simulated.json"), "--draws", "10", "--quiet"}),
      0)
      << said();
  auto as_table = on_model("simulate");
  as_table.insert(as_table.end(), {"-o", at("simulated.csv")});
  EXPECT_EQ(run(as_table), 2);
  EXPECT_NE(said().find("end the name in .json"), std::string::npos) << said();
  // The same parameters again, as given ones, and other data of the same distribution.
  words = on_model("simulate");
  words.insert(words.end(), {"--at", at("truth.json"), "-o", at("again.json")});
  EXPECT_EQ(run(words), 0) << said();
}

TEST_F(Workflow, checks_statistics_of_the_data_against_replicates) {
  const testing::Json checks = json({"ppc", fit()});
  const testing::Json& y = checks.at("variables").items.at(0);
  EXPECT_EQ(y.at("source").text, "");
  EXPECT_EQ(y.at("num_draws").number, 1000.0);
  EXPECT_EQ(y.at("places").items.size(), 8u);
  for (const testing::Json& s : y.at("statistics").items) {
    const std::string name = s.at("name").text;
    // The mean is what the fit is made of; a largest value of 9 isn't, and P(y_rep >= 9) is of the order of 1e-3.
    if (name == "mean") {
      EXPECT_NEAR(s.at("tail").number, 0.5, 0.1);
    }
    if (name == "max") {
      EXPECT_LT(s.at("tail").number, 0.02);
    }
    if (name == "max" || name == "sd" || name == "mean" || name == "median") {
      EXPECT_EQ(s.at("extreme").truth, name == "max" || name == "sd") << name;
    }
  }
  EXPECT_NE(checks.at("sentence").text.find("max of y"), std::string::npos);
}

TEST_F(Workflow, checks_outcomes_of_0_and_1_in_groups_that_the_program_declares_as_numbers) {
  write("model.stan",
        "data { int N; vector[N] diet; array[N] int<lower=0, upper=1> y; } parameters { real a; } "
        "model { a ~ normal(0, 2); y ~ bernoulli_logit(a + 0.1 * diet); }");
  write("data.json",
        R"({"N": 8, "diet": [1, 2, 3, 1, 2, 3, 1, 2], "y": [0, 1, 0, 1, 1, 1, 0, 0]})");
  const std::string nc = fit();
  const testing::Json check = json({"ppc", nc}).at("variables").items.at(0);
  std::vector<std::string> names;
  for (const testing::Json& one : check.at("statistics").items)
    names.push_back(one.at("name").text);
  EXPECT_EQ(names, (std::vector<std::string>{"mean", "autocorrelation"}));  // others follow from it
  EXPECT_EQ(run({"ppc", nc}), 0) << said();
  EXPECT_EQ(printed().find("central 50 %"), std::string::npos) << printed();
  ASSERT_EQ(run({"ppc", nc, "--group", "diet"}), 0) << said();
  EXPECT_NE(printed().find("diet = 3"), std::string::npos) << printed();
  write("data.json",
        R"({"N": 8, "diet": [1.5, 2, 3, 1, 2, 3, 1, 2], "y": [0, 1, 0, 1, 1, 1, 0, 0]})");
  EXPECT_EQ(run({"ppc", fit(), "--group", "diet"}), 2);
  EXPECT_NE(said().find("diet has values that aren't whole"), std::string::npos) << said();
}

TEST_F(Workflow, takes_a_generated_quantity_that_replicates_the_data) {
  write("model.stan", std::string(kProgram) +
                          " generated quantities { array[N] int y_rep = "
                          "poisson_rng(rep_vector(rate, N)); array[N] int z = "
                          "rep_array(3, N); }");
  const std::string file = fit();
  EXPECT_EQ(json({"ppc", file}).at("variables").items.at(0).at("source").text, "y_rep");
  const testing::Json pair =
      json({"ppc", file, "--pair", "y=z", "--statistic", "mean", "-o", at("rep.csv")});
  EXPECT_EQ(pair.at("variables").items.at(0).at("source").text, "z");
  EXPECT_EQ(pair.at("variables").items.at(0).at("statistics").items.at(0).at("mean").number, 3.0);
  EXPECT_EQ(io::read_file(at("rep.csv")).substr(0, 24), "y.1,y.2,y.3,y.4,y.5,y.6,");
  EXPECT_EQ(run({"ppc", file, "--pair", "y=rate"}), 2);
  EXPECT_EQ(run({"ppc", file, "--prior"}), 0) << said();
}

// The data enter by transformed parameters: once as outcomes of densities that are summed up there, once
// as what is left of them.
TEST_F(Workflow, replicates_data_that_transformed_parameters_read) {
  const std::string generated =
      " generated quantities { array[N] int y_rep = poisson_rng(rep_vector(rate, N)); }";
  const std::string head = "data { int N; array[N] int y; } parameters { real<lower=0> rate; } ";
  write("model.stan",
        head +
            "transformed parameters { vector[N] ll; for (n in 1:N) ll[n] = poisson_lpmf(y[n] | "
            "rate); } model { rate ~ gamma(2, 1); target += sum(ll); }" +
            generated);
  const std::string sums = fit();
  EXPECT_EQ(json({"ppc", sums}).at("variables").items.at(0).at("source").text, "y_rep");
  write("model.stan",
        head +
            "transformed parameters { vector[N] rest = to_vector(y) - rate; } model { rate ~ "
            "gamma(2, 1); rest ~ normal(0, sqrt(rate)); }" +
            generated);
  const std::string rests = fit();
  EXPECT_EQ(json({"ppc", rests}).at("variables").items.at(0).at("source").text, "y_rep");
  EXPECT_EQ(json({"ppc", rests, "--pair", "y=y_rep"}).at("variables").items.at(0).at("name").text,
            "y");
  EXPECT_EQ(run({"ppc", rests, "--pair", "z=y_rep"}), 2);
  EXPECT_NE(said().find("have no z"), std::string::npos) << said();
  write("model.stan", head +
                          "transformed parameters { vector[N] rest = to_vector(y) - rate; } model "
                          "{ rate ~ gamma(2, 1); rest ~ normal(0, sqrt(rate)); }");
  EXPECT_EQ(run({"ppc", fit()}), 3);
  EXPECT_NE(said().find("y_rep"), std::string::npos) << said();
}

TEST_F(Workflow, says_how_far_prior_and_data_decide) {
  const testing::Json right = json({"sensitivity", fit()});
  EXPECT_EQ(right.at("quantities").items.size(), 1u);
  EXPECT_GT(right.at("quantities").items[0].at("likelihood").at("distance").number, 0.05);
  // Far from the data, and narrow.
  write("model.stan",
        "data { int N; array[N] int y; } parameters { real<lower=0> rate; } model { rate ~ "
        "normal(5, 0.3); y ~ poisson(rate); }");
  const testing::Json conflict = json({"sensitivity", fit()});
  EXPECT_EQ(conflict.at("quantities").items[0].at("words").text,
            "prior and data may be in conflict");
}

// Most of the series that this prior draws grow beyond all numbers. Those of the others have small
// coefficients, which are no draws of it.
TEST_F(Workflow, does_not_judge_by_data_sets_of_which_many_could_not_be_fitted) {
  write(
      "series.stan",
      "data { int T; vector[T] y; } parameters { real b; real<lower=0> s; } model { b ~ cauchy(0, "
      "10000); s ~ exponential(1); for (t in 2:T) y[t] ~ normal(b * y[t - 1], s); }");
  std::string zeros = "1";
  for (int t = 1; t < 40; ++t) zeros += ", 0";
  write("series.json", R"({"T": 40, "y": [)" + zeros + "]}");
  const testing::Json told = json({"sbc", at("series.stan"), "--data", at("series.json"),
                                   "--replicates", "20", "--warmup", "50", "--draws", "50"});
  EXPECT_GT(told.at("num_failed").number, 2.0);
  EXPECT_LT(told.at("num_failed").number, 18.0);
  EXPECT_EQ(told.at("sentence").text.substr(0, 14), "No conclusion:");
  for (const testing::Json& quantity : told.at("quantities").items)
    EXPECT_EQ(quantity.at("fault").text, "");
}

TEST_F(Workflow, calibrates_and_goes_on_with_what_was_done) {
  auto words = on_model("sbc");
  words.insert(words.end(), {"--replicates", "30", "--draws", "200", "--warmup", "200", "--quiet",
                             "--seed", "4"});
  ASSERT_EQ(run(words), 0) << said();
  EXPECT_NE(printed().find("No fault found by 30 data sets"), std::string::npos) << printed();
  words.insert(words.end(), {"-o", at("sbc.json")});
  ASSERT_EQ(run(words), 0) << said();
  const testing::Json file = testing::parse_json(io::read_file(at("sbc.json")));
  EXPECT_EQ(file.at("replicates").items.size(), 30u);
  EXPECT_EQ(file.at("quantities").items.size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(at("sbc.json.run")));
}

// Discrete parameters that are drawn are part of a draw: whichever upper values a fit has, replicates have, too.
TEST_F(Workflow, takes_fits_with_discrete_parameters_that_were_drawn) {
  write("model.stan",
        "data { int N; array[N] int y; } parameters { real m; array[N] int<lower=0, upper=1> z; } "
        "model { m ~ normal(0, 1); z ~ "
        "bernoulli(0.4); for (n in 1:N) y[n] ~ poisson(exp(m) + 100 * z[n]); } generated "
        "quantities { array[N] int w = z; }");
  write("data.json", R"({"N": 3, "y": [1, 104, 0]})");
  ASSERT_EQ(run({"sample", at("model.stan"), "--data", at("data.json"), "--discrete", "gibbs",
                 "--draws", "200", "--quiet", "-o", at("fit.nc")}),
            0)
      << said();
  const testing::Json places = json({"ppc", at("fit.nc"), "-o", at("rep.csv")});
  EXPECT_EQ(places.at("variables").items[0].at("places").items.size(), 3u);
  const std::string line = io::read_file(at("rep.csv")).substr(12, 20);  // behind the names
  EXPECT_GT(std::stod(line.substr(line.find(',') + 1)), 50.0) << line;
  EXPECT_LT(std::stod(line), 50.0) << line;
  EXPECT_EQ(json({"predict", at("fit.nc")}).items[1].at("mean").number, 1.0);
  EXPECT_EQ(json({"loo", at("fit.nc")}).at("rows").items.size(), 3u);
  EXPECT_EQ(run({"sensitivity", at("fit.nc")}), 0) << said();
}

// Predictions of a regression at x = 10: intercept + 10 slope, plus noise.
TEST_F(Workflow, predicts_with_other_data_and_another_program) {
  const std::string head =
      "data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; } model { a ~ "
      "normal(0, 10); b ~ normal(0, 10); "
      "y ~ normal(a + b * x, 1); } ";
  write("model.stan", head + "generated quantities { vector[N] mu = a + b * x; }");
  write("data.json", R"({"N": 4, "x": [0, 1, 2, 3], "y": [0.2, 1.1, 1.9, 3.2]})");
  write("new.json", R"({"N": 2, "x": [10, 20], "y": [0, 0]})");
  const std::string file = fit();
  const testing::Json own = json({"predict", file});
  EXPECT_EQ(own.items.size(), 4u);
  const testing::Json summary = json({"summary", file, "--columns", "mu"});
  for (std::size_t k = 0; k < 4; ++k)  // the same numbers, but for the way to free values and back
    EXPECT_NEAR(own.items[k].at("mean").number, summary.items[k].at("mean").number, 1e-12);
  const testing::Json other = json({"predict", file, "--data", at("new.json"), "-o", at("new.nc")});
  ASSERT_EQ(other.items.size(), 2u);
  EXPECT_EQ(other.items[0].at("name").text, "mu.1");
  const testing::Json line = json({"summary", file, "--of", "a + 10 * b"});
  EXPECT_NEAR(other.items[0].at("mean").number, line.at("of").items[0].at("mean").number, 1e-10);
  EXPECT_EQ(json({"summary", at("new.nc"), "--columns", "mu"}).items.size(), 2u);
  const testing::Json like = json({"predict", "--like", at("new.nc")});
  ASSERT_EQ(like.items.size(), 2u);
  EXPECT_EQ(like.items[1].at("mean").number, other.items[1].at("mean").number);
  EXPECT_EQ(json({"predict", "--like", at("new.nc"), "--data", at("data.json")}).items.size(), 4u);
  write("noisy.stan", head + "generated quantities { real y_new = normal_rng(a + 10 * b, 1); }");
  const testing::Json noisy =
      json({"predict", file, "--model", at("noisy.stan"), "--seed", "3", "-o", at("noisy")});
  const double sd = line.at("of").items[0].at("sd").number;
  EXPECT_NEAR(noisy.items[0].at("sd").number, std::sqrt(sd * sd + 1.0),
              0.06 * std::sqrt(sd * sd + 1.0));
  EXPECT_EQ(io::read_file(at("noisy_4.csv")).find("y_new") == std::string::npos, false);
  write("none.stan", head);
  // Without generated quantities the outcomes are drawn by their statements, at the new data's x.
  const testing::Json drawn =
      json({"predict", file, "--model", at("none.stan"), "--data", at("new.json"), "--seed", "3"});
  ASSERT_EQ(drawn.items.size(), 2u);
  EXPECT_EQ(drawn.items[0].at("name").text, "y_rep.1");
  const double mean = line.at("of").items[0].at("mean").number, spread = std::sqrt(sd * sd + 1.0);
  EXPECT_NEAR(drawn.items[0].at("mean").number, mean, 4.0 * spread / std::sqrt(4000.0));
  EXPECT_NEAR(drawn.items[0].at("sd").number, spread, 0.06 * spread);
  write("fewer.stan",
        "parameters { real c; } model { c ~ normal(0, 1); } generated quantities { real d = c; }");
  EXPECT_EQ(run({"predict", file, "--model", at("fewer.stan")}), 4) << said();
}

// Without generated quantities, or with --outcomes, a prediction is an outcome: for m flat and y ~ normal(m, 2), 4
// values give normal(mean, sqrt(4 + 1)). The error of the mean of 4,000 draws is 0.035, of their standard deviation
// 0.025.
TEST_F(Workflow, predicts_outcomes_by_the_statements_of_the_likelihood) {
  const std::string head =
      "data { int N; vector[N] x; vector[N] y; } parameters { real m; } model { y ~ normal(m + x, "
      "2); } ";
  write("model.stan", head);
  write("data.json", R"({"N": 4, "x": [0, 0, 0, 0], "y": [0.5, 1.5, -1, 3]})");
  write("new.csv", "x,y\n10,0\n-20,0\n0,0\n");
  const std::string file = fit();
  const testing::Json found = json({"predict", file, "--data", at("new.csv"), "--seed", "3"});
  ASSERT_EQ(found.items.size(), 3u);
  const std::vector<double> x{10, -20, 0};
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(found.items[n].at("name").text, "y_rep." + std::to_string(n + 1));
    // The draws of m in a chain are worth at least a third as many independent ones; m has 1 of the variance of 5.
    EXPECT_NEAR(found.items[n].at("mean").number, 1.0 + x[n], 4.0 * 0.045);
    EXPECT_NEAR(found.items[n].at("sd").number, std::sqrt(5.0), 4.0 * 0.03);
  }
  write("more.stan", head + "generated quantities { real twice = 2 * m; }");
  const std::vector<std::string> more{"predict", file,          "--model", at("more.stan"),
                                      "--data",  at("new.csv"), "--seed",  "3"};
  EXPECT_EQ(json(more).items.size(), 1u);
  std::vector<std::string> outcomes = more;
  outcomes.push_back("--outcomes");
  const testing::Json same = json(outcomes);
  ASSERT_EQ(same.items.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n)
    EXPECT_EQ(same.items[n].at("mean").number, found.items[n].at("mean").number);
}

TEST_F(Workflow, refuses_what_can_not_be_drawn_with_the_way_out) {
  write("model.stan",
        "data { int N; array[N] int y; } parameters { real<lower=0> rate; } model { y ~ "
        "poisson(rate); }");
  EXPECT_EQ(run(on_model("simulate")), 3);
  EXPECT_NE(said().find("rate"), std::string::npos) << said();
  EXPECT_EQ(run(on_model("sbc")), 3);
  write("model.stan",
        "data { int N; array[N] int y; } parameters { real<lower=0> rate; } model { rate ~ "
        "gamma(2, 1); for (n in 1:N) target "
        "+= log_mix(0.5, poisson_lpmf(y[n] | rate), poisson_lpmf(y[n] | 1)); }");
  EXPECT_EQ(run({"ppc", fit()}), 3);
  EXPECT_NE(said().find("y_rep"), std::string::npos) << said();
}

}  // namespace
}  // namespace credo::cli::workflow_test
