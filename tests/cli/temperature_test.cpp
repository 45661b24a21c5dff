// credo sample --temperature: draws of a power of the density of the parameters.
#include "cli/results.hpp"
#include "diagnose/convergence.hpp"
#include "infer/core/sample.hpp"
#include "results/files/run_store.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/test_seed.hpp"
#include "support/text_model.hpp"

namespace credo::cli::temperature_test {
namespace {
using model::Model;
using model::model_from;

// exponential(1) at temperature T is exponential(1 / T); a normal's standard deviation grows by the root of T.
constexpr const char* kProgram =
    "parameters { real<lower=0> s; real x; } model { s ~ exponential(1); x ~ normal(3, 1); }";

std::unique_ptr<Model> at_temperature(double temperature, const char* text = kProgram) {
  model::ModelOptions options;
  options.query.power = 1.0 / temperature;
  return model_from(text, "{}", options);
}

TEST(temperature, divides_every_term_but_the_jacobian) {
  constexpr double kT = 2.5;
  const auto cold = at_temperature(1.0), warm = at_temperature(kT);
  const std::vector<double> point = {0.4, 2.1};
  const model::PointEvaluation a = cold->evaluate_in_full(point), b = warm->evaluate_in_full(point);
  const double jacobian = a.log_density - a.log_density_no_jacobian;
  EXPECT_NEAR(jacobian, 0.4, 1e-14);
  EXPECT_NEAR(b.log_density_no_jacobian, a.log_density_no_jacobian / kT, 1e-14);
  EXPECT_NEAR(b.log_density, a.log_density_no_jacobian / kT + jacobian, 1e-14);
  EXPECT_NEAR(b.dropped, a.dropped / kT, 1e-14);
  EXPECT_NEAR(b.gradient[0], (a.gradient[0] - 1.0) / kT + 1.0, 1e-14);
  EXPECT_NEAR(b.gradient[1], a.gradient[1] / kT, 1e-14);
}

TEST(temperature, is_that_of_the_parts_whose_sum_the_density_is) {
  const auto warm = model_from(
      "data { real y; } parameters { real<lower=0> s; } model { s ~ exponential(1); "
      "y ~ normal(0, s); }",
      R"({"y": 0.7})", at_temperature(3.0)->options());
  const std::vector<double> point = {-0.3};
  const double prior =
      warm->with({.terms = density::Terms::prior})->evaluate_in_full(point).log_density;
  const double likelihood =
      warm->with({.terms = density::Terms::likelihood})->evaluate_in_full(point).log_density;
  EXPECT_NEAR(prior + likelihood, warm->evaluate_in_full(point).log_density, 1e-13);
}

struct Moments {
  double mean_s, error_s, square_x, error_x;  // of s, and of (x - 3)²
};
Moments moments_of(const Model& model) {
  infer::SampleOptions options;
  options.num_draws = 4000;
  options.seed = testing::test_seed(11);
  RunStore store(model, options);
  infer::run_chains(model, options, store);
  const density::Draws draws = store.output_draws();
  const diagnose::Chains s = diagnose::quantity(draws, 0);
  diagnose::ChainsCopy x{.values = {}, .num_draws = s.num_draws, .num_chains = s.num_chains};
  for (const double value : draws.quantity(1)) x.values.push_back((value - 3.0) * (value - 3.0));
  return {diagnose::mean(s.values), diagnose::mcse_mean(s), diagnose::mean(x.values),
          diagnose::mcse_mean(x)};
}

// 4 Monte Carlo standard errors. With the Jacobian to the power, too, s would have the mean 1: gamma(1/2, 1/2).
TEST(temperature, draws_have_the_moments_of_the_power) {
  const Moments warm = moments_of(*at_temperature(2.0));
  EXPECT_NEAR(warm.mean_s, 2.0, 4.0 * warm.error_s);
  EXPECT_GT(std::fabs(warm.mean_s - 1.0), 4.0 * warm.error_s);
  EXPECT_NEAR(warm.square_x, 2.0, 4.0 * warm.error_x);
  const Moments cold = moments_of(*at_temperature(1.0));  // the mutant: no power at all
  EXPECT_GT(std::fabs(cold.mean_s - 2.0), 4.0 * cold.error_s);
}

TEST(temperature, is_refused_where_discrete_parameters_have_no_power) {
  EXPECT_THROW(at_temperature(2.0,
                              "parameters { int<lower=0, upper=1> z; real x; } model { "
                              "z ~ bernoulli(0.3); x ~ normal(z, 1); }"),
               Error);
}

class TemperatureCommand : public testing::CommandRun {
 protected:
  TemperatureCommand() : CommandRun("temperature") {
    write("m.stan",
          "data { int N; vector[N] y; } parameters { real m; } model { m ~ normal(0, 5); "
          "y ~ normal(m, 1); }");
    write("d.json", R"({"N": 4, "y": [1.2, 0.3, 2.2, 1.9]})");
  }
  std::vector<std::string> sample(std::vector<std::string> more) const {
    std::vector<std::string> words = {"sample", at("m.stan"), "--data", at("d.json"), "--chains",
                                      "2",      "--warmup",   "200",    "--draws",    "300"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(TemperatureCommand, is_stated_by_the_run_the_verdict_and_the_result_and_kept_by_like) {
  ASSERT_EQ(run(sample({"--temperature", "4", "-o", at("warm.nc")})), 0) << said();
  EXPECT_NE(printed().find("to the power 1 / 4, not of the posterior"), std::string::npos);
  EXPECT_NE(printed().find("to the power 0.25, not of the posterior"), std::string::npos);
  ASSERT_EQ(run({"diagnose", at("warm.nc")}), 0) << said();
  EXPECT_NE(printed().find("to the power 0.25, not of the posterior"), std::string::npos);
  ASSERT_EQ(run({"sample", "--like", at("warm.nc"), "--print-spec"}), 0) << said();
  EXPECT_NE(printed().find("\"temperature\":4"), std::string::npos);
  ASSERT_EQ(run(sample({"-o", at("cold.nc")})), 0) << said();
  EXPECT_EQ(printed().find("to the power"), std::string::npos);
}

TEST_F(TemperatureCommand, draws_answer_no_question_on_the_data) {
  ASSERT_EQ(run(sample({"--temperature", "2", "--quiet", "-o", at("warm.nc")})), 0) << said();
  for (const char* command : {"loo", "ppc", "predict"}) {
    EXPECT_NE(run({command, at("warm.nc")}), 0);
    EXPECT_NE(on_one_line(said()).find("power of the posterior's"), std::string::npos) << said();
  }
}

TEST_F(TemperatureCommand, is_refused_where_a_sampler_asks_for_more_than_the_density) {
  EXPECT_EQ(run(sample({"--temperature", "2", "--sampler", "smc"})), 2);
  EXPECT_NE(said().find("smc can't sample a power of the density"), std::string::npos) << said();
  EXPECT_EQ(run(sample({"--temperature", "2", "--cross-check"})), 2);
  EXPECT_EQ(run(sample({"--temperature", "0"})), 2);
}

}  // namespace
}  // namespace credo::cli::temperature_test
