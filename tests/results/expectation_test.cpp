// Expectations under prior and posterior: closed forms, errors that are what they say, and refusals.
#include "results/estimates/expectation.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/text_model.hpp"

namespace credo::results::expectation_test {
namespace {
using model::model_from;

// Three observations with a known error: the posterior of m is normal, and so is the distribution of the data.
constexpr const char* kData = R"({"y": [0.5, 1.5, 2.5]})";
constexpr const char* kNormal =
    "data { array[3] real y; } parameters { real m; real<lower=0> s; } model { m ~ normal(1, 2); s "
    "~ exponential(2); "
    "y ~ normal(m, 1); }";
constexpr double kPosteriorMean = (1.0 / 4.0 + 4.5) / (1.0 / 4.0 + 3.0);
constexpr double kPosteriorVariance = 1.0 / (1.0 / 4.0 + 3.0);

// log N(y | 1, I + 4 J) of three values, J all ones: |I + 4 J| = 13, and its inverse is I - 4 J / 13.
double log_evidence() {
  const std::array<double, 3> d{-0.5, 0.5, 1.5};
  const double squares = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], sum = d[0] + d[1] + d[2];
  return -1.5 * std::log(2.0 * M_PI) - 0.5 * std::log(13.0) -
         0.5 * (squares - 4.0 * sum * sum / 13.0);
}

const numerics::PointRule* rule(std::string_view name) {
  for (const numerics::PointRule* rule : numerics::point_rules())
    if (rule->name == name) return rule;
  return nullptr;
}

// m, m², exp(m / 2), s, whether s > 1; parameters are the first outputs.
std::vector<std::vector<double>> functions(const std::vector<std::vector<double>>& outputs,
                                           std::uint32_t) {
  std::vector<std::vector<double>> values;
  for (const auto& o : outputs)
    values.push_back({o[0], o[0] * o[0], std::exp(0.5 * o[0]), o[1], o[1] > 1.0 ? 1.0 : 0.0});
  return values;
}

ExpectationOptions options_of(std::string_view name, Index num_points = 256) {
  return {.rule = rule(name),
          .num_points = num_points,
          .num_replicates = 16,
          .seed = 5,
          .num_threads = 2};
}

const std::array<double, 5> kPrior{1.0, 5.0, std::exp(0.5 + 0.5), 0.5, std::exp(-2.0)};

TEST(expectations, under_a_prior_are_its_closed_forms_by_every_rule) {
  const auto model = model_from(kNormal, kData);
  for (const numerics::PointRule* rule : numerics::point_rules()) {
    const Expectations found = expectations(*model, options_of(rule->name), functions);
    ASSERT_EQ(found.of.size(), kPrior.size());
    for (std::size_t k = 0; k < kPrior.size(); ++k) {
      EXPECT_NEAR(found.of[k].mean, kPrior[k], 4.5 * found.of[k].error) << rule->name << k;
      EXPECT_GT(found.of[k].error, 0.0);
    }
    EXPECT_NEAR(found.of[0].sd, 2.0, 0.2) << rule->name;
  }
}

TEST(expectations, have_less_error_with_evenly_spread_points) {
  const auto model = model_from(kNormal, kData);
  const auto error = [&](std::string_view name, std::size_t function) {
    return expectations(*model, options_of(name), functions).of[function].error;
  };
  // Of m, and of s, a monotone function; seen were 37, 7.5 and 2 times less.
  EXPECT_LT(error("sobol", 0), error("independent", 0) / 15.0);
  EXPECT_LT(error("halton", 0), error("independent", 0) / 4.0);
  EXPECT_LT(error("antithetic", 3), error("independent", 3) / 1.3);
}

TEST(expectations, under_a_posterior_are_its_closed_forms) {
  const auto model = model_from(kNormal, kData);
  for (const char* name : {"independent", "sobol"}) {
    ExpectationOptions options = options_of(name);
    options.of_posterior = true;
    const Expectations found = expectations(*model, options, functions);
    EXPECT_NEAR(found.of[0].mean, kPosteriorMean, 4.5 * found.of[0].error) << name;
    EXPECT_NEAR(found.of[0].sd, std::sqrt(kPosteriorVariance), 0.05) << name;
    EXPECT_NEAR(found.of[2].mean, std::exp(0.5 * kPosteriorMean + kPosteriorVariance / 8.0),
                4.5 * found.of[2].error)
        << name;
    EXPECT_NEAR(found.log_evidence, log_evidence(), 4.5 * found.log_evidence_error) << name;
    EXPECT_LT(found.pareto_k, 0.5);
  }
}

struct Scores {
  double means = 0.0, evidence = 0.0;  // mean squares of errors in their own units
};
Scores scores(const density::Model& model, double truth) {
  Scores scores;
  constexpr int kSeeds = 60;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ExpectationOptions options = options_of("sobol", 64);
    options.seed = seed, options.of_posterior = true;
    const Expectations found = expectations(model, options, functions);
    scores.means += std::pow((found.of[0].mean - truth) / found.of[0].error, 2) / kSeeds;
    scores.evidence +=
        std::pow((found.log_evidence - log_evidence()) / found.log_evidence_error, 2) / kSeeds;
  }
  return scores;
}

// Errors from 16 replicates: their squares over the error's are those of Student's t with 15 degrees of freedom, of mean
// 15 / 13; the mean of 60 has the standard deviation 0.25.
TEST(expectations, tell_errors_that_are_what_they_say) {
  const Scores right = scores(*model_from(kNormal, kData), kPosteriorMean);
  EXPECT_NEAR(right.means, 15.0 / 13.0, 0.8);
  EXPECT_NEAR(right.evidence, 15.0 / 13.0, 0.8);
}

// A likelihood that counts one observation twice.
TEST(expectations, of_another_posterior_are_found_by_the_same_claim) {
  const std::string wrong =
      std::string(kNormal).replace(std::string(kNormal).find("y ~"), 3, "y[1] ~ normal(m, 1); y ~");
  const Scores scores_of_wrong = scores(*model_from(wrong, kData), kPosteriorMean);
  EXPECT_GT(scores_of_wrong.means, 20.0);
  EXPECT_GT(scores_of_wrong.evidence, 20.0);
}

TEST(expectations, are_the_same_for_any_number_of_threads) {
  const auto model = model_from(kNormal, kData);
  ExpectationOptions options = options_of("sobol", 32);
  options.num_threads = 1;
  const Expectations one = expectations(*model, options, functions);
  options.num_threads = 3;
  const Expectations three = expectations(*model, options, functions);
  for (std::size_t k = 0; k < one.of.size(); ++k) {
    EXPECT_EQ(one.of[k].mean, three.of[k].mean);
    EXPECT_EQ(one.of[k].error, three.of[k].error);
  }
}

TEST(expectations, refuse_a_prior_without_a_map_from_the_cube_and_points_that_belong_together) {
  const auto matrix =
      model_from("parameters { corr_matrix[3] r; } model { r ~ lkj_corr(2); }", "{}");
  EXPECT_THROW(expectations(*matrix, options_of("sobol"), functions), Error);
  EXPECT_THROW(expectations(*model_from(kNormal, kData), options_of("antithetic", 7), functions),
               Error);
}

}  // namespace
}  // namespace credo::results::expectation_test
