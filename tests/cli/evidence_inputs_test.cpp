// Evidence of programs for which it was once wrong, and of priors in one statement.
#include "results/estimates/evidence_methods.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::evidence_inputs_test {
namespace {
using testing::Json;

std::string input(const std::string& name) {
  return std::string(CREDO_SOURCE_DIR) + "/tests/inputs/" + name;
}

class EvidenceInputsRun : public testing::CommandRun {
 protected:
  EvidenceInputsRun() : CommandRun("evidence_inputs") {}
  bool says(const std::string& words) const {
    return on_one_line(said()).find(words) != std::string::npos;
  }
};

// b has no prior, in whatever form the likelihood is written.
TEST_F(EvidenceInputsRun, of_a_flat_prior_are_refused_by_every_method) {
  for (const std::string_view method : results::methods_of("all")) {
    EXPECT_NE(run({"evidence", input("evidence_flat_prior.stan"), "--data",
                   input("evidence_flat_prior.json"), "--method", std::string(method)}),
              0)
        << method;
    EXPECT_TRUE(says("there is no evidence: b has no prior and an unbounded range")) << said();
  }
}

// The product of both priors is flat along x = y.
TEST_F(EvidenceInputsRun, of_priors_that_need_each_other_are_refused_by_every_method) {
  write("circle.stan",
        "parameters {\n  real x;\n  real y;\n}\nmodel {\n  x ~ normal(y, 1);\n  y ~ normal(x, 1);\n"
        "  2.0 ~ normal(x, 1);\n}\n");
  for (const std::string_view method : results::methods_of("all")) {
    EXPECT_EQ(run({"evidence", at("circle.stan"), "--method", std::string(method)}), 2) << method;
    EXPECT_TRUE(says("the evidence isn't known: x has a prior that needs its own value in a "
                     "circle: ") &&
                says("circle.stan:6:3 `x ~ normal(y, 1);`") &&
                says("circle.stan:7:3 `y ~ normal(x, 1);`") && says("x ~ normal(0, 10)"))
        << said();
  }
  EXPECT_NE(run({"simulate", at("circle.stan")}), 0);
  EXPECT_NE(run({"sample", at("circle.stan"), "--terms", "prior", "--sampler", "exact"}), 0);
  write("order.stan",
        "parameters {\n  real x;\n  real y;\n}\nmodel {\n  x ~ normal(y, 1);\n  y ~ normal(0, 1);\n"
        "  2.0 ~ normal(x, 1);\n}\n");
  const Json report = json({"evidence", at("order.stan"), "--method", "bridge", "--draws", "500"});
  // 2 is normal with variance 3.
  EXPECT_NEAR(report.at("log_evidence").number,
              -0.5 * std::log(6.0 * 3.141592653589793) - 4.0 / 6.0,
              4.0 * report.at("error").number + 1e-3);
}

TEST_F(EvidenceInputsRun, of_a_constant_likelihood_agree) {
  const Json report = json({"evidence", input("evidence_constant.stan"), "--data",
                            input("evidence_constant.json"), "--method", "all", "--draws", "200"});
  EXPECT_TRUE(report.at("agree").truth) << report.at("sentence").text;
  EXPECT_EQ(report.at("sentence").text.find("inf"), std::string::npos)
      << report.at("sentence").text;
  EXPECT_NEAR(report.at("log_evidence").number, -3.0 * std::log(2.0), 1e-9);
}

// Values by quadrature in R: over m and log s on grids of 1301² points, and over log w for the walk.
TEST_F(EvidenceInputsRun, of_priors_in_one_statement_are_found_from_the_prior) {
  for (const auto& [name, data, value] : {std::tuple{"random_walk_vectorised", "rows", -13.17515},
                                          std::tuple{"mixture_prior", "rows", -13.2284}}) {
    const Json report =
        json({"evidence", input(std::string(name) + ".stan"), "--data",
              input(std::string(data) + ".json"), "--method", "smc", "--draws", "1000"});
    const double error = report.at("error").number;
    EXPECT_NEAR(report.at("log_evidence").number, value, 4.0 * error) << name;
    EXPECT_LT(error, 0.1) << name;
  }
}

TEST_F(EvidenceInputsRun, are_simulated_from_priors_in_one_statement) {
  for (const auto& [name, data] :
       {std::pair{"random_walk_vectorised", "rows"}, std::pair{"mixture_prior", "rows"}}) {
    EXPECT_EQ(run({"simulate", input(std::string(name) + ".stan"), "--data",
                   input(std::string(data) + ".json")}),
              0)
        << name << said();
  }
}

// Priors that are summed in a variable, as brms writes them.
TEST_F(EvidenceInputsRun, of_priors_that_are_summed_up_are_those_of_densities) {
  write("y.json", R"({"y": [0.3, 1.1, 1.4]})");
  write("summed.stan",
        "data { vector[3] y; } parameters { real m; real<lower=0> s; } "
        "transformed parameters { real lprior = 0; lprior += normal_lpdf(m | 0, 2); "
        "lprior += student_t_lpdf(s | 3, 0, 2.5) - 1 * student_t_lccdf(0 | 3, 0, 2.5); } "
        "model { target += normal_lpdf(y | m, s); target += lprior; }");
  write("stated.stan",
        "data { vector[3] y; } parameters { real m; real<lower=0> s; } "
        "model { m ~ normal(0, 2); s ~ student_t(3, 0, 2.5); y ~ normal(m, s); }");
  write("flat.stan",
        "data { vector[3] y; } parameters { real m; real<lower=0> s; } "
        "transformed parameters { real lprior = 0; "
        "lprior += student_t_lpdf(s | 3, 0, 2.5) - 1 * student_t_lccdf(0 | 3, 0, 2.5); } "
        "model { vector[3] mu = rep_vector(0.0, 3); mu += m; target += normal_lpdf(y | mu, s); "
        "target += lprior; }");
  std::vector<Json> found;
  for (const char* name : {"summed.stan", "stated.stan"})
    found.push_back(json({"evidence", at(name), "--data", at("y.json"), "--method", "bridge"}));
  EXPECT_NEAR(found[0].at("log_evidence").number, found[1].at("log_evidence").number,
              4.0 * std::hypot(found[0].at("error").number, found[1].at("error").number));
  EXPECT_NE(run({"evidence", at("flat.stan"), "--data", at("y.json"), "--method", "bridge"}), 0);
  EXPECT_TRUE(says("there is no evidence: m has no prior")) << said();
}

}  // namespace
}  // namespace credo::cli::evidence_inputs_test
