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
    std::vector<std::string> words{"gp",        formula,       "--data",   at("d.csv"),
                                   "--predict", at("new.csv"), "--starts", "2"};
    words.insert(words.end(), more.begin(), more.end());
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
  ASSERT_EQ(run({"gp", "class ~ se(x)", "--family", "categorical", "--data", at("d.csv"),
                 "--predict", at("new.csv"), "--starts", "2"}),
            0)
      << said();
  EXPECT_NE(printed().find("P(a)"), std::string::npos) << printed();
}
TEST_F(GpOutcomes, hyperparameters_are_averaged) {
  for (const char* hyper : {"grid", "ccd"}) {
    const testing::Json answer =
        fit("y ~ se(x)", {"--family", "bernoulli", "--outcome", "laplace", "--hyper", hyper});
    EXPECT_GT(at_point(answer, "outcome", 1), 0.0);
    EXPECT_LT(at_point(answer, "outcome", 1), 1.0);
  }
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
  EXPECT_NE(refused("y ~ se(x)", {"--family", "bernoulli", "--noise", "0.1"}, 2).find("no noise"),
            std::string::npos);
}
}  // namespace
}  // namespace credo::cli::gp_outcomes_test
