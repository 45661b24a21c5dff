// Conformal sets: what they are by hand, and that they hold the outcome in 10,000 repetitions as often as they promise.
#include "score/conformal.hpp"

#include "base/error.hpp"
#include "numerics/special.hpp"
#include "score/density_ratio.hpp"
#include "score/full_conformal.hpp"
#include "score_data.hpp"

namespace credo::score::conformal_test {
namespace {
constexpr int kRepetitions = 10'000;
constexpr Index kCalibration = 20;  // 21 · 0.9 = 18.9: the 19th of 20, of 21 with the new one
constexpr double kLevel = 0.9;

double error_of(double share) { return std::sqrt(share * (1.0 - share) / kRepetitions); }

// --- Ranks ----------------------------------------------------------------------------------------------
TEST(conformal_rank, is_the_least_whole_number_above_the_product) {
  EXPECT_EQ(conformal_rank(20, 0.9), 19);
  EXPECT_EQ(conformal_rank(19, 0.9), 18);  // 20 · 0.9 is 18, and isn't rounded up to 19
  EXPECT_EQ(conformal_rank(99, 0.95), 95);
  EXPECT_EQ(conformal_rank(9, 0.95), 10);
  for (const Index n : {9, 19, 49, 99, 199, 999, 9999})
    EXPECT_EQ(conformal_rank(n, 0.9), 9 * (n + 1) / 10) << n;
}

TEST(conformal_threshold, is_the_score_of_that_rank) {
  const std::vector<double> scores{5, 1, 4, 2, 3, 9, 8, 7, 6};
  EXPECT_EQ(conformal_threshold(scores, 0.5), 5.0);
  EXPECT_EQ(conformal_threshold(scores, 0.9), 9.0);
  EXPECT_EQ(conformal_threshold(scores, 0.95), kInfinity);
}

TEST(weighted_threshold, of_equal_weights_is_the_plain_one) {
  Rng rng({.seed = testing::test_seed(20), .purpose = purpose::kTest});
  std::vector<double> scores;
  for (int i = 0; i < 57; ++i) scores.push_back(rng.normal());
  const std::vector<double> weights(57, 0.3);
  for (const double level : {0.05, 0.5, 0.9, 0.95, 0.983, 0.99})
    EXPECT_EQ(weighted_threshold(scores, weights, 0.3, level), conformal_threshold(scores, level))
        << level;
}

TEST(weighted_threshold, adds_up_weights_in_the_order_of_scores) {
  // Sum 10 with the new row's: 0.4 is reached by the second, 0.9 by none.
  const std::vector<double> scores{3, 1, 2}, weights{4, 1, 3};
  EXPECT_EQ(weighted_threshold(scores, weights, 2.0, 0.1), 1.0);
  EXPECT_EQ(weighted_threshold(scores, weights, 2.0, 0.4), 2.0);
  EXPECT_EQ(weighted_threshold(scores, weights, 2.0, 0.8), 3.0);
  EXPECT_EQ(weighted_threshold(scores, weights, 2.0, 0.9), kInfinity);
}

// --- Sets by hand ---------------------------------------------------------------------------------------
TEST(softmax_sets, hold_classes_above_a_probability) {
  Predictions all = of_classes(3);
  add_distribution(all, distribution_of_probabilities({0.6, 0.3, 0.1}));
  const OutcomeSet set = find_conformal("softmax").set(all, 0, 0.7, {});
  EXPECT_EQ(set.classes, (std::vector<Index>{0, 1}));  // p >= 0.3
  EXPECT_TRUE(find_conformal("softmax").set(all, 0, 0.3, {}).classes.empty());
}

TEST(aps_sets, add_classes_until_the_threshold_is_covered) {
  Predictions all = of_classes(4);
  add_distribution(all, distribution_of_probabilities({0.1, 0.5, 0.15, 0.25}));
  const ConformalRow& aps = find_conformal("aps");
  EXPECT_NEAR(aps.score(all, 0, 1.0, {}), 0.5, 1e-15);
  EXPECT_NEAR(aps.score(all, 0, 2.0, {}), 0.9, 1e-15);
  EXPECT_EQ(aps.set(all, 0, 0.8, {.strict = true}).classes, (std::vector<Index>{1, 3}));
  EXPECT_EQ(aps.set(all, 0, 0.8, {}).classes,
            (std::vector<Index>{1, 2, 3}));  // with the one that crosses
  EXPECT_EQ(aps.set(all, 0, 0.75, {}).classes, (std::vector<Index>{1, 3}));  // covered already
  EXPECT_TRUE(aps.set(all, 0, 0.4, {.strict = true}).classes.empty());
  EXPECT_EQ(aps.set(all, 0, 0.4, {}).classes, (std::vector<Index>{1}));
  EXPECT_EQ(aps.set(all, 0, kInfinity, {}).classes.size(), 4u);
}

TEST(cqr_sets, widen_and_narrow_the_interval_between_quantiles) {
  Predictions all{.form = Form::quantiles};
  all.levels = {0.05, 0.5, 0.95}, all.values = {3, {1.0, 2.0, 4.0}}, all.outcomes = {kNaN};
  const ConformalRow& cqr = find_conformal("cqr");
  EXPECT_DOUBLE_EQ(cqr.score(all, 0, 4.5, {}), 0.5);
  EXPECT_DOUBLE_EQ(cqr.score(all, 0, 3.0, {}), -1.0);
  EXPECT_DOUBLE_EQ(cqr.set(all, 0, 0.5, {}).lower, 0.5);
  EXPECT_DOUBLE_EQ(cqr.set(all, 0, -0.5, {}).upper, 3.5);
  EXPECT_GT(cqr.set(all, 0, -2.0, {}).lower, cqr.set(all, 0, -2.0, {}).upper);  // empty
}

TEST(bayes_sets, of_a_normal_distribution_are_where_its_density_is_above_the_threshold) {
  Predictions all{.form = Form::normal};
  all.values = {2, {1.0, 2.0}}, all.outcomes = {kNaN};
  const ConformalRow& bayes = find_conformal("bayes");
  const double threshold = bayes.score(all, 0, 3.5, {});
  const OutcomeSet set = bayes.set(all, 0, threshold, {});
  EXPECT_NEAR(set.upper, 3.5, 1e-12);
  EXPECT_NEAR(set.lower, -1.5, 1e-12);
  EXPECT_NEAR(-threshold, std::exp(-0.5 * 1.25 * 1.25) / (2.0 * std::sqrt(2.0 * M_PI)), 1e-15);
  EXPECT_GT(bayes.set(all, 0, -1.0, {}).lower, 0.0);  // no density is so high: empty
}

// --- Coverage -------------------------------------------------------------------------------------------
// Predictions that are wrong in every way: y is skewed and its spread depends on x; distributions are narrow and
// shifted.
void add_wrong_row(Predictions& all, double x, Rng& rng) {
  const double y = x * x + (0.5 + std::abs(x)) * rng.exponential();
  const double mean = 0.6 * x, sd = 0.3 + 0.2 * std::abs(x);
  all.outcomes.push_back(y);
  if (all.form == Form::normal) return all.values.add(std::array{mean, sd});
  all.values.add(std::array{mean - sd, mean + sd});
}
Predictions empty_predictions(Form form) {
  if (form == Form::classes) return of_classes(4);
  Predictions all{.form = form};
  all.values.num_columns = 2;
  if (form == Form::quantiles) all.levels = {0.05, 0.95};
  return all;
}
Predictions drawn(Form form, Index count, Rng& rng) {
  Predictions all = empty_predictions(form);
  for (Index i = 0; i < count; ++i)
    if (form == Form::classes)
      add_drawn_row(all, -0.3, rng);  // the likeliest class is the least likely one
    else
      add_wrong_row(all, rng.normal(), rng);
  return all;
}

using Threshold = std::function<double(std::span<const double> scores)>;
// Of 10,000 repetitions, each with calibration rows and a new one of its own, the share whose set holds the outcome.
double coverage(const ConformalRow& method, Form form, const Threshold& threshold,
                std::uint64_t seed) {
  Rng rng({.seed = testing::test_seed(seed), .purpose = purpose::kTest});
  const ConformalOptions options{.level = kLevel};
  int covered = 0;
  for (int k = 0; k < kRepetitions; ++k) {
    const Predictions all = drawn(form, kCalibration + 1, rng);
    std::vector<double> scores;
    for (Index i = 0; i < kCalibration; ++i)
      scores.push_back(method.score(all, i, all.outcome(i), options));
    covered += holds(method.set(all, kCalibration, threshold(scores), options), all,
                     all.outcome(kCalibration))
                   ? 1
                   : 0;
  }
  return static_cast<double>(covered) / kRepetitions;
}
double with_correction(std::span<const double> scores) {
  return conformal_threshold(scores, kLevel);
}
// The mutant: the empirical quantile of the scores, as if the new row weren't one of n + 1.
double without_correction(std::span<const double> scores) {
  std::vector<double> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(std::ceil(kLevel * static_cast<double>(sorted.size()))) -
                1];
}

struct Case {
  const char* method;
  Form form;
  bool exact;  // scores have no ties: k / (n + 1) of sets hold the outcome
};
constexpr std::array kCases{
    Case{"aps", Form::classes, false},  Case{"bayes", Form::classes, true},
    Case{"bayes", Form::normal, true},  Case{"cqr", Form::normal, true},
    Case{"cqr", Form::quantiles, true}, Case{"softmax", Form::classes, true},
    Case{"split", Form::normal, true},  Case{"variance", Form::normal, true}};

TEST(conformal_sets, hold_the_outcome_as_often_as_they_promise) {
  const double exact = 19.0 / 21.0;
  std::map<std::string, int> tried;
  for (const Case& one : kCases) {
    const double share = coverage(find_conformal(one.method), one.form, with_correction, 21);
    EXPECT_GE(share, kLevel - 4.0 * error_of(kLevel)) << one.method;
    if (one.exact) {
      EXPECT_NEAR(share, exact, 4.0 * error_of(exact)) << one.method;
    }
    ++tried[one.method];
  }
  EXPECT_EQ(tried.size(), conformal_rows().size());
}

// 18 / 21 is 0.857.
TEST(conformal_sets, would_be_rejected_without_the_correction_for_a_finite_sample) {
  for (const Case& one : kCases)
    if (one.exact) {
      EXPECT_LT(coverage(find_conformal(one.method), one.form, without_correction, 21),
                kLevel - 4.0 * error_of(kLevel))
          << one.method;
    }
}

TEST(conformal_predictor, knows_its_coverage) {
  Rng rng({.seed = testing::test_seed(22), .purpose = purpose::kTest});
  const ConformalPredictor predictor(find_conformal("split"),
                                     drawn(Form::normal, kCalibration, rng), {.level = kLevel});
  EXPECT_NEAR(predictor.exact_coverage(), 19.0 / 21.0, 1e-15);
  const ConformalPredictor few(find_conformal("split"), drawn(Form::normal, 5, rng),
                               {.level = kLevel});
  EXPECT_EQ(few.exact_coverage(), 1.0);
  EXPECT_EQ(few.threshold(drawn(Form::normal, 1, rng), 0), kInfinity);
}

// Calibration rows have x ~ normal(0, 1), new ones normal(1, 1), where predictions are worse: weights exp(x - 1/2).
double coverage_where_x_is_shifted(bool weighted) {
  Rng rng({.seed = testing::test_seed(23), .purpose = purpose::kTest});
  const ConformalRow& method = find_conformal("split");
  const auto weight = [](double x) { return std::exp(x - 0.5); };
  int covered = 0;
  for (int k = 0; k < kRepetitions; ++k) {
    Predictions rows = empty_predictions(Form::normal), fresh = rows;
    for (Index i = 0; i < 60; ++i) {
      const double x = rng.normal();
      add_wrong_row(rows, x, rng);
      if (weighted) rows.weights.push_back(weight(x));
    }
    const double x = 1.0 + rng.normal();
    add_wrong_row(fresh, x, rng);
    if (weighted) fresh.weights.push_back(weight(x));
    const ConformalPredictor predictor(method, rows, {.level = kLevel});
    covered += holds(predictor.set(fresh, 0), fresh, fresh.outcome(0)) ? 1 : 0;
  }
  return static_cast<double>(covered) / kRepetitions;
}

TEST(weighted_conformal_sets, hold_the_outcome_where_covariates_are_shifted) {
  EXPECT_GE(coverage_where_x_is_shifted(true), kLevel - 4.0 * error_of(kLevel));
}

// log p_new - log p_old = x - 1/2 for normal(1, 1) and normal(0, 1): the logistic regression is right, and its
// coefficients have errors of the inverse information, 4 / sqrt(N) or less here.
TEST(density_ratios, find_the_ratio_of_two_normal_distributions) {
  Rng rng({.seed = testing::test_seed(27), .purpose = purpose::kTest});
  constexpr Index kRows = 20'000;
  std::vector<double> old_rows, new_rows;
  for (Index i = 0; i < kRows; ++i) {
    old_rows.insert(old_rows.end(), {1.0, rng.normal()});
    if (i % 2 == 0) new_rows.insert(new_rows.end(), {1.0, 1.0 + rng.normal()});
  }
  const DensityRatios ratios = density_ratios(old_rows, new_rows, 2);
  EXPECT_NEAR(ratios.coefficients[0], -0.5 - std::log(2.0), 4.5 * 4.0 / std::sqrt(kRows));
  EXPECT_NEAR(ratios.coefficients[1], 1.0, 4.5 * 4.0 / std::sqrt(kRows));
  // The mean of the ratio over old rows is 1.
  EXPECT_NEAR(std::accumulate(ratios.of_old.begin(), ratios.of_old.end(), 0.0) / kRows, 1.0, 0.1);
  const std::vector<double> low{1.0, 0.0, 1.0, 1.0}, high{1.0, 2.0, 1.0, 3.0};
  EXPECT_THROW(density_ratios(low, high, 2), Error);  // told apart
}

TEST(weighted_conformal_sets, would_be_rejected_without_weights) {
  EXPECT_LT(coverage_where_x_is_shifted(false), kLevel - 4.0 * error_of(kLevel));
}

TEST(set_figures, count_what_sets_hold) {
  Predictions all{.form = Form::normal};
  all.values = {2, std::vector<double>(8, 1.0)}, all.outcomes = {0.0, 5.0, 1.0, kNaN};
  const std::vector<OutcomeSet> sets{
      {{}, -1.0, 1.0}, {{}, -1.0, 1.0}, {}, {{}, -kInfinity, kInfinity}};
  const SetFigures figures = figures_of(sets, all);
  EXPECT_NEAR(figures.coverage, 1.0 / 3.0, 1e-15);
  EXPECT_EQ(figures.num_empty, 1);
  EXPECT_EQ(figures.num_whole, 1);
  EXPECT_EQ(figures.mean_size, kInfinity);
}

// --- Full conformal prediction --------------------------------------------------------------------------
TEST(full_conformal_p, is_the_share_of_rows_that_conform_no_better) {
  EXPECT_EQ(full_conformal_p(std::array{0.1, 0.5, 0.3, 0.4}), 0.75);
  EXPECT_EQ(full_conformal_p(std::array{0.1, 0.5, 0.3, 0.0}), 0.25);
}

// y_i ~ normal(mu, 1), mu flat: with a candidate, mu ~ normal(mean of all, 1 / (n + 1)) and the predictive density falls with the
// distance from that mean: the refit in closed form.
double exact_p(std::span<const double> y, double candidate) {
  std::vector<double> all(y.begin(), y.end());
  all.push_back(candidate);
  const double mean =
      std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  std::vector<double> conformities;
  for (const double x : all) conformities.push_back(-std::abs(x - mean));
  return full_conformal_p(conformities);
}

double log_normal(double y, double mu) { return -0.5 * (y - mu) * (y - mu); }

class NormalMean {
 public:
  NormalMean(std::vector<double> y, Index num_draws, Rng& rng) : y_(std::move(y)) {
    const auto n = static_cast<double>(y_.size());
    const double mean = std::accumulate(y_.begin(), y_.end(), 0.0) / n;
    for (Index s = 0; s < num_draws; ++s) mu_.push_back(mean + rng.normal() / std::sqrt(n));
  }
  Rows rows() const {
    Rows rows{.num_columns = ssize(mu_)};
    for (const double y : y_) rows.add(row(y));
    return rows;
  }
  std::vector<double> row(double y) const {
    std::vector<double> values;
    for (const double mu : mu_) values.push_back(log_normal(y, mu));
    return values;
  }

 private:
  std::vector<double> y_, mu_;
};

// The rank changes where two rows conform equally; draws place that within their Monte Carlo error. Between the places the
// answers are the same.
TEST(add_one_in, ranks_candidates_as_the_refit_does) {
  Rng rng({.seed = testing::test_seed(24), .purpose = purpose::kTest});
  const std::vector<double> y{0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5};
  const NormalMean model(y, 20'000, rng);
  const AddOneIn add_one_in(model.rows());
  Index same = 0, num_candidates = 0;
  for (double candidate = -4.0; candidate <= 5.0; candidate += 0.05) {
    const AddOneIn::Candidate found = add_one_in.judge(model.row(candidate));
    const double exact = exact_p(y, candidate);
    ++num_candidates, same += found.p_value == exact ? 1 : 0;
    EXPECT_NEAR(found.p_value, exact, 1.0 / 11.0 + 1e-12) << candidate;  // one place
    EXPECT_GT(found.ess, 2000.0);
  }
  EXPECT_GE(same, num_candidates * 9 / 10);
}

// Coverage of the exact refit and of the weighted draws; the model is wrong: outcomes are exponential.
double full_coverage(bool by_draws, bool with_own_row, int repetitions) {
  Rng rng({.seed = testing::test_seed(25), .purpose = purpose::kTest});
  int covered = 0;
  for (int k = 0; k < repetitions; ++k) {
    std::vector<double> y;
    for (Index i = 0; i < 9; ++i) y.push_back(2.0 * rng.exponential());
    const double candidate = 2.0 * rng.exponential();
    double p = kNaN;
    if (by_draws) {
      const NormalMean model(y, 400, rng);
      p = AddOneIn(model.rows()).judge(model.row(candidate)).p_value;
    } else if (with_own_row) {
      p = exact_p(y, candidate);
    } else {  // the mutant: the mean hasn't seen the candidate
      const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
      std::vector<double> conformities;
      for (const double x : y) conformities.push_back(-std::abs(x - mean));
      conformities.push_back(-std::abs(candidate - mean));
      p = full_conformal_p(conformities);
    }
    covered += p > 0.2 + 1e-12 ? 1 : 0;
  }
  return static_cast<double>(covered) / repetitions;
}

TEST(full_conformal_sets, hold_the_outcome_as_often_as_they_promise) {
  EXPECT_NEAR(full_coverage(false, true, kRepetitions), 0.8, 4.0 * error_of(0.8));  // 8 of 10 ranks
  EXPECT_GE(full_coverage(true, true, kRepetitions), 0.8 - 4.0 * error_of(0.8));
}

TEST(full_conformal_sets, would_be_rejected_where_the_candidate_is_not_added) {
  EXPECT_LT(full_coverage(false, false, kRepetitions), 0.8 - 4.0 * error_of(0.8));
}

TEST(conformal_predictor, refuses_predictions_that_lack_what_it_needs) {
  Rng rng({.seed = testing::test_seed(26), .purpose = purpose::kTest});
  const Predictions normal = drawn(Form::normal, 5, rng), classes = drawn(Form::classes, 5, rng);
  EXPECT_THROW(ConformalPredictor(find_conformal("aps"), normal, {}), Error);
  EXPECT_THROW(ConformalPredictor(find_conformal("cqr"), classes, {}), Error);
  EXPECT_THROW(find_conformal("nothing"), Error);
}

}  // namespace
}  // namespace credo::score::conformal_test
