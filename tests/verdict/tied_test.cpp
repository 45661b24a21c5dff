// Parameters that the data know in combination only, factors that may be turned, bounds that are
// written twice, and chains that are apart without a second mode.
#include <gtest/gtest.h>

#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "support/judged_runs.hpp"
#include "verdict/case.hpp"
#include "verdict/rotation.hpp"
#include "verdict/scouts.hpp"
#include "verdict/tied.hpp"

namespace credo::verdict::tied_test {
namespace {
using credo::testing::alarms_of;
using credo::testing::ids_of;
using credo::testing::run_of;

const std::string kLine =
    R"({"N": 12, "x": [-1.6, -1.2, -0.9, -0.6, -0.3, -0.1, 0.2, 0.4, 0.7, 1.0, 1.3, 1.7],
        "y": [-2.9, -2.0, -1.9, -0.8, -0.6, 0.1, 0.7, 0.5, 1.8, 1.9, 2.8, 3.1],
        "k": [1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1], "g": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]})";

std::string program(const std::string& parameters, const std::string& model) {
  return "data { int N; vector[N] x; vector[N] y; array[N] int k; array[N] int g; } parameters { " +
         parameters + " } model { " + model + " }";
}

struct Asked {
  std::string parameters, model, tied;  // the variables, with blanks between; empty: none
};

std::string tied_in(const Asked& asked) {
  const auto run = run_of(program(asked.parameters, asked.model), kLine, 1,
                          {.num_warmup = 300, .num_draws = 300});
  const Case at_hand(run->evidence);
  std::string names;
  if (const auto tied = tied_of(at_hand))
    for (const std::string& name : tied->variables) names += (names.empty() ? "" : " ") + name;
  return names;
}

// The likelihood depends on a sum, a product, the root of a sum of squares, the product of two
// probabilities, a scale that the slope and the effect share: by hand.
TEST(tied, are_parameters_that_the_likelihood_has_in_one_combination) {
  const std::vector<Asked> all = {
      {"real a; real b;", "a ~ normal(0, 1); b ~ normal(0, 1); y ~ normal(a + b, 1);", "a b"},
      {"real<lower=0> a; real<lower=0> b;",
       "a ~ exponential(1); b ~ exponential(1); y ~ normal(a * b * x, 1);", "a b"},
      {"real m; real<lower=0> s; real<lower=0> t;",
       "m ~ normal(0, 1); s ~ normal(0, 5); t ~ normal(0, 5); y ~ normal(m, sqrt(s^2 + t^2));",
       "s t"},
      {"real<lower=0, upper=1> p; real<lower=0, upper=1> q;", "k ~ bernoulli(p * q);", "p q"},
      {"real a; real b; real c;",
       "a ~ normal(0, 1); b ~ normal(0, 1); c ~ normal(0, 1); y ~ normal(a + b + c * x, 1);",
       "a b"},
      {"real<lower=0> a; real b; real<lower=0> c;",
       "a ~ lognormal(0, 1); b ~ normal(0, 3); c ~ lognormal(0, 1); k ~ bernoulli_logit(a * (c * x "
       "- b));",
       "a b c"},
      {"real<lower=0> s; vector<lower=0>[4] v;",
       "s ~ lognormal(0, 3); v ~ lognormal(0, 3); y ~ normal(s * v[g], 1);", "s v"}};
  for (const Asked& asked : all) EXPECT_EQ(tied_in(asked), asked.tied) << asked.model;
}

TEST(tied, are_not_regressions_nor_what_a_hierarchy_consists_of) {
  const std::vector<Asked> all = {
      {"real a; real b; real<lower=0> s;",
       "a ~ normal(0, 9); b ~ normal(0, 9); s ~ normal(0, 2); y ~ normal(a + b * x, s);", ""},
      // Correlation 0.99999 of slope and intercept: known by a hair, and known.
      {"real a; real b;", "a ~ normal(0, 9); b ~ normal(0, 9); y ~ normal(a + b * (200 + x), 1);",
       ""},
      // A parabola far from its origin.
      {"real a; real b; real c;",
       "a ~ normal(0, 1e6); b ~ normal(0, 1e6); c ~ normal(0, 1e6); y ~ normal(a + b * (200 + x) + "
       "c * square(200 + x), 1);",
       ""},
      {"real m; real<lower=0> t; vector[4] z;",
       "m ~ normal(0, 1); t ~ normal(0, 1); z ~ std_normal(); y ~ normal(m + t * z[g], 1);", ""},
      {"real m; real<lower=0> t; vector[4] z;",
       "m ~ normal(0, 1); t ~ normal(0, 1); z ~ normal(0, 1); y ~ normal(m + t * z[g], 1);", ""},
      {"real m; real<lower=0> t; vector[4] a;",
       "m ~ normal(0, 1); t ~ normal(0, 1); a ~ normal(0, t); y ~ normal(m + a[g], 1);", ""},
      {"real m; real<lower=0> t;", "m ~ normal(0, 1); t ~ gamma(2, 1); y ~ normal(m, t);", ""},
      // Not in the likelihood at all.
      {"real a; real b; real c;",
       "a ~ normal(0, 1); b ~ normal(0, 1); c ~ normal(a, 1); y ~ normal(b, 1);", ""}};
  for (const Asked& asked : all) EXPECT_EQ(tied_in(asked), asked.tied) << asked.model;
}

TEST(tied, are_told_as_a_note_where_the_draws_are_right) {
  const auto run = run_of(
      program("real a; real b;", "a ~ normal(0, 1); b ~ normal(0, 1); y ~ normal(a + b, 1);"),
      kLine, 1);
  const Verdict verdict = judge(run->evidence);
  EXPECT_EQ(ids_of(verdict), "flat_direction");
  EXPECT_EQ(verdict.word, Verdict::Word::good);
}

const std::string kFactors = R"({"J": 30, "P": 4, "y": )" + [] {
  std::string rows = "[";
  for (int j = 0; j < 30; ++j) {
    const double u = std::sin(1.7 * j), v = std::cos(2.9 * j + 1.0);
    rows += j == 0 ? "[" : ", [";
    for (int p = 0; p < 4; ++p) {
      const double value = (p + 1) * u - (p - 1.5) * v + 0.3 * std::sin(11.0 * j + 5.0 * p);
      rows += (p == 0 ? "" : ", ") + std::to_string(value);
    }
    rows += "]";
  }
  return rows + "]}";
}();

std::string turned_in(const std::string& parameters, const std::string& model) {
  const auto run = run_of("data { int J; int P; matrix[J, P] y; } parameters { " + parameters +
                              " } model { " + model + " }",
                          kFactors, 1, {.num_chains = 2, .num_warmup = 200, .num_draws = 100});
  const Case at_hand(run->evidence);
  std::string names;
  if (const auto rotation = rotation_of(at_hand))
    for (const std::string& name : rotation->variables) names += (names.empty() ? "" : " ") + name;
  return names;
}

// Loadings and scores of two factors may be turned together; not where one has a distribution that tells
// its direction, nor what no data speak of.
TEST(rotation, is_that_of_loadings_and_scores_together) {
  const std::string priors = "to_vector(a) ~ normal(0, 1); to_vector(f) ~ std_normal(); ";
  EXPECT_EQ(turned_in("matrix[P, 2] a; matrix[J, 2] f;",
                      priors + "to_vector(y) ~ normal(to_vector(f * a'), 0.5);"),
            "a f");
  EXPECT_EQ(turned_in("matrix[P, 2] a; matrix[2, J] f;",
                      priors + "to_vector(y) ~ normal(to_vector((a * f)'), 0.5);"),
            "a f");
  EXPECT_EQ(turned_in("matrix[P, 2] a; matrix[J, 2] f;",
                      priors + "a[1, 2] ~ normal(1, 0.1); to_vector(y) ~ normal(to_vector(f * a'), "
                               "0.5);"),
            "");
  EXPECT_EQ(turned_in("matrix[P, 2] a; matrix[J, 2] f; real m;",
                      priors + "m ~ normal(0, 1); to_vector(y) ~ normal(m, 0.5);"),
            "");
}

// A uniform prior that ends where the declaration does hides nothing; a probability ends there by
// itself.
TEST(at_bound, is_found_where_the_prior_ends_at_the_bound_too) {
  const auto found = [](const std::string& parameters, const std::string& model) {
    return ids_of(judge(run_of(program(parameters, model), kLine, 1)->evidence)).find("at_bound") !=
           std::string::npos;
  };
  EXPECT_TRUE(found("real a; real<lower=0, upper=1> b;",
                    "a ~ normal(0, 5); b ~ uniform(0, 1); y ~ normal(a + b * x, 0.5);"));
  EXPECT_FALSE(found("real a; real<lower=0, upper=4> b; real<lower=0> s;",
                     "a ~ normal(0, 5); b ~ uniform(0, 4); s ~ normal(0, 2); y ~ normal(a + b * "
                     "x, s);"));
  EXPECT_FALSE(found("real<lower=0, upper=1> p;",
                     "p ~ uniform(0, 1); rep_array(1, 40) ~ "
                     "bernoulli(p);"));
}

// Trajectories of one or three steps on a ridge keep chains where they began; two hills do so, too.
TEST(climbs, meet_where_chains_are_apart_without_a_second_mode) {
  auto cut_off = run_of(
      program("real a; real b; real<lower=0> s;",
              "a ~ normal(0, 500); b ~ normal(0, 100); s ~ normal(0, 2); y ~ normal(a + b * (200 + "
              "x), s);"),
      kLine, 1, {.kernel = infer::NutsOptions{.max_tree_depth = 2}});
  cut_off->evidence.max_tree_depth = 2;
  EXPECT_EQ(alarms_of(judge(cut_off->evidence)).find("multimodal"), std::string::npos)
      << ids_of(judge(cut_off->evidence));
  const auto hills = run_of(
      "parameters { vector[2] x; } model { target += log_mix(0.5, normal_lpdf(x | -9, 1), "
      "normal_lpdf(x | 9, 1)); }",
      "", 1);
  const Case at_hand(hills->evidence);
  EXPECT_FALSE(climbs_meet(at_hand, 0, std::array{-9.0, 9.0}));
  EXPECT_TRUE(climbs_meet(at_hand, 0, std::array{8.0, 10.0}) ||
              climbs_meet(at_hand, 0, std::array{-8.0, -10.0}));
  // Of three hills the middle of two is nobody's place: each chain is asked.
  const auto three = run_of(
      "parameters { real x; } model { target += log_sum_exp([normal_lpdf(x | -40, 1), "
      "normal_lpdf(x "
      "| 0, 1), normal_lpdf(x | 40, 1)]); }",
      "", 1, {.num_chains = 12, .init_radius = 60, .init = {}});
  EXPECT_NE(alarms_of(judge(three->evidence)).find("multimodal"), std::string::npos);
}

}  // namespace
}  // namespace credo::verdict::tied_test
