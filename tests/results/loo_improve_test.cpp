// Rows that importance weights don't reach: moved draws and fits without the row, against the closed form of a normal mean.
#include "results/loo/loo_improve.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "results/draws/quiet_run.hpp"
#include "support/text_model.hpp"

namespace credo::results::loo_improve_test {
namespace {
using model::model_from;

const std::vector<double> kY = {0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 14.0};
constexpr const char* kData =
    R"({"N": 10, "y": [0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 14.0]})";
// mu and its half, so that the posterior has two coordinates, which depend on each other.
constexpr const char* kProgram =
    "data { int N; vector[N] y; } parameters { real a; real b; } model { a ~ normal(0, 2); b ~ "
    "normal(a, 1); y ~ normal(a + b, 1); }";

// mu = a + b ~ normal(0, 4 * 4 + 1): y_i given the others.
double exact_row(std::size_t i) {
  double precision = 1.0 / 17.0, weighted = 0.0;
  for (std::size_t j = 0; j < kY.size(); ++j)
    if (j != i) precision += 1.0, weighted += kY[j];
  const double mean = weighted / precision, variance = 1.0 / precision + 1.0;
  return -0.5 * std::log(2.0 * M_PI * variance) - 0.5 * (kY[i] - mean) * (kY[i] - mean) / variance;
}

QuietRun fit_of(const density::Model& model) {
  return QuietRun(model, {.num_chains = 4, .num_warmup = 500, .num_draws = 1000, .seed = 3});
}

void expect_exact(const Loo& loo, std::size_t row) {
  EXPECT_NEAR(loo.rows[row].elpd_loo, exact_row(row), 4.5 * loo.rows[row].mcse) << row;
}

TEST(loo_improve, moves_draws_to_where_an_outlier_is_left_out) {
  const auto model = model_from(kProgram, kData);
  const QuietRun run = fit_of(*model);
  Loo loo = loo_of(run.fit(), *model);
  ASSERT_EQ(loo.unreliable(), std::vector<Index>{9});
  EXPECT_GT(std::abs(loo.rows[9].elpd_loo - exact_row(9)), 0.3);  // weights alone are far off
  const Loo before = loo;
  match_unreliable_rows(loo, run.fit(), *model);
  EXPECT_TRUE(loo.unreliable().empty());
  EXPECT_EQ(loo.by[9], RowBy::moment_matching);
  EXPECT_LT(loo.rows[9].mcse, 0.2);
  for (std::size_t i = 0; i < kY.size(); ++i) expect_exact(loo, i);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(loo.rows[i].elpd_loo, before.rows[i].elpd_loo);
  EXPECT_NEAR(loo.elpd_loo.value - before.elpd_loo.value,
              loo.rows[9].elpd_loo - before.rows[9].elpd_loo, 1e-10);
}

// (1 + k) / sqrt(M) with M = 3 sqrt(4000) = 190: the limit 0.7 is reached from (0.7 - 2 / sqrt(190)) / (1 + 2 / sqrt(190)) = 0.4846 on.
TEST(loo_improve, doubts_rows_whose_k_is_below_the_limit_by_less_than_two_errors) {
  Loo loo;
  loo.num_draws = 4000;
  for (const double k : {0.2, 0.4840, 0.4850, 0.69, 0.71, kInfinity})
    loo.rows.push_back({.pareto_k = k, .p_waic = 0.1, .r_eff = 1.0});
  loo.rows.push_back({.pareto_k = kInfinity, .p_waic = 0.0, .r_eff = 1.0});
  loo.by.assign(loo.rows.size(), RowBy::psis);
  EXPECT_EQ(loo.unreliable(), (std::vector<Index>{5, 4}));
  EXPECT_EQ(loo.doubtful(), (std::vector<Index>{5, 4, 3, 2}));
  loo.by[3] = RowBy::refit;
  EXPECT_EQ(loo.doubtful(), (std::vector<Index>{5, 4, 2}));
  loo.by[2] = RowBy::moment_matching;  // its draws were moved to where the row is left out
  EXPECT_EQ(loo.doubtful(), (std::vector<Index>{5, 4}));
}

TEST(loo_improve, takes_fits_without_an_outlier) {
  const auto model = model_from(kProgram, kData);
  const QuietRun run = fit_of(*model);
  Loo loo = loo_of(run.fit(), *model);
  const std::vector<Fold> folds = single_folds(loo.unreliable());
  const std::vector<Refit> refits = refit_all(
      *model, folds, loo.point, {.run = {.num_chains = 2, .num_warmup = 500, .num_draws = 1000}});
  take_refits(loo, folds, refits);
  EXPECT_TRUE(loo.unreliable().empty());
  EXPECT_EQ(loo.by[9], RowBy::refit);
  for (std::size_t i = 0; i < kY.size(); ++i) expect_exact(loo, i);
}

TEST(loo_improve, leaves_a_row_whose_fit_failed) {
  const auto model = model_from(kProgram, kData);
  const QuietRun run = fit_of(*model);
  Loo loo = loo_of(run.fit(), *model);
  const std::vector<Fold> folds = single_folds(loo.unreliable());
  take_refits(loo, folds, std::vector<Refit>{{.failure = "no start was found"}});
  EXPECT_EQ(loo.unreliable(), std::vector<Index>{9});
}

// Weighted draws: leave-one-out figures of a population that tempers from the prior.
TEST(loo, weighs_draws_that_have_weights) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 2); y[1:9] ~ "
      "normal(mu, 1); }",
      kData);
  infer::SampleOptions options{
      .sampler = "importance", .num_chains = 1, .num_warmup = 0, .num_draws = 20'000, .seed = 3};
  const QuietRun run(*model, options);
  const Loo loo = loo_of(run.fit(), *model);
  EXPECT_TRUE(loo.unreliable().empty());
  for (std::size_t i = 0; i < 9; ++i) {
    double precision = 0.25, weighted = 0.0;
    for (std::size_t j = 0; j < 9; ++j)
      if (j != i) precision += 1.0, weighted += kY[j];
    const double mean = weighted / precision, variance = 1.0 / precision + 1.0;
    EXPECT_NEAR(
        loo.rows[i].elpd_loo,
        -0.5 * std::log(2.0 * M_PI * variance) - 0.5 * (kY[i] - mean) * (kY[i] - mean) / variance,
        4.5 * loo.rows[i].mcse);
  }
  Loo bad = loo;
  bad.rows[0].pareto_k = 2.0;
  EXPECT_THROW(match_unreliable_rows(bad, run.fit(), *model), Error);
}

}  // namespace
}  // namespace credo::results::loo_improve_test
