// State functions that draw from another distribution than their density: particle chains and smoothers refuse such
// programs, and no correct one.
#include "infer/smc/matching_draws.hpp"

#include "model/model.hpp"
#include "model/states/state_model.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/text_model.hpp"

namespace credo::cli::matching_draws_test {
namespace {

const std::string kInputs = CREDO_SOURCE_DIR "/tests/inputs/";

class MatchingDraws : public testing::CommandRun {
 protected:
  MatchingDraws() : CommandRun("matching_draws") { write("phi.json", R"({"phi": 0.5})"); }
};

TEST_F(MatchingDraws, are_asked_for_by_particle_chains_and_smoothers) {
  for (const char* sampler : {"pgibbs", "pmmh"}) {
    EXPECT_NE(run({"sample", kInputs + "adv_mism.stan", "--data", kInputs + "adv_y20.json",
                   "--sampler", sampler, "--warmup", "50", "--draws", "50"}),
              0);
    EXPECT_NE(on_one_line(said()).find("transition_rng doesn't draw from transition_lpdf"),
              std::string::npos)
        << said();
  }
  for (const char* method : {"ffbs", "paris"}) {
    EXPECT_NE(run({"smooth", kInputs + "adv_mism.stan", "--data", kInputs + "adv_y20.json",
                   "--parameters", at("phi.json"), "--method", method}),
              0);
    EXPECT_NE(on_one_line(said()).find("transition_rng doesn't draw"), std::string::npos) << said();
  }
}

// A program with one state. Its functions draw by `first` and `next`; their densities are `first_density` and
// `next_density`.
struct Distributions {
  std::string type, first, next, first_density, next_density, ending = "lpdf";
};
std::string refusal_of(const Distributions& distributions) {
  const std::string program =
      "functions {\n  " + distributions.type + " initial_rng() { return " + distributions.first +
      "; }\n  " + distributions.type + " transition_rng(" + distributions.type + " b) { return " +
      distributions.next + "; }\n  real initial_" + distributions.ending + "(" +
      distributions.type + " x) { return " + distributions.first_density +
      "; }\n  real transition_" + distributions.ending + "(" + distributions.type + " x, " +
      distributions.type + " b) { return " + distributions.next_density +
      "; }\n  real observation_lpdf(real y, " + distributions.type +
      " x) { return normal_lpdf(y | 0, 1); }\n}\n"
      "data { int T; vector[T] y; } model { }";
  std::string zeros = "0";
  for (int t = 1; t < 40; ++t) zeros += ", 0";
  const auto model = model::model_from(program, "{\"T\": 40, \"y\": [" + zeros + "]}");
  const model::StateModel states(*model, std::vector<double>{});
  try {
    infer::require_matching_draws(states);
    return "";
  } catch (const Error& error) {
    return error.message();
  }
}

TEST(matching_draws, of_right_programs_pass) {
  const std::vector<Distributions> right = {
      {"real", "normal_rng(0, 1)", "normal_rng(0.9 * b, 0.1)", "normal_lpdf(x | 0, 1)",
       "normal_lpdf(x | 0.9 * b, 0.1)"},
      {"real", "student_t_rng(2, 0, 1)", "student_t_rng(2, 0.5 * b, exp(0.3 * tanh(b)))",
       "student_t_lpdf(x | 2, 0, 1)", "student_t_lpdf(x | 2, 0.5 * b, exp(0.3 * tanh(b)))"},
      {"real", "lognormal_rng(0, 1)", "gamma_rng(3, 3 / b)", "lognormal_lpdf(x | 0, 1)",
       "gamma_lpdf(x | 3, 3 / b)"},
      {"real", "uniform_rng(0, 1)", "beta_rng(2 + b, 3)", "uniform_lpdf(x | 0, 1)",
       "beta_lpdf(x | 2 + b, 3)"},
      {"int", "poisson_rng(5)", "poisson_rng(1 + 0.5 * b)", "poisson_lpmf(x | 5)",
       "poisson_lpmf(x | 1 + 0.5 * b)", "lpmf"},
      {"vector", "[normal_rng(0, 1), normal_rng(2, 3)]'",
       "multi_normal_rng([b[1], b[2]]', [[1, 0.95], [0.95, 1]])",
       "normal_lpdf(x[1] | 0, 1) + normal_lpdf(x[2] | 2, 3)",
       "multi_normal_lpdf(x | [b[1], b[2]]', [[1, 0.95], [0.95, 1]])"},
      // Smoothers accept an unnormalised density.
      {"real", "normal_rng(0, 1)", "normal_rng(b, 1)", "-0.5 * x^2", "-0.5 * (x - b)^2"}};
  for (const Distributions& distributions : right)
    EXPECT_EQ(refusal_of(distributions), "") << distributions.next;
}

TEST(matching_draws, of_other_distributions_are_refused) {
  const std::vector<Distributions> wrong = {
      // a scale, a mean, a tail
      {"real", "normal_rng(0, 1)", "normal_rng(0.9 * b, 0.1)", "normal_lpdf(x | 0, 1.3)",
       "normal_lpdf(x | 0.9 * b, 0.1)"},
      {"real", "normal_rng(0, 1)", "normal_rng(0.9 * b, 0.1)", "normal_lpdf(x | 0, 1)",
       "normal_lpdf(x | 0.9 * b + 0.05, 0.1)"},
      {"real", "normal_rng(0, 1)", "student_t_rng(2, b, 1)", "normal_lpdf(x | 0, 1)",
       "normal_lpdf(x | b, 1)"},
      {"int", "poisson_rng(5)", "poisson_rng(1 + 0.5 * b)", "poisson_lpmf(x | 5)",
       "poisson_lpmf(x | 2 + 0.5 * b)", "lpmf"},
      // one element of two
      {"vector", "[normal_rng(0, 1), normal_rng(2, 3)]'",
       "[normal_rng(b[1], 1), normal_rng(b[2], 2)]'",
       "normal_lpdf(x[1] | 0, 1) + normal_lpdf(x[2] | 2, 3)",
       "normal_lpdf(x[1] | b[1], 1) + normal_lpdf(x[2] | b[2], 1)"}};
  for (const Distributions& distributions : wrong)
    EXPECT_NE(refusal_of(distributions), "") << distributions.next;
}

}  // namespace
}  // namespace credo::cli::matching_draws_test
