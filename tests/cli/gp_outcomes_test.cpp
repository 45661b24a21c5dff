// credo gp with outcomes that aren't normal: the same numbers as scikit-learn 1.2.1, predictions, refusals.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::gp_outcomes_test {
namespace {
class GpOutcomes : public testing::CommandRun {
 protected:
  GpOutcomes() : CommandRun("gp_outcomes") {
    write("d.csv",
          "x,y,word,n,e,k,class,r\n0.1,0,no,3,1.5,1,a,0.2\n0.4,0,no,2,0.5,0,a,0.4\n0.9,1,yes,4,2,3,"
          "a,0.9\n"
          "1.3,1,yes,3,1,2,b,1.2\n1.7,1,yes,3,1,4,b,1.0\n2.2,0,no,2,2,2,b,5.7\n2.6,1,yes,1,1,1,c,0."
          "5\n"
          "3.1,0,no,3,1.2,0,c,0.1\n3.5,0,no,4,1,1,c,-0.3\n3.9,1,yes,2,0.8,0,a,-0.7\n");
    write("new.csv", "x\n0.3\n2.2\n5.0\n");
  }
  testing::Json fit(const std::string& formula, std::vector<std::string> more) {
    std::vector<std::string> words{"gp",        formula,     "--data",
                                   at("d.csv"), "--predict", at("new.csv")};
    words.insert(words.end(), more.begin(), more.end());
    // sampled and stochastic fits have no starts
    if (std::ranges::find(more, "student") == more.end() &&
        std::ranges::find(more, "svgp") == more.end())
      words.insert(words.end(), {"--starts", "2"});
    return json(words);
  }
  static double at_point(const testing::Json& answer, const char* field, std::size_t k = 0) {
    return answer.at("predictions").items.at(k).at(field).number;
  }
  std::string refused(const std::string& formula, std::vector<std::string> more, int status) {
    std::vector<std::string> words{"gp", formula, "--data", at("d.csv")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(std::move(words)), status) << printed();
    return credo::on_one_line(said());
  }
};

// GaussianProcessClassifier(1.3**2 * RBF(0.8), optimizer=None): log_marginal_likelihood_value_ and the latent moments.
TEST_F(GpOutcomes, classes_by_laplace_have_the_evidence_of_scikit_learn) {
  for (const char* outcome : {"y", "word"}) {
    const testing::Json answer = fit(std::string(outcome) + " ~ 0 | se(x, length = 0.8, sd = 1.3)",
                                     {"--family", "bernoulli", "--outcome", "laplace"});
    EXPECT_NEAR(answer.at("log_evidence").number, -7.543058036981435, 1e-6);
    EXPECT_NEAR(at_point(answer, "mean", 0), -0.43742498, 2e-5);
    EXPECT_NEAR(at_point(answer, "sd", 1), std::sqrt(0.79218586), 2e-5);
    // far away the outcome is as likely as not
    EXPECT_GT(at_point(answer, "outcome", 2), at_point(answer, "outcome", 0));
  }
}
// The probit has a closed form: Phi(mean / sqrt(1 + sd²)).
TEST_F(GpOutcomes, probabilities_average_over_the_function) {
  const testing::Json answer = fit("y ~ se(x)", {"--family", "bernoulli", "--link", "probit"});
  for (const std::size_t k : {0, 1, 2}) {
    const double mean = at_point(answer, "mean", k), sd = at_point(answer, "sd", k);
    EXPECT_NEAR(at_point(answer, "outcome", k),
                0.5 * std::erfc(-mean / std::sqrt(1.0 + sd * sd) / std::sqrt(2.0)), 1e-9);
  }
}
TEST_F(GpOutcomes, all_methods_and_families_answer) {
  for (const char* method : {"laplace", "ep", "cvi"})
    for (const auto& [formula, family] : {std::pair{"y ~ matern32(x)", "bernoulli"},
                                          std::pair{"y | trials(n) ~ 1 + x | se(x)", "binomial"},
                                          std::pair{"k | rate(e) ~ matern52(x)", "poisson"},
                                          std::pair{"k ~ se(x)", "negbinomial"}}) {
      const testing::Json answer = fit(formula, {"--family", family, "--outcome", method});
      EXPECT_TRUE(std::isfinite(answer.at("log_evidence").number)) << method << family;
      EXPECT_GT(at_point(answer, "outcome"), 0.0) << method << family;
    }
  const testing::Json student = fit("r ~ se(x)", {"--family", "student"});
  EXPECT_EQ(student.at("solver").text, "sample");
  EXPECT_LT(at_point(student, "mean", 1), 4.0);
}
TEST_F(GpOutcomes, rates_are_offsets) {
  // twice the exposure in all rows is half the rate
  const testing::Json one = fit("k | rate(e) ~ se(x, sd = 1, length = 1)", {"--family", "poisson"}),
                      two = fit("k | rate(2 * e) ~ se(x, sd = 1, length = 1)",
                                {"--family", "poisson"});
  EXPECT_NEAR(at_point(one, "outcome"), 2.0 * at_point(two, "outcome"), 1e-8);
  EXPECT_NEAR(one.at("log_evidence").number, two.at("log_evidence").number, 1e-8);
}
TEST_F(GpOutcomes, classes_have_probabilities) {
  const testing::Json answer = fit("class ~ se(x)", {"--family", "categorical"});
  double sum = 0.0;
  for (const testing::Json& one : answer.at("predictions").items.at(0).at("probability").items)
    sum += one.number;
  EXPECT_NEAR(sum, 1.0, 1e-9);
  // rows near 0.3 are all of a, and rows near 2.2 mostly of b
  const testing::Json known =
      fit("class ~ se(x, length = 0.8, sd = 2)", {"--family", "categorical"});
  for (const auto& [point, most] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 1}}) {
    const auto& shares = known.at("predictions").items.at(point).at("probability").items;
    ASSERT_EQ(shares.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_TRUE(k == most || shares[most].number > shares[k].number) << point << k;
  }
  ASSERT_EQ(run({"gp", "class ~ se(x)", "--family", "categorical", "--data", at("d.csv"),
                 "--predict", at("new.csv"), "--starts", "2"}),
            0)
      << said();
  EXPECT_NE(printed().find("P(a)"), std::string::npos) << printed();
}
TEST_F(GpOutcomes, hyperparameters_are_averaged) {
  const double at_largest =
      at_point(fit("y ~ se(x)", {"--family", "bernoulli", "--outcome", "laplace"}), "outcome", 1);
  for (const char* hyper : {"grid", "ccd"}) {
    const testing::Json answer =
        fit("y ~ se(x)", {"--family", "bernoulli", "--outcome", "laplace", "--hyper", hyper});
    // another answer than at the largest evidence, and not far from it
    EXPECT_GT(std::abs(at_point(answer, "outcome", 1) - at_largest), 1e-5) << hyper;
    EXPECT_LT(std::abs(at_point(answer, "outcome", 1) - at_largest), 0.3) << hyper;
  }
}
// Some steps of the chain come to hyperparameters at which Newton's method doesn't settle.
TEST_F(GpOutcomes, hyperparameters_of_counts_are_drawn) {
  const std::string accidents = CREDO_SOURCE_DIR "/examples/regression/accidents.csv";
  for (const char* seed : {"1", "2"})
    EXPECT_EQ(run({"gp", "accidents ~ matern52(year)", "--family", "poisson", "--data", accidents,
                   "--hyper", "mcmc", "--starts", "2", "--seed", seed}),
              0)
        << said();
}
TEST_F(GpOutcomes, by_batches_say_that_the_evidence_is_a_bound) {
  ASSERT_EQ(run({"gp", "y ~ se(x)", "--family", "bernoulli", "--solver", "svgp", "--inducing", "6",
                 "--batch", "5", "--steps", "100", "--data", at("d.csv")}),
            0)
      << said();
  EXPECT_NE(printed().find("log evidence at least"), std::string::npos) << printed();
  EXPECT_NE(printed().find("6 inducing inputs"), std::string::npos) << printed();
  // normal outcomes: below the exact evidence, and near it with as many inducing inputs as rows
  const std::vector<std::string> known{"--noise", "0.7"};
  const std::string formula = "r ~ 0 | se(x, length = 0.8, sd = 1.3)";
  std::vector<std::string> svgp = known;
  for (const char* word : {"--solver", "svgp", "--inducing", "10"}) svgp.emplace_back(word);
  const double bound = fit(formula, svgp).at("log_evidence").number,
               exact = fit(formula, known).at("log_evidence").number;
  EXPECT_LT(bound, exact + 1e-6);
  EXPECT_GT(bound, exact - 0.1);
  std::vector<std::string> words{"gp", formula, "--data", at("d.csv"), "--predict", at("new.csv")};
  words.insert(words.end(), svgp.begin(), svgp.end());
  ASSERT_EQ(run(words), 0) << said();
  EXPECT_NE(printed().find("sd of outcomes"), std::string::npos) << printed();
}
// The prior of a slope has the unit of the outcome: it is as weak for outcomes of 1e4 as the flat one of the exact solver.
TEST_F(GpOutcomes, slopes_have_the_unit_of_the_outcome) {
  std::string text = "x,y\n";
  for (int i = 0; i < 12; ++i)
    text += std::to_string(0.3 * i) + "," +
            std::to_string(2e4 + 3e3 * i + 900.0 * std::cos(5.0 * i * i)) + "\n";
  write("big.csv", text);
  const std::vector<std::string> words{"gp",      "y ~ 1 + x | se(x, length = 0.5, sd = 100)",
                                       "--data",  at("big.csv"),
                                       "--noise", "1000"};
  std::vector<std::string> svgp = words;
  for (const char* word : {"--solver", "svgp", "--inducing", "12"}) svgp.emplace_back(word);
  const double slope = json(words).at("mean").items.at(1).at("value").number;
  EXPECT_NEAR(slope, 1e4, 500.0);
  EXPECT_NEAR(json(svgp).at("mean").items.at(1).at("value").number, slope, 0.02 * slope);
}
// Brownian motion is 0 at 0, where each outcome has the probability 1/2 whatever the others are.
TEST_F(GpOutcomes, a_row_that_the_prior_knows_has_its_own_likelihood) {
  const std::string rows = "0.4,0\n0.9,1\n1.3,1\n2.2,0\n";
  write("without.csv", "x,y\n" + rows);
  write("with.csv", "x,y\n0,1\n" + rows);
  const auto evidence = [&](const char* file) {
    return json({"gp", "y ~ 0 | brownian(x, sd = 1)", "--data", at(file), "--family", "bernoulli",
                 "--outcome", "ep"})
        .at("log_evidence")
        .number;
  };
  EXPECT_NEAR(evidence("with.csv"), evidence("without.csv") - std::log(2.0), 1e-8);
}
TEST_F(GpOutcomes, refusals_name_the_way_out) {
  EXPECT_NE(refused("r ~ se(x)", {"--family", "bernoulli"}, 4).find("row 1"), std::string::npos);
  EXPECT_NE(refused("y ~ se(x)", {"--family", "binomial"}, 4).find("trials(COLUMN)"),
            std::string::npos);
  EXPECT_NE(
      refused("k | rate(x - 2) ~ se(x)", {"--family", "poisson"}, 4).find("rates are positive"),
      std::string::npos);
  EXPECT_NE(refused("r ~ se(x)", {"--family", "student", "--outcome", "ep"}, 2).find("log-concave"),
            std::string::npos);
  EXPECT_NE(refused("k ~ se(x)", {"--family", "poisson", "--link", "probit"}, 2).find("no link"),
            std::string::npos);
  EXPECT_NE(refused("y ~ se(x) + noise", {"--family", "bernoulli"}, 4).find("no noise"),
            std::string::npos);
  EXPECT_NE(refused("y | rate(e) ~ se(x)", {"--family", "bernoulli"}, 4).find("doesn't modify"),
            std::string::npos);
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--move-inducing"},
                                                 {"--tolerance", "0.001"},
                                                 {"--inducing", "5"}}) {
    std::vector<std::string> words{"--family", "poisson"};
    words.insert(words.begin(), option.begin(), option.end());
    EXPECT_NE(refused("k ~ se(x)", words, 2).find(option[0]), std::string::npos) << said();
  }
  EXPECT_NE(refused("k ~ se(x)", {"--family", "poisson", "--solver", "svgp", "--grid", "100"}, 2)
                .find("--grid"),
            std::string::npos);
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--spectrum"}, {"--starts", "2"}}) {
    std::vector<std::string> words{"--family", "student"};
    words.insert(words.end(), option.begin(), option.end());
    EXPECT_NE(refused("r ~ se(x)", words, 2).find(option[0]), std::string::npos) << said();
  }
  EXPECT_NE(refused("y ~ se(x)", {"--family", "bernoulli", "--noise", "0.1"}, 2).find("no noise"),
            std::string::npos);
}
}  // namespace
}  // namespace credo::cli::gp_outcomes_test
