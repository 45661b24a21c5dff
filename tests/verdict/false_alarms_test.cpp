// Correct runs with false findings, wrong statements about runs, and findings that hid worse ones.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/judged_runs.hpp"
#include "verdict/located.hpp"
#include "verdict/report.hpp"

namespace credo::verdict::false_alarms_test {
namespace {
using credo::testing::ids_of;
using credo::testing::MadeDraws;
using credo::testing::run_of;
using credo::testing::scalars;

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(CREDO_SOURCE_DIR "/tests/") + path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_GT(text.str().size(), 0U) << path;
  return text.str();
}

const Finding* found_in(const Verdict& verdict, std::string_view id) {
  for (const Finding& finding : verdict.findings)
    if (finding.id == id) return &finding;
  return nullptr;
}

bool says(const Finding* finding, const char* words) {
  return finding != nullptr &&
         (finding->text + " " + finding->remedy).find(words) != std::string::npos;
}

// Fourteen subjects on eight days: an intercept, a slope and effects of subjects around zero.
std::string reaction_times(std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  std::string g, x, y;
  for (int subject = 1; subject <= 14; ++subject) {
    const double effect = 35.0 * rng.normal();
    for (int day = 0; day < 8; ++day) {
      const char* before = g.empty() ? "" : ", ";
      g += before + std::to_string(subject), x += before + std::to_string(day);
      y += before + std::to_string(250.0 + 10.0 * day + effect + 30.0 * rng.normal());
    }
  }
  return R"({"N": 112, "J": 14, "g": [)" + g + R"(], "x": [)" + x + R"(], "y": [)" + y + "]}";
}

TEST(false_alarms, a_random_intercept_is_no_doubt) {
  const std::string program = text_of("verdict/textbook/intercepts_effects.stan");
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto run = run_of(program, reaction_times(seed), seed);
    const Verdict verdict = judge(run->evidence);
    EXPECT_EQ(verdict.word, Verdict::Word::good) << seed << ": " << ids_of(verdict);
  }
}

TEST(false_alarms, local_scales_of_a_horseshoe_are_a_note) {
  const auto run = run_of(text_of("inputs/horseshoe.stan"), text_of("inputs/horseshoe.json"), 1);
  const Verdict verdict = judge(run->evidence);
  const Finding* tails = found_in(verdict, "heavy_tails");
  ASSERT_NE(tails, nullptr) << ids_of(verdict);
  EXPECT_EQ(tails->level, Level::note);
  EXPECT_NE(verdict.word, Verdict::Word::bad) << ids_of(verdict);
}

TEST(false_alarms, a_rate_is_held_against_chance) {
  EXPECT_FALSE(exceeds(4, 4000, 0.001));
  EXPECT_FALSE(exceeds(8, 4000, 0.001));  // by chance in 5.1 % of runs with 4 expected
  EXPECT_TRUE(exceeds(9, 4000, 0.001));   // 2.1 %
  EXPECT_FALSE(exceeds(0, 4000, 0.001));
  EXPECT_FALSE(exceeds(25, 80'000, 0.001));
  EXPECT_TRUE(exceeds(120, 80'000, 0.001));
}

// Independent draws of two outputs; `count` of those with the largest x diverged.
std::unique_ptr<MadeDraws> with_divergences(Index num_draws, Index count) {
  density::Draws values(num_draws, 4, 2);
  Rng rng({.seed = 4, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  std::vector<std::pair<double, std::size_t>> order;
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < num_draws; ++s) {
      values(s, c, 0) = rng.normal(), values(s, c, 1) = rng.normal();
      order.emplace_back(-values(s, c, 0), order.size());
    }
  std::sort(order.begin(), order.end());
  auto draws = std::make_unique<MadeDraws>(std::vector<std::string>{"x", "y"}, std::move(values));
  std::vector<double> marks(order.size(), 0.0);
  for (Index k = 0; k < count; ++k) marks[order[static_cast<std::size_t>(k)].second] = 1.0;
  draws->statistics["divergent"] = std::move(marks);
  return draws;
}

Verdict verdict_on(const MadeDraws& draws) {
  return judge({.draws = &draws, .variables = scalars(draws.outputs())});
}

TEST(false_alarms, more_draws_do_not_make_a_run_worse) {
  for (const Index times : {1, 4, 20}) {
    const Verdict verdict = verdict_on(*with_divergences(1000 * times, 5 * times / 4));
    EXPECT_EQ(verdict.word, Verdict::Word::good) << times;
    EXPECT_EQ(ids_of(verdict), "divergences");
    EXPECT_NE(verdict_on(*with_divergences(1000 * times, 120 * times)).word, Verdict::Word::good);
  }
}

TEST(false_alarms, one_divergence_is_one_line_with_its_harm) {
  const Verdict verdict = verdict_on(*with_divergences(1000, 1));
  const Finding* finding = found_in(verdict, "divergences");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->level, Level::note);
  EXPECT_TRUE(says(finding, "of its own errors")) << finding->text;
  EXPECT_LT(finding->text.size() + finding->remedy.size(), 240U) << finding->text;
}

// ---- what a finding hid

TEST(hidden_findings, a_tie_hides_neither_r_hat_nor_few_draws_nor_divergences) {
  const std::string program = text_of("inputs/flat_hides.stan");
  const std::string data = text_of("inputs/flat_hides.json");
  for (const std::uint64_t seed : {2, 4, 7}) {
    const auto run = run_of(program, data, seed, {.num_warmup = 500, .num_draws = 500});
    const Verdict verdict = judge(run->evidence);
    EXPECT_NE(found_in(verdict, "divergences"), nullptr) << seed << ids_of(verdict);
    EXPECT_TRUE(says(found_in(verdict, "few_draws"), "R-hat is up to 1.0")) << seed;
  }
}

// Two coefficients whose sum alone is identified, in chains too short to move along the ridge.
TEST(hidden_findings, symptoms_stand_behind_their_cause_and_are_shorter) {
  const auto run = run_of(
      "data { vector[20] y; } parameters { real a; real b; } model { a ~ normal(0, 1e4); b ~ "
      "normal(0, 1e4); y ~ normal(a + b, 0.1); }",
      R"({"y": [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]})", 1,
      {.num_warmup = 200, .num_draws = 100});
  const Verdict verdict = judge(run->evidence);
  ASSERT_EQ(verdict.findings.front().id, "flat_direction") << ids_of(verdict);
  const Finding* few = found_in(verdict, "few_draws");
  ASSERT_NE(few, nullptr);
  EXPECT_EQ(few->explained_by, "flat_direction");
  EXPECT_EQ(few->text.find(". "), std::string::npos) << few->text;
  EXPECT_NE(verdict.sentence.find("known only in combination"), std::string::npos);
  EXPECT_NE(report_text(verdict, 80).find("[few_draws] by flat_direction"), std::string::npos);
}

// ---- words

TEST(words_of_findings, the_bound_above_zero_is_zero) {
  const auto run = run_of(text_of("inputs/edge_text.stan"), text_of("inputs/edge_text.json"), 1);
  const Verdict verdict = judge(run->evidence);
  EXPECT_TRUE(says(found_in(verdict, "missing_constraint"), "<lower=0>")) << ids_of(verdict);
}

TEST(words_of_findings, a_declared_bound_is_what_was_declared) {
  const auto run = run_of(
      "data { vector[8] y; } parameters { real<lower=0> b; } model { b ~ normal(0, 5); y ~ "
      "normal(b, 1); }",
      R"({"y": [-3, -2, -4, -3, -3, -2, -4, -3]})", 1);
  const Verdict verdict = judge(run->evidence);
  EXPECT_TRUE(says(found_in(verdict, "at_bound"), "lower bound 0 ")) << ids_of(verdict);
}

// For a large length scale the covariance of nearby points is singular to rounding.
TEST(words_of_findings, a_singular_matrix_lacks_no_bound) {
  const auto run = run_of(
      "data { array[4] real x; vector[4] y; } parameters { real<lower=0> l; real<lower=0> s; } "
      "model { l ~ lognormal(6, 2); s ~ normal(0, 1); y ~ multi_normal(rep_vector(0, 4), "
      "gp_exp_quad_cov(x, s, l)); }",
      R"({"x": [0, 1, 2, 3], "y": [0.1, 0.2, 0.3, 0.4]})", 1, {.init_radius = 1.0});
  std::vector<double>& marks = run->draws->statistics["divergent"];
  for (std::size_t s = 0; s < marks.size(); s += 50) marks[s] = 1.0;
  const Verdict verdict = judge(run->evidence);
  EXPECT_EQ(found_in(verdict, "missing_constraint"), nullptr);
}

TEST(words_of_findings, draws_that_stay_do_not_run_away) {
  const std::string flat_far_out =
      "parameters { real x; } model { target += log_sum_exp(normal_lpdf(x | 2.65, 0.35), -80); }";
  const auto run = run_of(flat_far_out, "", 1, {.init_radius = 0.5});
  const Verdict verdict = judge(run->evidence);
  const Finding* finding = found_in(verdict, "improper");
  ASSERT_NE(finding, nullptr) << ids_of(verdict);
  EXPECT_FALSE(says(finding, "run away")) << finding->text;
}

TEST(words_of_findings, a_walk_with_its_scale_in_its_distribution_is_told_to_leave_it) {
  const std::string walk = R"(data { int T; vector[T] y; }
parameters { vector[T] level; real<lower=0> sd_level; real<lower=0> sd_y; }
model {
  sd_level ~ normal(0, 1);
  sd_y ~ normal(0, 1);
  level[1] ~ normal(0, 2);
  for (t in 2:T) target += normal_lpdf(level[t] - level[t - 1] | 0, sd_level);
  y ~ normal(level, sd_y);
})";
  const std::string data =
      R"({"T": 12, "y": [0.3, -0.5, 0.9, 0.1, -0.2, 0.4, -0.9, 0.2, 0.6, -0.1, 0.0, 0.3]})";
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto run = run_of(walk, data, seed);
    const Verdict verdict = judge(run->evidence);
    const Finding* funnel = found_in(verdict, "funnel");
    if (funnel == nullptr || !funnel->explained_by.empty()) continue;
    ++told;
    EXPECT_FALSE(says(funnel, "without sd_level already")) << funnel->remedy;
  }
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace credo::verdict::false_alarms_test
