// credo exact: predictive distributions, and posteriors that are the prior of the next data (--predict, --after).
#include <gtest/gtest.h>

#include "numerics/special.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::exact_sequence_test {
namespace {

constexpr double kExact = 1e-8;  // relative; natural parameters have the rounding of least squares

class ExactSequence : public testing::CommandRun {
 protected:
  ExactSequence() : CommandRun("exact_sequence") {}

  testing::Json exact(const std::string& data, std::vector<std::string> more = {}) {
    write("d.json", data);
    std::vector<std::string> words{"exact", at("m.stan"), "--data", at("d.json")};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
  void expect_predictive(const testing::Json& found, std::size_t k, const std::string& family,
                         const std::vector<std::pair<std::string, double>>& arguments) {
    const testing::Json& one = found.at("predictive").items.at(k);
    EXPECT_EQ(one.at("family").text, family);
    for (const auto& [name, value] : arguments)
      EXPECT_NEAR(one.at("arguments").at(name).number, value, kExact * (1.0 + std::abs(value)))
          << name;
  }
  // The words that the command says when it refuses.
  std::string refusal(std::vector<std::string> words) {
    EXPECT_NE(run(std::move(words)), 0);
    return on_one_line(said());
  }
};

const std::string kCounts =
    "data { int N; array[N] int y; vector[N] area; }\nparameters { real<lower=0> rate; }\n"
    "model { rate ~ gamma(2, 3); y ~ poisson(rate * area); }";

TEST_F(ExactSequence, counts_have_negative_binomial_predictive_distributions_for_new_rows) {
  write("m.stan", kCounts);
  write("new.json", R"({"N": 2, "area": [1.0, 5.0]})");
  const testing::Json found =
      exact(R"({"N": 2, "y": [4, 9], "area": [2.0, 4.0]})", {"--predict", at("new.json")});
  ASSERT_EQ(found.at("predictive").items.size(), 2u);
  expect_predictive(found, 0, "neg_binomial", {{"alpha", 15.0}, {"beta", 9.0}});
  expect_predictive(found, 1, "neg_binomial", {{"alpha", 15.0}, {"beta", 9.0 / 5.0}});
  const testing::Json& second = found.at("predictive").items.at(1);
  EXPECT_EQ(second.at("name").text, "y[2]");
  EXPECT_EQ(second.at("given_parameters").text, "poisson");
  EXPECT_NEAR(second.at("mean").number, 15.0 * 5.0 / 9.0, kExact * 10.0);
  EXPECT_NEAR(second.at("sd").number, std::sqrt(15.0 * 5.0 / 9.0 * (1.0 + 5.0 / 9.0)),
              kExact * 10.0);
  EXPECT_LT(second.at("q5").number, second.at("q50").number);
}

// Gelman et al. (2013), section 3.3: Student t with 2 alpha_n degrees of freedom and squared scale beta_n / alpha_n (1 + x' V x).
TEST_F(ExactSequence, regression_of_unknown_scale_has_student_t_predictive_distributions) {
  write("m.stan",
        "data { int N; vector[N] y; matrix[N, 2] x; }\n"
        "parameters { vector[2] b; real<lower=0> v; }\n"
        "model { v ~ inv_gamma(2, 1); b ~ normal(0, sqrt(v)); y ~ normal(x * b, sqrt(v)); }");
  write("new.json", R"({"N": 1, "x": [[1, 3]]})");
  const testing::Json found =
      exact(R"({"N": 2, "y": [1.0, 3.0], "x": [[1, 1], [1, 2]]})", {"--predict", at("new.json")});
  // Precision (3, 3; 3, 6) for v = 1, its inverse (2, -1; -1, 1) / 3; mean (1/3, 1); beta = 1 + (10 - 25 / 3) / 2.
  const double spread = 1.0 + (2.0 - 6.0 + 9.0) / 3.0, beta = 1.0 + 0.5 * (10.0 - 25.0 / 3.0);
  expect_predictive(
      found, 0, "student_t",
      {{"nu", 6.0}, {"mu", 1.0 / 3.0 + 3.0}, {"sigma", std::sqrt(beta / 3.0 * spread)}});
}

TEST_F(ExactSequence, vectors_and_regressions_as_one_statement_have_marginals) {
  write("m.stan",
        "data { int N; array[N] vector[2] y; matrix[2, 2] S; array[3] int n; array[N] int k; }\n"
        "parameters { vector[2] mu; simplex[3] p; }\n"
        "model { mu ~ normal(0, 1); y ~ multi_normal(mu, S); p ~ dirichlet(rep_vector(1, 3));\n"
        "  n ~ multinomial(p); k ~ categorical(p); }");
  const testing::Json found = exact(
      R"({"N": 1, "y": [[2.0, 1.0]], "S": [[1.0, 0.0], [0.0, 3.0]], "n": [2, 1, 0], "k": [3]})");
  ASSERT_EQ(found.at("predictive").items.size(), 6u);
  expect_predictive(found, 0, "normal", {{"mu", 1.0}, {"sigma", std::sqrt(1.5)}});
  expect_predictive(found, 1, "normal", {{"mu", 0.25}, {"sigma", std::sqrt(3.75)}});
  EXPECT_EQ(found.at("predictive").items.at(1).at("joint").text, "multi_normal");
  expect_predictive(found, 2, "beta_binomial", {{"N", 3.0}, {"alpha", 3.0}, {"beta", 4.0}});
  expect_predictive(found, 5, "categorical", {{"theta[1]", 3.0 / 7.0}, {"theta[3]", 2.0 / 7.0}});
  write("m.stan",
        "data { int N; vector[N] y; matrix[N, 1] x; } parameters { vector[1] b; }\n"
        "model { b ~ normal(0, 1); y ~ normal_id_glm(x, 0.5, b, 2); }");
  expect_predictive(exact(R"({"N": 1, "y": [1.5], "x": [[2]]})"), 0, "normal",
                    {{"mu", 0.5 + 2.0 * 0.25}, {"sigma", std::sqrt(4.0 + 4.0 * 0.5)}});
}

TEST_F(ExactSequence, text_joins_equal_rows_and_says_where_there_is_no_closed_form) {
  write("m.stan",
        "data { int N; array[N] int y; array[N] int k; } parameters { real<lower=0, upper=1> p; }\n"
        "model { p ~ beta(1, 1); y ~ bernoulli(p); for (i in 1:N) target += k[i] * log(p); }");
  write("d.json", R"({"N": 3, "y": [1, 0, 1], "k": [1, 2, 3]})");
  ASSERT_EQ(run({"exact", at("m.stan"), "--data", at("d.json")}), 0) << said();
  EXPECT_NE(printed().find("y[1] to y[3]"), std::string::npos) << printed();
  write("m.stan",
        "data { int N; vector[N] y; } parameters { real<lower=0> rate; }\n"
        "model { rate ~ gamma(1, 1); y ~ gamma(2, rate); }");
  write("d.json", R"({"N": 2, "y": [1.0, 2.0]})");
  ASSERT_EQ(run({"exact", at("m.stan"), "--data", at("d.json")}), 0) << said();
  EXPECT_NE(printed().find("no closed form"), std::string::npos) << printed();
}

// Two surveys in either order, and both at once.
TEST_F(ExactSequence, posterior_after_two_parts_is_that_of_both_in_either_order) {
  write("m.stan", kCounts);
  const std::string first = R"({"N": 1, "y": [7], "area": [2.0]})",
                    second = R"({"N": 2, "y": [1, 5], "area": [1.5, 3.5]})";
  const testing::Json both = exact(R"({"N": 3, "y": [7, 1, 5], "area": [2.0, 1.5, 3.5]})");
  for (const bool swapped : {false, true}) {
    const testing::Json one = exact(swapped ? second : first, {"-o", at("one.nc")});
    const testing::Json two =
        exact(swapped ? first : second, {"--after", at("one.nc"), "-o", at("two.nc")});
    const testing::Json& rate = two.at("parameters").items.at(0);
    EXPECT_NEAR(rate.at("arguments").at("alpha").number, 15.0, 15.0 * kExact);
    EXPECT_NEAR(rate.at("arguments").at("beta").number, 10.0, 10.0 * kExact);
    EXPECT_NEAR(one.at("log_evidence").number + two.at("log_evidence").number,
                both.at("log_evidence").number, 10.0 * kExact);
  }
}

const std::string kGroups =
    "data { int N; int K; array[N] int g; vector[N] x; vector[N] y; }\n"
    "parameters { real mu; vector[K] b; real<lower=0> tau; }\n"
    "model { tau ~ gamma(2, 3); mu ~ normal(1, 2 / sqrt(tau)); b ~ normal(0, 1 / sqrt(tau));\n"
    "  y ~ normal(mu + b[g] .* x, 0.5 / sqrt(tau)); }";
std::string group_data(int k, const std::vector<int>& rows) {
  std::string g, x, y;
  for (const int row : rows) {
    const std::string comma = g.empty() ? "" : ", ";
    g += comma + std::to_string(row % k + 1);
    x += comma + std::to_string(0.5 + 0.25 * row);
    y += comma + std::to_string(1.0 + (row * 7 % 5) * 0.3);
  }
  return "{\"N\": " + std::to_string(rows.size()) + ", \"K\": " + std::to_string(k) + ", \"g\": [" +
         g + "], \"x\": [" + x + "], \"y\": [" + y + "]}";
}

// Means, standard deviations and covariances of one batch.
void expect_equal(const testing::Json& a, const testing::Json& b) {
  const auto& left = a.at("parameters").items;
  const auto& right = b.at("parameters").items;
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t k = 0; k < left.size(); ++k) {
    EXPECT_EQ(left[k].at("name").text, right[k].at("name").text);
    for (const char* figure : {"mean", "sd"})
      EXPECT_NEAR(left[k].at(figure).number, right[k].at(figure).number, 1e-8) << figure << k;
  }
}

TEST_F(ExactSequence, five_parts_in_sequence_are_one_batch) {
  write("m.stan", kGroups);
  std::vector<int> all;
  testing::Json last;
  double evidence = 0.0;
  for (int part = 0; part < 5; ++part) {
    const std::vector<int> rows{3 * part, 3 * part + 1, 3 * part + 2};
    all.insert(all.end(), rows.begin(), rows.end());
    std::vector<std::string> more{"-o", at(std::to_string(part) + ".nc")};
    if (part > 0) more.insert(more.end(), {"--after", at(std::to_string(part - 1) + ".nc")});
    last = exact(group_data(3, rows), more);
    evidence += last.at("log_evidence").number;
  }
  const testing::Json batch = exact(group_data(3, all));
  expect_equal(last, batch);
  EXPECT_NEAR(evidence, batch.at("log_evidence").number, 1e-7);
}

// The rows of two groups come first; then the third group has rows for the first time.
TEST_F(ExactSequence, parameters_that_grew_keep_their_prior_given_the_others) {
  write("m.stan", kGroups);
  const std::string
      early = R"({"N": 3, "K": 2, "g": [1, 2, 2], "x": [0.5, 1.0, 2.0], "y": [1.0, 2.5, 1.5]})",
      late = R"({"N": 2, "K": 3, "g": [3, 1], "x": [1.5, 0.5], "y": [0.5, 2.0]})";
  exact(early, {"-o", at("early.nc")});
  const testing::Json two = exact(late, {"--after", at("early.nc")});
  const testing::Json batch = exact(
      R"({"N": 5, "K": 3, "g": [1, 2, 2, 3, 1], "x": [0.5, 1.0, 2.0, 1.5, 0.5], "y": [1.0, 2.5, 1.5, 0.5, 2.0]})");
  expect_equal(two, batch);
  // Without new data the prior of the third group is that of the program, given tau.
  const testing::Json other =
      exact(R"({"N": 1, "K": 3, "g": [1], "x": [0.0], "y": [1.0]})", {"--after", at("early.nc")});
  EXPECT_NEAR(other.at("parameters").items.at(3).at("mean").number, 0.0, 1e-8);
}

TEST_F(ExactSequence, covariance_matrices_are_kept) {
  write("m.stan",
        "data { int N; array[N] vector[2] y; } parameters { vector[2] mu; cov_matrix[2] S; }\n"
        "model { S ~ inv_wishart(5, identity_matrix(2)); mu ~ multi_normal([0, 0]', S / 2);"
        " y ~ multi_normal(mu, S); }");
  const testing::Json one = exact(R"({"N": 1, "y": [[1, 2]]})", {"-o", at("one.nc")});
  const testing::Json two = exact(R"({"N": 2, "y": [[3, 1], [2, 4]]})", {"--after", at("one.nc")});
  const testing::Json both = exact(R"({"N": 3, "y": [[1, 2], [3, 1], [2, 4]]})");
  expect_equal(two, both);
  EXPECT_NEAR(one.at("log_evidence").number + two.at("log_evidence").number,
              both.at("log_evidence").number, 1e-7);
}

TEST_F(ExactSequence, data_that_the_posterior_has_seen_are_refused) {
  write("m.stan", kCounts);
  const std::string data = R"({"N": 1, "y": [7], "area": [2.0]})";
  exact(data, {"-o", at("one.nc")});
  exact(R"({"N": 1, "y": [3], "area": [2.0]})", {"--after", at("one.nc"), "-o", at("two.nc")});
  write("d.json", data);
  const std::vector<std::string> again{"exact",      at("m.stan"), "--data",
                                       at("d.json"), "--after",    at("two.nc")};
  EXPECT_NE(refusal(again).find("has seen these data already"), std::string::npos) << said();
  const testing::Json equal = exact(data, {"--after", at("two.nc"), "--equal-data"});
  EXPECT_NEAR(equal.at("parameters").items.at(0).at("mean").number, 19.0 / 9.0, 1e-7);
}

TEST_F(ExactSequence, what_does_not_fit_together_is_refused_by_name) {
  write("m.stan", kCounts);
  exact(R"({"N": 1, "y": [7], "area": [2.0]})", {"-o", at("one.nc")});
  write("d.json", R"({"N": 1, "y": [3], "area": [1.0]})");
  write("other.stan",
        "data { int N; array[N] int y; } parameters { real<lower=0> speed; }\n"
        "model { speed ~ gamma(2, 3); y ~ poisson(speed); }");
  const auto said_for = [&](const std::string& program, std::vector<std::string> more) {
    std::vector<std::string> words{"exact", at(program), "--data", at("d.json")};
    words.insert(words.end(), more.begin(), more.end());
    return refusal(words);
  };
  EXPECT_NE(
      said_for("other.stan", {"--after", at("one.nc")}).find("the program has no parameter rate"),
      std::string::npos)
      << said();
  EXPECT_NE(said_for("m.stan", {"--predict", at("d.csv")}).find("JSON"), std::string::npos)
      << said();
  EXPECT_NE(said_for("m.stan", {"--equal-data"}).find("--after"), std::string::npos) << said();
  write("flat.stan",
        "data { int N; array[N] int y; vector[N] area; }\n"
        "parameters { real<lower=0> rate; real extra; }\n"
        "model { y ~ poisson(rate * area); sum(y) + 0.0 ~ normal(extra, 1); }");
  EXPECT_NE(said_for("flat.stan", {"--after", at("one.nc")}).find("keep their prior"),
            std::string::npos)
      << said();
  write("coin.stan",
        "data { int N; array[N] int y; } parameters { int<lower=0, upper=1> z; }\n"
        "model { z ~ bernoulli(0.5); y ~ poisson(1 + z); }");
  EXPECT_NE(said_for("coin.stan", {"--after", at("one.nc")}).find("only conjugate posteriors"),
            std::string::npos)
      << said();
}

}  // namespace
}  // namespace credo::cli::exact_sequence_test
