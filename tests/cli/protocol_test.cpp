// credo score MODEL --protocol: sequences of data that are learned and predicted.
#include <fmt/format.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::protocol_test {
namespace {

class Protocol : public testing::CommandRun {
 protected:
  Protocol() : CommandRun("protocol") {
    write("mean.stan",
          "data { int N; vector[N] y; } parameters { real mu; } "
          "model { mu ~ normal(1, 2); y ~ normal(mu, 3); }");
    write("a.csv", "y\n2.0\n-1.5\n4.0\n");
    write("b.csv", "y\n9.0\n11.0\n10.0\n12.0\n");
    write("t.csv", "y\n0.5\n3.0\n");
  }
  testing::Json scored(const std::string& lines, std::vector<std::string> more = {}) {
    write("p.csv", "train,data\n" + lines);
    std::vector<std::string> words{"score",    at("mean.stan"), "--protocol",   at("p.csv"),
                                   "--method", "laplace",       "--replicates", "20000"};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
};

double log_normal(double y, double mean, double variance) {
  return -0.5 * std::log(2.0 * 3.14159265358979323846 * variance) -
         0.5 * (y - mean) * (y - mean) / variance;
}

// Predictive distributions are normal, with the posterior's variance and 9. The error is that of 20,000 draws, whose mean likelihoods vary by
// a factor of about 0.1.
TEST_F(Protocol, scores_are_those_of_the_posteriors_in_sequence) {
  const testing::Json found = scored("1,a.csv\n0,t.csv\n1,b.csv\n0,t.csv\n");
  const auto& steps = found.at("steps").items;
  ASSERT_EQ(steps.size(), 4u);
  const double first = 0.25 + 3.0 / 9.0, mean = (0.25 + 4.5 / 9.0) / first;
  const double second = first + 4.0 / 9.0, later = (first * mean + 42.0 / 9.0) / second;
  const auto score = [](const std::vector<double>& y, double m, double precision) {
    double sum = 0.0;
    for (const double v : y) sum += log_normal(v, m, 9.0 + 1.0 / precision);
    return sum / static_cast<double>(y.size());
  };
  constexpr double kOfDraws = 0.01;
  EXPECT_NEAR(steps[1].at("log_score").number, score({0.5, 3.0}, mean, first), kOfDraws);
  EXPECT_NEAR(steps[2].at("log_score").number, score({9.0, 11.0, 10.0, 12.0}, mean, first), 0.1);
  EXPECT_NEAR(steps[3].at("log_score").number, score({0.5, 3.0}, later, second), kOfDraws);
  EXPECT_GT(std::fabs(score({0.5, 3.0}, later, second) - score({0.5, 3.0}, 10.0, 1.0)), 0.5);
  EXPECT_EQ(steps[0].at("num_rows").number, 3.0);
  EXPECT_EQ(steps[1].at("is_learned").truth, false);
}

TEST_F(Protocol, knows_what_later_parts_cost) {
  const testing::Json found = scored("1,a.csv\n0,t.csv\n1,b.csv\n0,t.csv\n");
  const testing::Json& loss = found.at("predicted").items.at(0);
  const auto& steps = found.at("steps").items;
  EXPECT_EQ(loss.at("data").text, "t.csv");
  EXPECT_DOUBLE_EQ(loss.at("forgotten").number,
                   steps[1].at("log_score").number - steps[3].at("log_score").number);
  EXPECT_GT(loss.at("forgotten").number, 0.1);
  ASSERT_EQ(run({"score", at("mean.stan"), "--protocol", at("p.csv")}), 0) << said();
  EXPECT_NE(printed().find("forgotten"), std::string::npos) << printed();
}

TEST_F(Protocol, wrong_tables_are_refused_at_their_line) {
  const auto refused = [&](const std::string& lines, const std::string& why,
                           std::vector<std::string> more = {}) {
    write("p.csv", lines);
    std::vector<std::string> words{"score", at("mean.stan"), "--protocol", at("p.csv")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_NE(run(words), 0) << printed();
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  };
  refused("train,data\n0,t.csv\n", "predicted before any are learned");
  refused("train,data\n1,t.csv\n1,t.csv\n", "t.csv is learned twice");
  refused("train,data\n2,t.csv\n", "must be 0 or 1");
  refused("mode,data\n1,t.csv\n", "no column 'train'");
  refused("train,data\n1,a.csv\n", "is no approximation", {"--method", "nuts"});
  refused("train,data\n1,a.csv\n", "has no value", {"--method-option", "covariance"});
}

}  // namespace
}  // namespace credo::cli::protocol_test
