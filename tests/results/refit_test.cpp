// Fits without rows: against the closed forms of a normal mean, and what is done isn't done again.
#include "results/loo/refit.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "results/loo/folds.hpp"
#include "results/loo/leave_future_out.hpp"
#include "support/kept_work.hpp"
#include "support/text_model.hpp"

namespace credo::results::refit_test {
namespace {
using model::model_from;

const std::vector<double> kY = {0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 6.5};
constexpr const char* kData =
    R"({"N": 10, "y": [0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 6.5]})";
constexpr const char* kProgram =
    "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 2); y ~ "
    "normal(mu, "
    "1); }";
const std::vector<double> kPoint{0.0};

double log_normal(double y, double mean, double variance) {
  return -0.5 * std::log(2.0 * M_PI * variance) - 0.5 * (y - mean) * (y - mean) / variance;
}

// What is known of mu: its prior, then more and more of the data.
struct Normal {
  double mean = 0.0, variance = 4.0;
  void see(double y, double variance_of_y = 1.0) {
    const double precision = 1.0 / variance + 1.0 / variance_of_y;
    mean = (mean / variance + y / variance_of_y) / precision;
    variance = 1.0 / precision;
  }
};

// log p(asked | those not in without): one after another, each given those before.
double exact(std::span<const Index> without, std::span<const Index> asked) {
  Normal posterior;
  for (Index i = 0; i < ssize(kY); ++i)
    if (!std::binary_search(without.begin(), without.end(), i))
      posterior.see(kY[static_cast<std::size_t>(i)]);
  double sum = 0.0;
  for (const Index i : asked) {
    sum += log_normal(kY[static_cast<std::size_t>(i)], posterior.mean, posterior.variance + 1.0);
    posterior.see(kY[static_cast<std::size_t>(i)]);
  }
  return sum;
}

RefitOptions options_of(Index num_draws) {
  return {.run = {.num_chains = 2, .num_warmup = 300, .num_draws = num_draws},
          .num_threads = 2,
          .seed = 5};
}

void expect_exact(std::span<const Fold> folds, std::span<const Refit> refits) {
  for (std::size_t k = 0; k < folds.size(); ++k) {
    SCOPED_TRACE(k);
    ASSERT_EQ(refits[k].failure, "");
    EXPECT_LT(refits[k].r_hat, 1.02);
    for (std::size_t i = 0; i < folds[k].asked.size(); ++i) {
      const std::array one{folds[k].asked[i]};
      EXPECT_NEAR(refits[k].elpd[i], exact(folds[k].without, one), 4.5 * refits[k].mcse[i]);
      EXPECT_LT(refits[k].mcse[i], 0.2);
    }
    EXPECT_NEAR(refits[k].joint, exact(folds[k].without, folds[k].asked),
                4.5 * refits[k].joint_mcse);
  }
}

TEST(refits, find_the_density_of_each_row_given_the_others) {
  const auto model = model_from(kProgram, kData);
  std::vector<Fold> folds;
  for (Index i = 0; i < 10; ++i) folds.push_back({{i}, {i}});
  expect_exact(folds, refit_all(*model, folds, kPoint, options_of(2000)));
}

TEST(refits, find_the_density_of_folds_of_rows) {
  const auto model = model_from(kProgram, kData);
  const std::vector<Fold> folds = random_folds(10, 3, 7);
  expect_exact(folds, refit_all(*model, folds, kPoint, options_of(2000)));
}

// A mutant that fits the row it asks for: the density is too large by many errors.
TEST(refits, of_all_rows_would_be_rejected) {
  const auto model = model_from(kProgram, kData);
  const std::vector<Fold> wrong{{.without = {0}, .asked = {9}}};
  const Refit refit = refit_all(*model, wrong, kPoint, options_of(2000))[0];
  const std::array<Index, 1> row{9};
  EXPECT_GT(std::abs(refit.elpd[0] - exact(row, row)), 20.0 * refit.mcse[0]);
}

bool same(const Refit& a, const Refit& b) {
  return a.elpd == b.elpd && a.mcse == b.mcse && a.joint == b.joint && a.r_hat == b.r_hat;
}

using KeptRefits = testing::WorkFolder;

TEST_F(KeptRefits, give_the_same_numbers_on_any_number_of_threads_and_from_a_file) {
  const auto model = model_from(kProgram, kData);
  const std::vector<Fold> folds = random_folds(10, 5, 1);
  RefitOptions options = options_of(50);
  const std::vector<Refit> two = refit_all(*model, folds, kPoint, options);
  options.num_threads = 1;
  {
    Work work(of(1, 5));
    options.on_done = [&, keep = work.on_done<Refit>()](Index number, const Refit& refit) {
      if (number < 3) keep(number, refit);
    };
    const std::vector<Refit> one = refit_all(*model, folds, kPoint, options);
    for (std::size_t k = 0; k < folds.size(); ++k) EXPECT_TRUE(same(one[k], two[k])) << k;
  }
  Work work(of(1, 5));
  EXPECT_EQ(work.num_done(), 3);
  Index num_new = 0;
  options.done = work.done<Refit>();
  options.on_done = [&](Index, const Refit&) { ++num_new; };
  const std::vector<Refit> again = refit_all(*model, folds, kPoint, options);
  EXPECT_EQ(num_new, 2);
  for (std::size_t k = 0; k < folds.size(); ++k) EXPECT_TRUE(same(again[k], two[k])) << k;
}

TEST(refits, of_weighted_draws_count_by_their_weights_and_tell_how_heavy_these_are) {
  const auto model = model_from(kProgram, kData);
  const std::vector<Fold> folds = random_folds(10, 3, 7);
  RefitOptions options = options_of(20'000);
  EXPECT_TRUE(std::isnan(refit_all(*model, folds, kPoint, options_of(50))[0].pareto_k));
  options.run.sampler = "importance";
  options.run.num_warmup = 0;
  const std::vector<Refit> refits = refit_all(*model, folds, kPoint, options);
  for (std::size_t k = 0; k < folds.size(); ++k) {
    EXPECT_LT(refits[k].pareto_k, 0.7);
    for (std::size_t i = 0; i < folds[k].asked.size(); ++i) {
      const std::array one{folds[k].asked[i]};
      EXPECT_NEAR(refits[k].elpd[i], exact(folds[k].without, one), 4.5 * refits[k].mcse[i]);
    }
  }
}

TEST(refits, are_refused_for_terms_by_hand) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real mu; } model { target += -0.5 * dot_self(y - "
      "mu); }",
      kData);
  const std::vector<Fold> folds{{{0}, {0}}};
  EXPECT_THROW(refit_all(*model, folds, kPoint, options_of(10)), Error);
}

// ---- folds

std::vector<Index> all_rows(std::span<const Fold> folds) {
  std::vector<Index> rows;
  for (const Fold& fold : folds) rows.insert(rows.end(), fold.without.begin(), fold.without.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(folds, have_each_row_once_and_almost_the_same_size) {
  const std::vector<Fold> folds = random_folds(23, 5, 3);
  std::vector<Index> expected(23);
  std::iota(expected.begin(), expected.end(), Index{0});
  EXPECT_EQ(all_rows(folds), expected);
  for (const Fold& fold : folds) EXPECT_NEAR(double(fold.without.size()), 4.5, 0.5);
  EXPECT_NE(random_folds(23, 5, 4)[0].without, folds[0].without);
  EXPECT_THROW(random_folds(3, 4, 1), Error);
  EXPECT_THROW(random_folds(3, 1, 1), Error);
}

TEST(folds, of_strata_have_each_of_them_as_often_as_can_be) {
  const std::vector<Index> levels = {1, 1, 1, 1, 1, 1, 2, 2, 2, 7, 7, 7};
  for (const Fold& fold : stratified_folds(levels, 3, 2)) {
    std::map<Index, int> count;
    for (const Index row : fold.without) ++count[levels[static_cast<std::size_t>(row)]];
    EXPECT_EQ(count, (std::map<Index, int>{{1, 2}, {2, 1}, {7, 1}}));
  }
}

TEST(folds, of_groups_are_the_rows_of_each) {
  const std::vector<Index> groups = {4, -1, 4, 9, -1};
  const std::vector<Fold> folds = group_folds(groups);
  ASSERT_EQ(folds.size(), 3u);
  EXPECT_EQ(folds[0].without, (std::vector<Index>{1, 4}));
  EXPECT_EQ(folds[1].without, (std::vector<Index>{0, 2}));
  EXPECT_EQ(folds[2].asked, (std::vector<Index>{3}));
  EXPECT_THROW(group_folds(std::vector<Index>{1, 1}), Error);
  EXPECT_THROW(values_of_rows(groups, std::vector<Index>{5, 4}, "g"), Error);
  EXPECT_EQ(values_of_rows(groups, std::vector<Index>{5, 5}, "g").size(), 10u);
}

// ---- the future

FutureOptions future_options(Index first, Index ahead) {
  return {.first = first,
          .ahead = ahead,
          .run = {.num_chains = 2, .num_warmup = 300, .num_draws = 2000, .num_threads = 1},
          .seed = 4};
}

double exact_future(Index time, Index ahead) {
  std::vector<Index> without, asked;
  for (Index t = time; t < ssize(kY); ++t) without.push_back(t);
  for (Index t = time; t < time + ahead; ++t) asked.push_back(t);
  return exact(without, asked);
}

TEST(leave_future_out, predicts_each_time_from_those_before) {
  const auto model = model_from(kProgram, kData);
  for (const Index ahead : {1, 3}) {
    const auto steps = leave_future_out(*model, 1, 10, kPoint, future_options(3, ahead));
    ASSERT_EQ(ssize(steps), 10 - 3 - ahead + 1);
    Index num_fits = 0;
    for (const FutureStep& step : steps) {
      EXPECT_NEAR(step.elpd, exact_future(step.time, ahead), 4.5 * step.mcse) << step.time;
      EXPECT_LT(step.mcse, 0.25) << step.time;
      num_fits += step.is_refit() ? 1 : 0;
    }
    EXPECT_GE(num_fits, 1);
    EXPECT_LT(num_fits, ssize(steps));  // weights do the rest
  }
}

// A mutant that takes the draws of the first fit as they are: the suite tells it from the one with weights.
TEST(leave_future_out, would_be_rejected_without_weights) {
  const auto model = model_from(kProgram, kData);
  const auto steps = leave_future_out(*model, 1, 10, kPoint, future_options(3, 1));
  std::vector<Fold> folds;
  for (const FutureStep& step : steps) folds.push_back({{3, 4, 5, 6, 7, 8, 9}, {step.time}});
  const auto unweighted = refit_all(*model, folds, kPoint, options_of(2000));
  Index num_wrong = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const double distance = std::abs(unweighted[k].elpd[0] - exact_future(steps[k].time, 1));
    num_wrong += distance > 4.5 * unweighted[k].mcse[0] ? 1 : 0;
  }
  EXPECT_GE(num_wrong, 3);
}

TEST(leave_future_out, goes_on_to_the_same_numbers) {
  const auto model = model_from(kProgram, kData);
  FutureOptions options = future_options(3, 1);
  const auto whole = leave_future_out(*model, 1, 10, kPoint, options);
  for (Index k = 0; k < 4; ++k) options.done[k] = whole[static_cast<std::size_t>(k)];
  const auto again = leave_future_out(*model, 1, 10, kPoint, options);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_EQ(again[k].elpd, whole[k].elpd) << k;
    EXPECT_EQ(again[k].fitted_at, whole[k].fitted_at) << k;
  }
  EXPECT_THROW(leave_future_out(*model, 1, 10, kPoint, future_options(0, 1)), Error);
  EXPECT_THROW(leave_future_out(*model, 1, 10, kPoint, future_options(8, 3)), Error);
}

TEST(leave_future_out, takes_a_time_from_each_statement) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 2); y ~ "
      "normal(mu, "
      "2); y ~ normal(mu, 2); }",
      kData);
  const FutureStep step = leave_future_out(*model, 2, 10, kPoint, future_options(5, 1))[0];
  Normal posterior;
  for (std::size_t t = 0; t < 5; ++t) posterior.see(kY[t], 4.0), posterior.see(kY[t], 4.0);
  double sum = 0.0;
  for (int k = 0; k < 2; ++k) {
    sum += log_normal(kY[5], posterior.mean, posterior.variance + 4.0);
    posterior.see(kY[5], 4.0);
  }
  EXPECT_NEAR(step.elpd, sum, 4.5 * step.mcse);
}

}  // namespace
}  // namespace credo::results::refit_test
