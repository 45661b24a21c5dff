// The lower bound of credo evidence --method elbo, and models compared by such bounds.
#include "results/estimates/evidence_methods.hpp"
#include "support/command_run.hpp"

namespace credo::cli::evidence_bounds_test {
namespace {
using testing::Json;

// ---- the number of components of a mixture

// Outcomes of two clusters, 20 each around -4 and 4. The components' names may be exchanged: K! modes that are alike.
constexpr const char* kMixture = R"(data { int<lower=1> K; int<lower=0> N; vector[N] y; }
parameters { simplex[K] w; vector[K] mu; vector<lower=0>[K] sigma; }
model {
  w ~ dirichlet(rep_vector(5, K));
  mu ~ normal(0, 5);
  sigma ~ lognormal(-0.7, 0.3);
  for (n in 1:N) {
    vector[K] terms = log(w);
    for (k in 1:K) terms[k] += normal_lpdf(y[n] | mu[k], sigma[k]);
    target += log_sum_exp(terms);
  }
})";
constexpr const char* kOutcomes =
    "-4.59, -4.57, -3.67, -5.15, -4.07, -5.13, -3.45, -3.9, -3.32, -4.25, -3.8, -4.14, -4.37, "
    "-3.93, -4.63, -4.18, -3.65, -3.97, -4.21, -2.91, 4.03, 3.71, 4.08, 3.74, 3.81, 3.82, 5.01, "
    "4.01, 4.09, 4.34, 5.01, 3.89, 3.69, 5.24, 3.27, 3.82, 4.33, 5.14, 3.53, 2.79";

class EvidenceBounds : public testing::CommandRun {
 protected:
  EvidenceBounds() : CommandRun("evidence_bounds") {}
  Json evidence(const std::string& program, const std::string& data,
                std::vector<std::string> more) {
    more.insert(more.begin(), {"evidence", at(program), "--data", at(data)});
    return json(std::move(more));
  }
};

TEST_F(EvidenceBounds, find_two_components_of_two_clusters) {
  write("mixture.stan", kMixture);
  std::vector<std::string> files;
  for (const char* count : {"1", "2", "3"}) {
    const std::string data = std::string("data") + count + ".json";
    write(data, std::string(R"({"K": )") + count + R"(, "N": 40, "y": [)" + kOutcomes + "]}");
    files.push_back(at(std::string("bound") + count + (*count == '3' ? ".nc" : ".json")));
    evidence("mixture.stan", data, {"--method", "elbo", "-o", files.back()});
  }
  const auto compared = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"compare", "--evidence", files[0], files[1], files[2]});
    return more;
  };
  const Json odds = json(compared({"--from-bounds", "--equivalent-modes", "1,2,6"}));
  const std::vector<Json>& models = odds.at("models").items;
  EXPECT_EQ(models[0].at("file").text, files[1]);
  EXPECT_EQ(models[1].at("file").text, files[2]);
  EXPECT_GT(models[0].at("probability").number, 0.75);
  EXPECT_EQ(models[0].at("equivalent_modes").number, 2.0);
  EXPECT_NE(odds.at("sentence").text.find("These are lower bounds"), std::string::npos);
  // p(K | D) = K! exp(L(K)) / Σ, in the file's own figures.
  double total = 0.0;
  for (const Json& model : models) total += std::exp(model.at("log_bound").number);
  EXPECT_NEAR(models[0].at("probability").number,
              std::exp(models[0].at("log_bound").number) / total, 1e-12);
  // Its two modes are nearly normal: a population of both finds the corrected bound, and not the one without log 2.
  const Json both = evidence("mixture.stan", "data2.json",
                             {"--method", "smc", "--draws", "500", "--seed", "4", "--quiet"});
  const double truth = both.at("log_evidence").number, error = both.at("error").number;
  EXPECT_LT(error, 0.1);
  EXPECT_NEAR(models[0].at("log_bound").number, truth, 4.0 * error + 0.1);
  const Json one = json(compared({"--from-bounds"}));
  EXPECT_GT(std::abs(one.at("models").items[0].at("log_bound").number - truth), 4.0 * error + 0.1);

  EXPECT_EQ(run(compared({"--from-bounds", "--equivalent-modes", "1,2"})), 2);
  EXPECT_EQ(run(compared({"--from-bounds", "--equivalent-modes", "1,2,0"})), 2);
  EXPECT_EQ(run(compared({"--equivalent-modes", "1,2,6"})), 2);
  EXPECT_NE(said().find("--from-bounds"), std::string::npos) << said();
  EXPECT_EQ(run({"compare", files[0], files[1], "--from-bounds"}), 2);
  write("none.json", R"({"log_evidence": -10, "error": 0.1, "agree": true, "methods": []})");
  EXPECT_EQ(run({"compare", "--evidence", files[0], at("none.json"), "--from-bounds"}), 4);
  EXPECT_NE(said().find("there is no bound by elbo in"), std::string::npos) << said();
  EXPECT_EQ(run(compared({})), 4) << "a bound is no evidence";
}

// ---- one model

// Correlated values in a program: of the diagonal distribution the bound is lower by -½ log(1 - ρ²), here of ρ = 0.8.
TEST_F(EvidenceBounds, are_lower_of_a_diagonal_distribution) {
  write("pair.stan",
        "parameters { vector[2] x; } model { x ~ multi_normal([0, 1]', [[1, 0.8], [0.8, 1]]); }");
  write("none.json", "{}");
  const auto bound_of = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--method", "elbo"});
    return evidence("pair.stan", "none.json", std::move(more)).at("methods").items[0];
  };
  const Json full = bound_of({}), diagonal = bound_of({"--covariance", "diagonal"});
  EXPECT_NEAR(full.at("lower").number, 0.0, 1e-5);
  EXPECT_EQ(full.at("log_evidence").text, "NaN") << "a bound is no estimate";
  EXPECT_NEAR(diagonal.at("lower").number, 0.5 * std::log(1.0 - 0.64),
              4.0 * diagonal.at("lower_error").number);
  EXPECT_LT(diagonal.at("lower_error").number, 0.02);
  EXPECT_EQ(run({"evidence", at("pair.stan"), "--method", "smc", "--covariance", "full"}), 2);
  ASSERT_EQ(run({"evidence", at("pair.stan"), "--method", "elbo"}), 0) << said();
  EXPECT_NE(printed().find("The log evidence is at least"), std::string::npos) << printed();
}

// ---- agreement

results::EvidenceEstimate bound(double value, double error) {
  return {.method = "elbo", .lower = {.value = value, .error = error}};
}

TEST(evidence_report, says_where_an_estimate_is_below_a_bound) {
  results::EvidenceReport report{
      .estimates = {{"bridge", -10.0, 0.1}, bound(-12.0, 0.01), {"smc", -10.1, 0.1}}};
  EXPECT_TRUE(report.agree());  // however far above the bound they are
  EXPECT_EQ(report.num_pairs(), 3);
  EXPECT_FALSE(report.furthest_below_bound());
  report.estimates[1] = bound(-9.99, 0.01);  // by chance
  EXPECT_TRUE(report.agree());
  EXPECT_NEAR(report.furthest_below_bound()->score, 0.11 / std::hypot(0.1, 0.01), 1e-12);
  EXPECT_EQ(report.best()->method, "bridge");
  report.estimates[1] = bound(-9.0, 0.01);
  EXPECT_FALSE(report.agree());
  EXPECT_EQ(report.best(), nullptr);
  EXPECT_NE(report.sentence().find(
                "The methods disagree: smc says -10.100 ± 0.100, elbo says at least -9.000"),
            std::string::npos)
      << report.sentence();
}

}  // namespace
}  // namespace credo::cli::evidence_bounds_test
