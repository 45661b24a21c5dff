// False alarms and wrong advice that users met, each mended; and what a sentence may promise.
#include <gtest/gtest.h>

#include "support/judged_runs.hpp"

namespace credo::verdict::advice_test {
namespace {
using credo::testing::alarms_of;
using credo::testing::ids_of;
using credo::testing::MadeDraws;
using credo::testing::run_of;
using credo::testing::scalars;

Verdict verdict_of(const std::string& text, const std::string& data = "", std::uint64_t seed = 1) {
  return judge(run_of(text, data, seed)->evidence);
}

const Finding* find(const Verdict& verdict, std::string_view id) {
  for (const Finding& finding : verdict.findings)
    if (finding.id == id) return &finding;
  return nullptr;
}

TEST(advice, pareto_with_its_lower_bound_lacks_nothing) {
  const Verdict verdict = verdict_of("parameters { real<lower=2> x; } model { x ~ pareto(2, 4); }");
  EXPECT_EQ(find(verdict, "missing_constraint"), nullptr) << ids_of(verdict);
}

TEST(advice, uniform_names_both_of_its_bounds) {
  const Verdict verdict =
      verdict_of("parameters { real<lower=0> s; } model { s ~ uniform(2, 10); }");
  const Finding* finding = find(verdict, "missing_constraint");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->remedy.find("lower=2, upper=10"), std::string::npos) << finding->remedy;
}

TEST(advice, bounds_that_a_declaration_has_in_other_words_are_taken_for_right) {
  const Verdict verdict =
      verdict_of("data { real a; } parameters { real<lower=a> s; } model { s ~ pareto(a, 4); }",
                 R"({"a": 2})");
  EXPECT_EQ(find(verdict, "missing_constraint"), nullptr) << ids_of(verdict);
}

TEST(advice, exchanged_scales_stay_positive) {
  const Verdict verdict = verdict_of(
      "parameters { vector<lower=0>[2] s; } model { s ~ lognormal(0, 1); target += "
      "log_sum_exp(normal_lpdf(s[1] | 2, 0.1) + normal_lpdf(s[2] | 9, 0.1), normal_lpdf(s[2] | 2, "
      "0.1) + normal_lpdf(s[1] | 9, 0.1)); }");
  const Finding* finding = find(verdict, "label_switching");
  ASSERT_NE(finding, nullptr) << ids_of(verdict);
  EXPECT_NE(finding->remedy.find("positive_ordered[K] s"), std::string::npos) << finding->remedy;
}

TEST(advice, proper_distributions_of_any_scale_are_not_called_improper) {
  for (const char* text :
       {"parameters { real x; } model { x ~ normal(0, 1e10); }",
        "parameters { real x; real y; } model { x ~ normal(0, 1e6); y ~ normal(0, 1e-6); }"})
    EXPECT_EQ(find(verdict_of(text), "improper"), nullptr) << text;
}

// A generated quantity that is 0 in most draws and lies in a bounded range elsewhere.
TEST(advice, a_spike_at_zero_is_no_heavy_tail) {
  const Verdict verdict = verdict_of(
      "parameters { real x; } model { x ~ normal(0, 1); } generated quantities { real d = "
      "abs(x) > 2 ? 0.1 * x : 0; }");
  EXPECT_EQ(find(verdict, "heavy_tails"), nullptr) << ids_of(verdict);
}

TEST(advice, tails_of_what_is_computed_are_a_note) {
  const Verdict verdict = verdict_of(
      "parameters { real x; real y; } model { x ~ normal(0, 1); y ~ normal(0, 1); } generated "
      "quantities { real r = x / y; }");
  const Finding* finding = find(verdict, "heavy_tails");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->level, Level::note);
  EXPECT_EQ(verdict.word, Verdict::Word::good);
}

TEST(advice, tails_between_two_declared_bounds_are_none) {
  const Verdict verdict = verdict_of(
      "parameters { real<lower=1, upper=80> x; } model { target += -3 * log(81 - x) - 10 * x; }");
  EXPECT_EQ(find(verdict, "heavy_tails"), nullptr) << ids_of(verdict);
}

// The scale's density doesn't have z: the non-centred form was written already.
TEST(advice, a_remedy_that_was_followed_is_not_given_again) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Verdict verdict = verdict_of(
        "parameters { real mu; real<lower=0> tau; vector[8] z; } transformed parameters { "
        "vector[8] theta = mu + tau * z; } model { mu ~ normal(0, 5); tau ~ cauchy(0, 50); z ~ "
        "std_normal(); [28.1, 8.2, -3.3, 7.1, -1.4, 1.3, 18.2, 12.1]' ~ normal(theta, 0.05); }",
        "", seed);
    if (const Finding* finding = find(verdict, "funnel")) {
      EXPECT_EQ(finding->remedy.find("(the non-centred form)"), std::string::npos)
          << finding->remedy;
    }
  }
}

// y is distributed around x^2: it follows x, and is no scale of it.
TEST(advice, the_bend_of_a_banana_is_no_funnel) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Verdict verdict = verdict_of(
        "parameters { real x; real y; } model { x ~ normal(0, 1); y ~ normal(x^2, 0.02); }", "",
        seed);
    EXPECT_EQ(find(verdict, "funnel"), nullptr);
    EXPECT_NE(verdict.word, Verdict::Word::good) << seed;
  }
}

TEST(advice, an_edge_within_the_density_is_named) {
  const Verdict verdict = verdict_of(
      "parameters { real phi; real<lower=0> s; } model { s ~ normal(0, 1); 1.0 ~ normal(0, s / "
      "sqrt(1 - square(phi))); phi ~ normal(1, 0.05); }");
  const Finding* finding = find(verdict, "missing_constraint");
  ASSERT_NE(finding, nullptr) << ids_of(verdict);
  EXPECT_EQ(finding->parameters, std::vector<std::string>{"phi"});
}

TEST(advice, rows_of_a_matrix_are_exchanged_with_their_shares) {
  const Verdict verdict = verdict_of(
      "parameters { matrix[2, 2] m; simplex[2] w; } model { to_vector(m) ~ normal(0, 10); w ~ "
      "dirichlet([9, 9]'); for (k in 1:2) target += log_mix(w[1], multi_normal_lpdf([6.0 * k - 9, "
      "4]' | m[1]', identity_matrix(2)), multi_normal_lpdf([6.0 * k - 9, 4]' | m[2]', "
      "identity_matrix(2))); }");
  const Finding* finding = find(verdict, "label_switching");
  ASSERT_NE(finding, nullptr) << ids_of(verdict);
  EXPECT_EQ(finding->parameters.front(), "m");
}

// The verdict asks far from the draws, where a size no longer fits.
TEST(advice, a_point_where_the_program_is_wrong_does_not_end_the_run) {
  const Verdict verdict = verdict_of(
      "parameters { real x; } transformed parameters { vector[1] v = rep_vector(x, 1 + (x > "
      "1000)); } model { x ~ normal(0, 1); }");
  EXPECT_EQ(verdict.word, Verdict::Word::good) << ids_of(verdict);
}

TEST(verdict_sentence, names_a_check_that_could_not_be_made) {
  static const FindingSpec fails{.id = "funnel",
                                 .title = "",
                                 .explains = {},
                                 .check = [](const Case&) -> std::vector<Finding> {
                                   throw Error(ErrorCode::evaluation, "no", "here");
                                 }};
  const std::array<const FindingSpec*, 1> rows{&fails};
  const auto run = run_of("parameters { real x; } model { x ~ normal(0, 1); }", "", 1);
  const Verdict verdict = judge(run->evidence, rows);
  EXPECT_EQ(verdict.not_checked, std::vector<std::string>{"funnel"});
  EXPECT_NE(verdict.sentence.find("would have been looked for: funnel"), std::string::npos);
}

Verdict verdict_of_draws(Index num_draws, double apart) {
  density::Draws values(num_draws, 4, 1);
  Rng rng({.seed = 3, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < num_draws; ++s)
      values(s, c, 0) = rng.normal() + apart * static_cast<double>(c);
  const MadeDraws draws({"a"}, std::move(values));
  return judge({.draws = &draws, .variables = scalars(draws.outputs())});
}

TEST(verdict_sentence, of_five_draws_that_disagree_is_no_mere_doubt) {
  const Verdict verdict = verdict_of_draws(5, 10.0);
  EXPECT_GT(verdict.figures[0].value, 2.0);  // R-hat
  EXPECT_EQ(verdict.word, Verdict::Word::bad);
}

TEST(verdict_sentence, says_what_only_draws_cannot_show) {
  const Verdict verdict = verdict_of_draws(1000, 0.0);
  EXPECT_EQ(verdict.word, Verdict::Word::good);
  EXPECT_EQ(verdict.sentence.find("Believe"), std::string::npos);
  EXPECT_NE(verdict.sentence.find("Only the draws were examined"), std::string::npos);
  EXPECT_NE(verdict.sentence.find("other modes"), std::string::npos);
}

TEST(verdict_sentence, counts_its_climbs_and_the_log_density) {
  const auto run = run_of("parameters { vector[3] x; } model { x ~ normal(0, 1); }", "", 1);
  const Verdict verdict = judge(run->evidence);
  EXPECT_NE(verdict.sentence.find("climbs from other points found no other modes"),
            std::string::npos)
      << verdict.sentence;
  // lp__ of a normal distribution in three dimensions has fewer effective draws than its coordinates.
  EXPECT_NE(verdict.sentence.find("(lp__)"), std::string::npos) << verdict.sentence;
}

TEST(verdict_sentence, tells_any_divergence_and_any_figure_with_few_draws) {
  const auto run =
      run_of("parameters { real x; } model { x ~ normal(0, 1); }", "", 1, {.num_draws = 80});
  const Verdict verdict = judge(run->evidence);
  EXPECT_NE(find(verdict, "few_draws"), nullptr) << ids_of(verdict);
}
}  // namespace
}  // namespace credo::verdict::advice_test
