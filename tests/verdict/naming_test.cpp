// Illnesses that went by another's name, or by none, each mended: what a run is called first.
#include <gtest/gtest.h>

#include "support/judged_runs.hpp"

namespace credo::verdict::naming_test {
namespace {
using credo::testing::alarms_of;
using credo::testing::ids_of;
using credo::testing::MadeDraws;
using credo::testing::run_of;
using credo::testing::scalars;

Rng test_rng(std::uint64_t seed) {
  return Rng({.seed = seed, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
}

// Outputs by draw and chain.
using Rule = std::function<double(Index s, Index c, Index k)>;
std::unique_ptr<MadeDraws> made(std::vector<std::string> names, Index num_chains,
                                const Rule& rule) {
  const Index count = ssize(names), num_draws = 4000 / num_chains;
  density::Draws values(num_draws, num_chains, count);
  for (Index c = 0; c < num_chains; ++c)
    for (Index s = 0; s < num_draws; ++s)
      for (Index k = 0; k < count; ++k) values(s, c, k) = rule(s, c, k);
  return std::make_unique<MadeDraws>(std::move(names), std::move(values));
}

Verdict verdict_of(const MadeDraws& draws) {
  return judge({.draws = &draws, .variables = scalars(draws.outputs())});
}

std::string first_alarm(const Verdict& verdict) {
  const std::string all = alarms_of(verdict);
  return all.substr(0, all.find(' '));
}

Verdict verdict_of(const std::string& text, const std::string& data = "", std::uint64_t seed = 1) {
  return judge(run_of(text, data, seed)->evidence);
}

// ---- separate modes

// Equally spaced: no cut leaves two clusters that are 4 of their own standard deviations apart.
TEST(modes, are_named_where_chains_sit_in_three_places) {
  Rng rng = test_rng(1);
  const auto draws = made({"x"}, 8, [&](Index, Index c, Index) {
    return rng.normal() + 10.0 * static_cast<double>(c % 3 - 1);
  });
  EXPECT_EQ(first_alarm(verdict_of(*draws)), "multimodal");
}

// One chain in eight that crawls where it is doesn't hide the others' places.
TEST(modes, are_named_though_one_chain_crawls) {
  Rng rng = test_rng(2);
  double walk = 0.0;
  const auto draws = made({"x"}, 8, [&](Index, Index c, Index) {
    if (c == 7) return 20.0 + (walk = 0.999 * walk + 0.04 * rng.normal());
    return rng.normal() + (c < 4 ? 0.0 : 20.0);
  });
  EXPECT_EQ(first_alarm(verdict_of(*draws)), "multimodal");
}

TEST(modes, are_none_on_a_ring_that_chains_crawl_around) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Rng rng = test_rng(seed);
    double angle = 0.0;
    const auto draws = made({"x", "y"}, 4, [&](Index s, Index, Index k) {
      if (k == 1) return std::sin(angle) + 0.01 * rng.normal();
      angle = s == 0 ? rng.uniform(0.0, 6.28) : angle + 0.15 * rng.normal();
      return std::cos(angle) + 0.01 * rng.normal();
    });
    EXPECT_EQ(alarms_of(verdict_of(*draws)).find("multimodal"), std::string::npos) << seed;
  }
}

// Excursions into the tail of a positive parameter are another cluster, but not of its logarithm.
TEST(modes, are_none_in_the_long_tail_of_a_scale) {
  Rng rng = test_rng(4);
  double tail = 0.0;
  const auto draws = made({"scale"}, 4, [&](Index s, Index, Index) {
    const bool is_out = s % 250 < 20;
    tail = 2.0 + 0.5 * rng.normal();
    return std::exp(is_out ? tail : 0.7 * rng.normal());
  });
  EXPECT_EQ(alarms_of(verdict_of(*draws)).find("multimodal"), std::string::npos);
}

// ---- what isn't what it looks like

// Two places with another spread each, and divergences in the narrow one.
TEST(funnel, is_not_made_of_chains_in_different_places) {
  Rng rng = test_rng(5);
  const auto draws = made({"u", "x"}, 4, [&](Index, Index c, Index k) {
    return k == 0 ? 5.0 * static_cast<double>(c) + rng.normal()
                  : std::exp(1.5 * static_cast<double>(c)) * rng.normal();
  });
  std::vector<double>& marks = draws->statistics["divergent"];
  marks.assign(4000, 0.0);
  std::fill_n(marks.begin(), 100, 1.0);
  EXPECT_EQ(alarms_of(verdict_of(*draws)).find("funnel"), std::string::npos);
}

// 95 draws of 100 in a narrow heap at zero, the others in a wide one with normal tails.
TEST(heavy_tails, are_none_of_a_wide_heap_around_a_narrow_one) {
  Rng rng = test_rng(6);
  const auto draws = made({"x"}, 4, [&](Index, Index, Index) {
    return rng.normal() * (rng.uniform(0.0, 1.0) < 0.95 ? 0.002 : 0.3);
  });
  EXPECT_EQ(ids_of(verdict_of(*draws)), "");
}

TEST(heavy_tails, are_still_named_where_they_are) {
  Rng rng = test_rng(7);
  const auto draws =
      made({"x"}, 4, [&](Index, Index, Index) { return rng.normal() / rng.normal(); });
  EXPECT_EQ(first_alarm(verdict_of(*draws)), "heavy_tails");
}

TEST(heavy_tails, are_not_read_off_draws_of_a_run_that_breaks_off) {
  Rng rng = test_rng(8);
  const auto draws =
      made({"x"}, 4, [&](Index, Index, Index) { return rng.normal() / rng.normal(); });
  std::vector<double>& marks = draws->statistics["divergent"];
  marks.assign(4000, 0.0);
  for (std::size_t s = 0; s < marks.size(); s += 20) marks[s] = 1.0;
  EXPECT_EQ(first_alarm(verdict_of(*draws)), "divergences");
}

// Of 80 draws, and of chains that are in different places, no share has a standard error.
TEST(missing_mass, is_not_told_by_draws_that_disagree_or_are_few) {
  const std::string text =
      "parameters { real x; real y; } model { x ~ normal(0, 1); y ~ normal(0, 1); }";
  const auto run = run_of(text, "", 1, {.num_draws = 20});
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < 20; ++s) run->draws->at(s, c, 0) = std::fabs(run->draws->at(s, c, 0));
  EXPECT_EQ(alarms_of(judge(run->evidence)).find("missing_mass"), std::string::npos);
  const auto apart = run_of(text, "", 1);
  for (Index s = 0; s < 1000; ++s) apart->draws->at(s, 0, 0) += 1.7;
  EXPECT_EQ(alarms_of(judge(apart->evidence)).find("missing_mass"), std::string::npos);
}

TEST(tree_depth, names_what_mixes_worst_where_there_is_no_ridge) {
  Rng rng = test_rng(9);
  double slow = 0.0;
  const auto draws = made({"quick", "slow"}, 4, [&](Index, Index, Index k) {
    if (k == 0) return rng.normal();
    return slow = 0.98 * slow + 0.2 * rng.normal();
  });
  draws->statistics["tree_depth"].assign(4000, 10.0);
  const Verdict verdict = verdict_of(*draws);
  ASSERT_EQ(first_alarm(verdict), "tree_depth");
  EXPECT_EQ(verdict.findings[0].parameters, std::vector<std::string>{"slow"});
}

// Loadings and scores of one factor, all chains on one side: nothing in the draws tells.
TEST(modes, are_named_where_signs_may_be_changed) {
  const auto program = [](const char* loading) {
    return "parameters { " + std::string(loading) +
           " a; vector[12] score; } model { a ~ normal(0, 3); score ~ std_normal(); [2.2, -1.9, "
           "3.1, -2.7, 0.4, 1.3, -0.8, -3.3, 2.9, 0.9, -1.2, 4.0]' ~ normal(a * score, 0.7); }";
  };
  const auto run = run_of(program("real"), "", 1);
  for (Index c = 0; c < 4; ++c)  // chains that all began on one side
    for (Index s = 0; s < 1000; ++s) {
      const double sign = run->draws->at(s, c, 0) < 0.0 ? -1.0 : 1.0;
      for (Index k = 0; k < 13; ++k) run->draws->at(s, c, k) *= sign;
    }
  const Verdict verdict = judge(run->evidence);
  ASSERT_EQ(first_alarm(verdict), "multimodal") << ids_of(verdict);
  EXPECT_EQ(verdict.findings[0].parameters, (std::vector<std::string>{"a", "score"}));
  EXPECT_EQ(ids_of(verdict_of(program("real<lower=0>"))).find("multimodal"), std::string::npos);
}

// ---- constraints, and densities that don't end

TEST(missing_constraint, is_seen_where_a_parameter_is_a_factor_of_what_must_be_positive) {
  const Verdict verdict = verdict_of(
      "data { array[3] int n; array[3] int y; } parameters { real<lower=0, upper=1> mu; real "
      "kappa; "
      "} model { kappa ~ normal(0, 5); y ~ beta_binomial(n, mu * kappa, (1 - mu) * kappa); }",
      R"({"n": [20, 20, 20], "y": [9, 12, 7]})");
  EXPECT_EQ(first_alarm(verdict), "missing_constraint") << ids_of(verdict);
  EXPECT_EQ(verdict.findings[0].parameters, std::vector<std::string>{"kappa"});
}

TEST(missing_constraint, is_none_of_a_square) {
  const Verdict verdict =
      verdict_of("parameters { real a; } model { a ~ normal(3, 0.1); 1.0 ~ normal(0, a * a); }");
  EXPECT_EQ(alarms_of(verdict), "");
}

// What a parameter may be depends on data, which no declaration's text says: a threshold below the
// smallest income, a shift below the shortest time, a truncation below the smallest value.
TEST(missing_constraint, is_seen_where_the_distribution_ends_at_data) {
  const std::string data =
      R"({"N": 14, "y": [2.2, 2.1, 2.9, 3.4, 2.4, 4.9, 2.7, 6.1, 2.3, 2.6, 3.9, 2.2, 2.5, 3.0]})";
  for (const char* text :
       {"data { int N; vector[N] y; } parameters { real<lower=0> end; real<lower=0> a; } model { "
        "end ~ normal(2, 1); a ~ gamma(2, 1); y ~ pareto(end, a); }",
        "data { int N; vector[N] y; } parameters { real<lower=0> end; real m; real<lower=0> s; } "
        "model { end ~ normal(1, 1); m ~ normal(0, 1); s ~ normal(0, 1); for (n in 1:N) y[n] - end "
        "~ lognormal(m, s); }",
        "data { int N; vector[N] y; } parameters { real<lower=0> end; } model { end ~ gamma(2, "
        "0.2); y ~ uniform(0, end); }"}) {
    const Verdict verdict = verdict_of(text, data);
    ASSERT_EQ(first_alarm(verdict), "missing_constraint") << text << ids_of(verdict);
    EXPECT_EQ(verdict.findings[0].parameters, std::vector<std::string>{"end"});
  }
}

TEST(missing_constraint, is_seen_of_cut_points_that_may_be_in_disorder) {
  const std::string data = R"({"y": [1, 3, 2, 2, 1, 3, 3, 2, 1, 2]})";
  const auto program = [](const std::string& type) {
    return "data { array[10] int y; } parameters { " + type +
           " c; } model { c ~ normal(0, 3); y ~ ordered_logistic(rep_vector(0, 10), c); }";
  };
  const Verdict verdict = verdict_of(program("vector[2]"), data);
  ASSERT_EQ(first_alarm(verdict), "missing_constraint") << ids_of(verdict);
  EXPECT_NE(verdict.findings[0].remedy.find("ordered"), std::string::npos);
  EXPECT_EQ(alarms_of(verdict_of(program("ordered[2]"), data)), "");
}

// The rate of events that never happened goes to 0, and exp(-x) is 0 beyond 745.
TEST(improper, is_a_density_that_ends_only_where_arithmetic_does) {
  const Verdict verdict = verdict_of(
      "data { vector[3] hours; } parameters { real log_mean; } model { target += "
      "exponential_lccdf(hours | exp(-log_mean)); }",
      R"({"hours": [200, 500, 900]})");
  EXPECT_EQ(first_alarm(verdict), "improper") << ids_of(verdict);
}

// No coefficient alone separates the classes, the two together do.
TEST(improper, is_a_posterior_of_classes_that_are_separated_jointly) {
  const Verdict verdict = verdict_of(
      "data { vector[8] u; vector[8] v; array[8] int y; } parameters { real a; real b; real c; } "
      "model { y ~ bernoulli_logit(a + b * u + c * v); }",
      R"({"u": [-2, 1, 0, 2, -1, 2, 1, 0.5], "v": [1, -2, -1, -2.5, 2, -1, 0.5, 1],
          "y": [0, 0, 0, 0, 1, 1, 1, 1]})");
  EXPECT_EQ(first_alarm(verdict), "improper") << ids_of(verdict);
  EXPECT_GE(verdict.findings[0].parameters.size(), 2u);
}

// ---- flat directions

// Two of them, so that other coordinates go along with those that name the widest ridge.
TEST(flat_direction, is_seen_where_there_are_two) {
  const Verdict verdict = verdict_of(
      "data { array[12] int r; array[12] int c; vector[12] y; } parameters { real mu; vector[4] "
      "row; "
      "vector[3] column; real<lower=0> s; } model { mu ~ normal(0, 100); row ~ normal(0, 100); "
      "column ~ normal(0, 100); s ~ normal(0, 2); y ~ normal(mu + row[r] + column[c], s); }",
      R"({"r": [1,1,1,2,2,2,3,3,3,4,4,4], "c": [1,2,3,1,2,3,1,2,3,1,2,3],
          "y": [1.1,2.3,0.2,1.9,3.4,1.2,0.1,1.0,-0.8,2.8,4.1,2.2]})");
  EXPECT_EQ(first_alarm(verdict), "flat_direction") << ids_of(verdict);
}

// The mean of the abilities goes furthest along with them, and isn't in the likelihood.
TEST(flat_direction, is_seen_where_the_location_of_a_prior_goes_along) {
  const Verdict verdict = verdict_of(
      "data { array[60] int y; } parameters { real mu; vector[15] ability; vector[4] hard; } model "
      "{ mu ~ normal(0, 100); hard ~ normal(0, 100); ability ~ normal(mu, 1); for (n in 1:60) y[n] "
      "~ bernoulli_logit(ability[(n + 3) %/% 4] - hard[(n + 3) % 4 + 1]); }",
      R"({"y": [1,0,1,0,1,1,1,0,0,1,1,0,1,0,0,0,1,1,1,1,1,0,1,0,0,0,1,0,1,1,0,0,
                1,1,1,0,1,0,1,1,0,0,0,0,1,1,1,0,1,0,1,0,1,1,0,0,1,1,1,0]})");
  EXPECT_EQ(first_alarm(verdict), "flat_direction") << ids_of(verdict);
}

// Their sum with the mean is known far better than their differences, and each has a small part.
TEST(flat_direction, is_seen_of_a_mean_and_many_effects) {
  Rng rng = test_rng(6);
  std::string y;
  for (int n = 0; n < 150; ++n)
    y += (n == 0 ? "" : ", ") + std::to_string(2.0 + 0.1 * (n % 15) + rng.normal());
  const Verdict verdict = verdict_of(
      "data { vector[150] y; } transformed data { array[150] int g; for (n in 1:150) g[n] = (n - "
      "1) % 15 + 1; } parameters { real mean_of_all; vector[15] effect; real<lower=0> e; } model { "
      "mean_of_all ~ normal(0, 100); effect ~ normal(0, 100); e ~ normal(0, 2); y ~ "
      "normal(mean_of_all + effect[g], e); }",
      "{\"y\": [" + y + "]}");
  EXPECT_EQ(first_alarm(verdict), "flat_direction") << ids_of(verdict);
}

// Crossed effects: the mean goes along with them a little, with ease, and what is dear is a scale
// near zero.
TEST(flat_direction, is_none_beside_a_funnel_where_draws_move_with_ease) {
  Rng rng = test_rng(5);
  std::string y;
  for (int person = 0; person < 12; ++person) {
    const double level = 1.0 + rng.normal();
    for (int item = 0; item < 8; ++item)
      y += (y.empty() ? "" : ", ") + std::to_string(level + rng.normal());
  }
  const std::string text =
      "data { vector[96] y; } transformed data { array[96] int p; array[96] int i; for (n in 1:96) "
      "{ p[n] = (n + 7) %/% 8; i[n] = (n + 7) % 8 + 1; } } parameters { real mu; vector[12] z; "
      "vector[8] item; real<lower=0> among_persons; real<lower=0> among_items; real<lower=0> e; } "
      "model { mu ~ normal(0, 5); among_persons ~ normal(0, 1); among_items ~ normal(0, 1); e ~ "
      "normal(0, 2); z ~ std_normal(); item ~ normal(0, among_items); y ~ normal(mu + "
      "among_persons * z[p] + item[i], e); }";
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Verdict verdict = verdict_of(text, "{\"y\": [" + y + "]}", seed);
    EXPECT_EQ(ids_of(verdict).find("flat_direction"), std::string::npos) << ids_of(verdict);
  }
}

// A cone: coefficients and scale of a latent utility grow together, whatever their signs.
TEST(flat_direction, is_seen_along_a_cone) {
  int named = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Verdict verdict = verdict_of(
        "data { int N; vector[N] x; array[N] int y; } parameters { real a; real b; real<lower=0> "
        "s; "
        "} model { a ~ normal(0, 20); b ~ normal(0, 20); s ~ normal(0, 20); y ~ "
        "bernoulli(Phi_approx((a "
        "+ b * x) / s)); }",
        R"({"N": 60, "x": [-2.0,-1.9,-1.8,-1.7,-1.6,-1.5,-1.4,-1.3,-1.2,-1.1,-1.0,-0.9,-0.8,-0.7,-0.6,
            -0.5,-0.4,-0.3,-0.2,-0.1,0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0,1.1,1.2,1.3,1.4,1.5,1.6,
            1.7,1.8,1.9,2.0,2.1,2.2,2.3,2.4,2.5,2.6,2.7,2.8,2.9,3.0,3.1,3.2,3.3,3.4,3.5,3.6,3.7,3.8,3.9],
            "y": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1,0,0,1,0,1,0,0,1,1,0,1,1,
            0,1,1,1,1,1,1,0,1,1,1,1,1,1,1,1,1,1,1,1]})",
        seed);
    named += first_alarm(verdict) == "flat_direction";
  }
  EXPECT_GE(named, 2);
}
}  // namespace
}  // namespace credo::verdict::naming_test
