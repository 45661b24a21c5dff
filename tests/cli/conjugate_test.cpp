// credo exact --method conjugate: posteriors and evidences against closed forms, and programs that miss conjugacy.
#include <gtest/gtest.h>

#include "numerics/special.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::conjugate_test {
namespace {

constexpr double kExact = 1e-8;  // relative; natural parameters have the rounding of least squares

class ConjugateCommand : public testing::CommandRun {
 protected:
  ConjugateCommand() : CommandRun("conjugate") {}

  testing::Json exact(const std::string& program, const std::string& data) {
    write("m.stan", program);
    write("d.json", data);
    return json({"exact", at("m.stan"), "--data", at("d.json")});
  }
  static void expect_arguments(const testing::Json& found, std::size_t k, const std::string& family,
                               const std::vector<std::pair<std::string, double>>& arguments) {
    const testing::Json& parameter = found.at("parameters").items.at(k);
    EXPECT_EQ(parameter.at("family").text, family);
    for (const auto& [name, value] : arguments)
      EXPECT_NEAR(parameter.at("arguments").at(name).number, value,
                  kExact * (1.0 + std::abs(value)))
          << name;
  }
  // The error must have the words, and the text of the statement.
  void refused(const std::string& program, const std::string& words) {
    write("m.stan", program);
    write("d.json", R"({"N": 3, "y": [1.0, 2.0, 2.5], "k": [1, 0, 1]})");
    EXPECT_NE(run({"exact", at("m.stan"), "--data", at("d.json")}), 0) << program;
    EXPECT_NE(on_one_line(said()).find(words), std::string::npos) << said();
  }
};

TEST_F(ConjugateCommand, beta_binomial) {
  const testing::Json found = exact(
      "data { int N; int y; } parameters { real<lower=0, upper=1> theta; }\n"
      "model { theta ~ beta(2, 3); y ~ binomial(N, theta); }",
      R"({"N": 10, "y": 7})");
  expect_arguments(found, 0, "beta", {{"alpha", 9.0}, {"beta", 6.0}});
  EXPECT_NEAR(found.at("log_evidence").number,
              std::log(120.0) + numerics::lbeta(9.0, 6.0) - numerics::lbeta(2.0, 3.0), kExact);
}

// An improper prior has no evidence, and a prior that its bounds cut is normalised: of a uniform distribution on (0, 2), half is left.
TEST_F(ConjugateCommand, evidence_is_that_of_normalised_priors) {
  const testing::Json flat =
      exact("data { int N; vector[N] y; } parameters { real mu; } model { y ~ normal(mu, 1); }",
            R"({"N": 3, "y": [1.0, 2.0, 3.0]})");
  expect_arguments(flat, 0, "normal", {{"mu", 2.0}, {"sigma", std::sqrt(1.0 / 3.0)}});
  EXPECT_EQ(flat.find("log_evidence"), nullptr);
  EXPECT_EQ(flat.at("notes").items.at(0).text,
            "no log evidence: mu has no prior and an unbounded range; give it a proper prior");
  const testing::Json cut = exact(
      "data { int N; int y; } parameters { real<lower=0, upper=1> theta; }\n"
      "model { theta ~ uniform(0, 2); y ~ binomial(N, theta); }",
      R"({"N": 10, "y": 7})");
  EXPECT_NEAR(cut.at("log_evidence").number, std::log(120.0) + numerics::lbeta(8.0, 4.0), kExact);
  EXPECT_EQ(cut.at("notes").items.size(), 1u);
}

TEST_F(ConjugateCommand, gamma_poisson_by_loop_and_vectorised) {
  const std::string head = "data { int N; array[N] int y; } parameters { real<lower=0> rate; }\n";
  const double evidence = 2.0 * std::log(3.0) - numerics::lgamma(2.0) + numerics::lgamma(9.0) -
                          9.0 * std::log(6.0) - std::log(2.0) - std::log(24.0);
  for (const char* likelihood : {"y ~ poisson(rate);", "for (i in 1:N) y[i] ~ poisson(rate);"}) {
    const testing::Json found = exact(head + "model { rate ~ gamma(2, 3); " + likelihood + " }",
                                      R"({"N": 3, "y": [2, 1, 4]})");
    expect_arguments(found, 0, "gamma", {{"alpha", 9.0}, {"beta", 6.0}});
    EXPECT_NEAR(found.at("log_evidence").number, evidence, kExact);
  }
}

TEST_F(ConjugateCommand, normal_of_known_scale) {
  const testing::Json found = exact(
      "data { int N; vector[N] y; } parameters { real mu; }\n"
      "model { mu ~ normal(1, 2); y ~ normal(mu, 0.5); }",
      R"({"N": 1, "y": [3.0]})");
  const double precision = 0.25 + 4.0;
  expect_arguments(found, 0, "normal",
                   {{"mu", (0.25 + 12.0) / precision}, {"sigma", 1.0 / std::sqrt(precision)}});
  EXPECT_NEAR(found.at("log_evidence").number,
              -0.5 * std::log(2.0 * std::numbers::pi * 4.25) - 0.5 * 4.0 / 4.25, kExact);
}

// Gelman et al. (2013), section 3.3: kappa_n = 4, mu_n = 3 / 2, alpha_n = 7 / 2, beta_n = 2 + 1 + 3 / 8 * 4.
TEST_F(ConjugateCommand, normal_of_unknown_mean_and_precision_variance_or_sd) {
  const std::string head =
      "data { int N; vector[N] y; } parameters { real mu; real<lower=0> s; }\n";
  const std::string data = R"({"N": 3, "y": [1.0, 2.0, 3.0]})";
  const double alpha = 3.5, beta = 2.0 + 1.0 + 0.375 * 4.0,
               spread = std::sqrt(beta / (alpha * 4.0));
  const double evidence = numerics::lgamma(alpha) - numerics::lgamma(2.0) + 2.0 * std::log(2.0) -
                          alpha * std::log(beta) + 0.5 * std::log(0.25) -
                          1.5 * std::log(2.0 * std::numbers::pi);
  const std::array<std::array<std::string, 2>, 3> programs{
      {{"model { s ~ gamma(2, 2); mu ~ normal(0, 1 / sqrt(s)); y ~ normal(mu, 1 / sqrt(s)); }",
        "gamma"},
       {"model { s ~ inv_gamma(2, 2); mu ~ normal(0, sqrt(s)); y ~ normal(mu, sqrt(s)); }",
        "inv_gamma"},
       {"model { target += inv_gamma_lpdf(square(s) | 2, 2) + log(2 * s);\n"
        "  mu ~ normal(0, s); y ~ normal(mu, s); }",
        "square_inv_gamma"}}};
  for (const auto& [model, family] : programs) {
    const testing::Json found = exact(head + model, data);
    expect_arguments(found, 0, "student_t", {{"nu", 7.0}, {"mu", 1.5}, {"sigma", spread}});
    expect_arguments(found, 1, family, {{"alpha", alpha}, {"beta", beta}});
    EXPECT_NEAR(found.at("log_evidence").number, evidence, kExact);
  }
}

TEST_F(ConjugateCommand, an_explicit_method_answers_or_is_refused) {
  write("m.stan",
        "data { int N; int y; } parameters { real<lower=0, upper=1> theta; }\n"
        "model { theta ~ beta(2, 3); y ~ binomial(N, theta); }");
  write("d.json", R"({"N": 10, "y": 7})");
  const std::vector<std::string> words{"exact", at("m.stan"), "--data", at("d.json")};
  const auto said_with = [&](const std::vector<std::string>& more, bool is_right) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(run(all) == 0, is_right) << said();
    return on_one_line(said());
  };
  const std::string chosen = said_with({}, true);
  EXPECT_EQ(said_with({"--method", "conjugate"}, true), chosen);
  for (const char* method : {"elimination", "enumeration"}) {
    const std::string refusal = said_with({"--method", method}, false);
    EXPECT_NE(refusal.find("the program has no discrete parameter"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("leave --method out"), std::string::npos) << refusal;
  }
  const std::string other = said_with({"--most-entries", "5"}, false);  // an option of elimination
  EXPECT_NE(other.find("needs --method elimination"), std::string::npos) << other;
}

TEST_F(ConjugateCommand, dirichlet_multinomial) {
  const testing::Json found = exact(
      "data { array[3] int n; } parameters { simplex[3] p; }\n"
      "model { p ~ dirichlet([1, 2, 3]'); n ~ multinomial(p); }",
      R"({"n": [2, 0, 3]})");
  expect_arguments(found, 0, "beta", {{"alpha", 3.0}, {"beta", 8.0}});
  expect_arguments(found, 2, "beta", {{"alpha", 6.0}, {"beta", 5.0}});
  EXPECT_NEAR(found.at("log_evidence").number,
              std::log(10.0) + 2.0 * numerics::lgamma(6.0) - numerics::lgamma(11.0), kExact);
}

TEST_F(ConjugateCommand, linear_regression_of_known_scale) {
  const testing::Json found = exact(
      "data { vector[2] y; matrix[2, 2] x; } parameters { vector[2] b; }\n"
      "model { b ~ normal(0, 1); y ~ normal(x * b, 1); }",
      R"({"y": [1.0, 3.0], "x": [[1, 1], [1, 2]]})");
  // precision (3, 3; 3, 6), X'y = (4, 7)
  expect_arguments(found, 0, "normal", {{"mu", 1.0 / 3.0}, {"sigma", std::sqrt(6.0 / 9.0)}});
  expect_arguments(found, 1, "normal", {{"mu", 1.0}, {"sigma", std::sqrt(3.0 / 9.0)}});
  EXPECT_NEAR(
      found.at("log_evidence").number,
      -std::log(2.0 * std::numbers::pi) - 0.5 * std::log(9.0) - 0.5 * (10.0 - (4.0 / 3.0 + 7.0)),
      kExact);
}

// Gelman et al. (2013), section 3.6: kappa_n = 4, nu_n = 8, mu_n = (3 / 2, 7 / 4), S_n = (6, 5 / 2; 5 / 2, 39 / 4).
TEST_F(ConjugateCommand, normal_vectors_of_unknown_mean_and_covariance_or_precision) {
  const std::string head =
      "data { int N; array[N] vector[2] y; } parameters { vector[2] mu; cov_matrix[2] S; }\n";
  const std::string data = R"({"N": 3, "y": [[1, 2], [3, 1], [2, 4]]})";
  const double det = 6.0 * 9.75 - 6.25;
  const double evidence = -3.0 * std::log(std::numbers::pi) + numerics::lgamma(4.0) +
                          numerics::lgamma(3.5) - numerics::lgamma(2.5) - numerics::lgamma(2.0) -
                          4.0 * std::log(det) + std::log(0.25);
  const std::array<std::string, 2> models{
      "model { S ~ inv_wishart(5, identity_matrix(2)); mu ~ multi_normal([0, 0]', S);"
      " y ~ multi_normal(mu, S); }",
      "model { S ~ wishart(5, identity_matrix(2)); mu ~ multi_normal_prec([0, 0]', S);"
      " y ~ multi_normal_prec(mu, S); }"};
  for (const bool is_precision : {false, true}) {
    const testing::Json found = exact(head + models[is_precision ? 1 : 0], data);
    const double first = is_precision ? 9.75 / det : 6.0;  // scale matrix of S[1,1]
    expect_arguments(found, 1, "student_t",
                     {{"nu", 7.0}, {"mu", 1.75}, {"sigma", std::sqrt(9.75 / 28.0)}});
    if (is_precision)
      expect_arguments(found, 2, "gamma", {{"alpha", 4.0}, {"beta", 0.5 / first}});
    else
      expect_arguments(found, 2, "inv_gamma", {{"alpha", 3.5}, {"beta", 3.0}});
    EXPECT_NEAR(found.at("parameters").items.at(3).at("mean").number,
                is_precision ? -8.0 * 2.5 / det : 0.5, 1e-7);
    EXPECT_NEAR(found.at("log_evidence").number, evidence, 1e-7);
    EXPECT_NEAR(found.at("covariance").at("values").items.at(0).items.at(1).number,
                2.5 / (4.0 * 5.0), 1e-7);
    const testing::Json& next = found.at("predictive").items.at(0);
    EXPECT_EQ(next.at("joint").text, "multi_student_t");
    EXPECT_NEAR(next.at("arguments").at("sigma").number, std::sqrt(6.0 * 1.25 / 7.0), 1e-7);
  }
}

TEST_F(ConjugateCommand, covariance_of_known_mean_and_others_that_are_refused) {
  const testing::Json found = exact(
      "data { int N; array[N] vector[2] y; } parameters { cov_matrix[2] S; }\n"
      "model { S ~ inv_wishart(4, 2 * identity_matrix(2)); y ~ multi_normal([1, 0]', S); }",
      R"({"N": 2, "y": [[1, 2], [3, 1]]})");
  // S_n = 2 I + (0, 2)(0, 2)' + (2, 1)(2, 1)' = (6, 2; 2, 7)
  EXPECT_EQ(found.at("parameters").items.at(0).at("block_family").text, "inv_wishart");
  expect_arguments(found, 3, "inv_gamma", {{"alpha", 2.5}, {"beta", 3.5}});
  write("d.json", R"({"N": 2, "y": [[1, 2], [3, 1]]})");
  for (const char* prior : {"S ~ lkj_cov([0, 0]', [1, 1]', 2);",
                            "S ~ inv_wishart(4, identity_matrix(2)); mu ~ normal(0, 1);"}) {
    write("m.stan", std::string("data { int N; array[N] vector[2] y; }\n"
                                "parameters { vector[2] mu; cov_matrix[2] S; }\nmodel { ") +
                        prior + " y ~ multi_normal(mu, S); }");
    EXPECT_NE(run({"exact", at("m.stan"), "--data", at("d.json")}), 0) << prior;
  }
  EXPECT_NE(on_one_line(said()).find("inverse Wishart"), std::string::npos) << said();
}

TEST_F(ConjugateCommand, programs_that_miss_conjugacy_are_refused_with_their_statement) {
  const std::string head = "data { int N; vector[N] y; array[N] int k; }\n";
  const std::string scale = head + "parameters { real<lower=0> sigma; }\n";
  refused(scale + "model {\n sigma ~ normal(0, 1);\n y ~ normal(0, sigma);\n }",
          "sigma ~ normal(0, 1);");
  refused(scale + "model {\n sigma ~ cauchy(0, 1);\n y ~ normal(0, sigma);\n }",
          "sigma ~ cauchy(0, 1);");
  const std::string location = head + "parameters { real mu; }\n";
  refused(location + "model {\n mu ~ student_t(3, 0, 1);\n y ~ normal(mu, 1);\n }",
          "mu ~ student_t(3, 0, 1);");
  refused(location + "model {\n mu ~ normal(0, 1);\n k ~ bernoulli_logit(mu);\n }",
          "k ~ bernoulli_logit(mu);");
  refused(location + "model {\n mu ~ normal(0, 1);\n y ~ cauchy(mu, 1);\n }", "y ~ cauchy(mu, 1);");
  refused(head + "parameters { real<lower=0, upper=20> rate; }\nmodel {\n k ~ poisson(rate);\n }",
          "bounds of rate");
  refused(head + "parameters { ordered[2] c; }\nmodel {\n c ~ normal(0, 1);\n }",
          "constraint of c");
  refused(head +
              "parameters { real mu; real<lower=0> tau; }\nmodel {\n tau ~ gamma(2, 2);\n"
              " mu ~ normal(0, 10);\n y ~ normal(mu, inv_sqrt(tau));\n }",
          "mu ~ normal(0, 10);");
  refused(head +
              "parameters { real<lower=0, upper=1> p; }\nmodel {\n p ~ normal(0.5, 1);\n"
              " k ~ bernoulli(p);\n }",
          "p ~ normal(0.5, 1);");
}

}  // namespace
}  // namespace credo::cli::conjugate_test
