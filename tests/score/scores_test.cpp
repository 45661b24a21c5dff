// Scores against scikit-learn, closed forms and their definitions.
#include "score/scores.hpp"

#include "numerics/special.hpp"
#include "score/confusion.hpp"
#include "score_data.hpp"

namespace credo::score::scores_test {
namespace {
constexpr double kRounding = 1e-12;  // sums of some hundred terms, in another order

double mean_of_score(const char* name, const Predictions& all) {
  const ScoreRow& row = find_score(name);
  return figure_of(row, row_scores(row, all)).value;
}

Predictions normal_row(double mean, double sd, double outcome) {
  Predictions all{.form = Form::normal};
  all.values = {2, {mean, sd}}, all.outcomes = {outcome};
  return all;
}

// Simpson's rule.
double integral(double from, double to, const std::function<double(double)>& f) {
  constexpr int kSteps = 20'000;
  const double step = (to - from) / kSteps;
  double sum = f(from) + f(to);
  for (int k = 1; k < kSteps; ++k) sum += (k % 2 == 1 ? 4.0 : 2.0) * f(from + k * step);
  return sum * step / 3.0;
}

TEST(scores, are_those_of_scikit_learn) {
  const Predictions binary = stored("binary.csv"), three = stored("three.csv");
  EXPECT_NEAR(-mean_of_score("log", binary), expected("binary_log_loss")[0], kRounding);
  EXPECT_NEAR(mean_of_score("brier", binary), expected("binary_brier")[0], kRounding);
  EXPECT_NEAR(mean_of_score("accuracy", binary), expected("binary_accuracy")[0], kRounding);
  EXPECT_NEAR(-mean_of_score("log", three), expected("three_log_loss")[0], kRounding);
  EXPECT_NEAR(mean_of_score("brier", three), expected("three_brier")[0], kRounding);
  EXPECT_NEAR(mean_of_score("accuracy", three), expected("three_accuracy")[0], kRounding);
  CsvColumns table = stored_table("regression.csv");
  Predictions point{.form = Form::point};
  point.values.num_columns = 1, point.outcomes = table.numbers(0);
  for (const double x : table.numbers(1)) point.values.values.push_back(1.0 + 0.8 * x);
  EXPECT_NEAR(mean_of_score("rmse", point), expected("rmse")[0], kRounding);
}

TEST(crps, of_a_normal_distribution_is_the_integral_of_its_definition) {
  for (const auto& [mean, sd, y] :
       {std::array{0.0, 1.0, 0.3}, {1.0, 2.5, -4.0}, {-2.0, 0.4, -1.9}}) {
    const auto below = [&, m = mean, s = sd](double t) { return numerics::phi((t - m) / s); };
    // ∫ (F - 1[t >= y])²: beyond 12 standard deviations nothing is left but where y lies.
    const double lower = std::min(mean - 12.0 * sd, y), upper = std::max(mean + 12.0 * sd, y);
    const double exact =
        integral(lower, y, [&](double t) { return below(t) * below(t); }) +
        integral(y, upper, [&](double t) { return (1.0 - below(t)) * (1.0 - below(t)); });
    EXPECT_NEAR(crps_of_normal(mean, sd, y), exact, 1e-9);  // Simpson's error is h⁴
    EXPECT_NEAR(mean_of_score("crps", normal_row(mean, sd, y)), exact, 1e-9);
  }
}

TEST(crps, of_draws_is_the_double_sum_over_all_pairs) {
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest});
  for (const Index count : {1, 2, 7, 200}) {
    std::vector<double> draws;
    for (Index s = 0; s < count; ++s) draws.push_back(100.0 + rng.normal());
    draws.push_back(draws[0]);  // ties
    const double y = 100.0 + rng.normal();
    double near = 0.0, apart = 0.0;
    for (const double a : draws) {
      near += std::abs(a - y);
      for (const double b : draws) apart += std::abs(a - b);
    }
    const auto n = static_cast<double>(draws.size());
    const double exact = near / n - 0.5 * apart / (n * n);
    EXPECT_NEAR(energy_score(draws, std::array{y}), exact, kRounding);
    EXPECT_NEAR(crps_of_draws(draws, y), exact, kRounding);
  }
}

// The score of S draws from the distribution itself is that of the distribution plus its spread over 2 S, in the mean.
TEST(crps, of_many_draws_tends_to_that_of_their_distribution) {
  Rng rng({.seed = testing::test_seed(2), .purpose = purpose::kTest});
  std::vector<double> apart;
  for (int k = 0; k < 400; ++k) {
    std::vector<double> draws;
    for (int s = 0; s < 200; ++s) draws.push_back(rng.normal());
    apart.push_back(crps_of_draws(draws, 0.7) - crps_of_normal(0.0, 1.0, 0.7));
  }
  const Figure figure = mean_figure(apart);
  EXPECT_NEAR(figure.value, 1.0 / std::sqrt(M_PI) / 200.0, 4.5 * figure.error);  // E|X - X'| = 2/√π
}

TEST(energy_score, of_vectors_is_its_definition) {
  const std::vector<double> draws{0.0, 0.0, 3.0, 4.0}, y{0.0, 4.0};
  // |x - y| = 4 and 3, |x - x'| = 5 for two of four pairs.
  EXPECT_DOUBLE_EQ(energy_score(draws, y), 3.5 - 0.5 * 2.5);
}

TEST(interval_score, is_width_and_what_lies_outside) {
  EXPECT_DOUBLE_EQ(interval_score(1.0, 3.0, 0.9, 2.0), 2.0);
  EXPECT_NEAR(interval_score(1.0, 3.0, 0.9, 0.5), 2.0 + 20.0 * 0.5, kRounding);
  EXPECT_NEAR(interval_score(1.0, 3.0, 0.5, 7.0), 2.0 + 4.0 * 4.0, kRounding);
}

// The mean loss over outcomes is least at their quantile.
TEST(pinball_loss, is_least_at_the_quantile) {
  const std::vector<double> y{0.1, 0.4, 1.0, 2.0, 5.0, 6.0, 7.0, 8.0, 9.5, 12.0};
  const auto mean_loss = [&](double t) {
    double sum = 0.0;
    for (const double value : y) sum += pinball_loss(0.25, t, value);
    return sum;
  };
  for (double t = -1.0; t < 13.0; t += 0.25) EXPECT_GE(mean_loss(t), mean_loss(1.0) - kRounding);
  EXPECT_NEAR(pinball_loss(0.25, 1.0, 3.0), 0.5, kRounding);
  EXPECT_NEAR(pinball_loss(0.25, 3.0, 1.0), 1.5, kRounding);
}

TEST(label_smoothing, makes_the_target_of_the_source) {
  const std::vector<double> target = smoothed_target(3, 1, 0.3);
  EXPECT_NEAR(target[0], 0.1, kRounding);
  EXPECT_NEAR(target[1], 0.8, kRounding);
  EXPECT_NEAR(target[2], 0.1, kRounding);
}

// --- Proper: no other distribution has a better expected score ---------------------------------------------------

// Expected score of a prediction of classes where outcomes have the distribution `truth`.
double expected_score(const std::function<double(const Predictions&, Index)>& score,
                      const std::vector<double>& prediction, const std::vector<double>& truth) {
  Predictions all = of_classes(truth.size());
  double sum = 0.0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    add_distribution(all, distribution_of_probabilities(prediction));
    all.outcomes.push_back(static_cast<double>(k));
    sum += truth[k] * score(all, static_cast<Index>(k));
  }
  return sum;
}

// Whether some prediction on a grid of the simplex beats the truth.
bool truth_is_beaten(const std::function<double(const Predictions&, Index)>& score,
                     bool higher_is_better) {
  const std::vector<double> truth{0.5, 0.3, 0.2};
  const double sign = higher_is_better ? 1.0 : -1.0;
  const double best = sign * expected_score(score, truth, truth);
  for (int a = 1; a < 20; ++a)
    for (int b = 1; a + b < 20; ++b)
      if (sign * expected_score(score, {a / 20.0, b / 20.0, (20 - a - b) / 20.0}, truth) >
          best + 1e-9)
        return true;
  return false;
}

TEST(score_table, says_which_scores_of_classes_are_proper) {
  for (const ScoreRow* row : score_rows()) {
    const auto score = [&](const Predictions& all, Index i) { return row->of_row(all, i, {}); };
    if (row->applies(of_classes(3), {})) {
      EXPECT_EQ(truth_is_beaten(score, row->higher_is_better), !row->is_proper) << row->name;
    }
  }
}

TEST(score_table, would_be_rejected_with_a_score_that_is_linear_in_the_probability) {
  EXPECT_TRUE(truth_is_beaten(
      [](const Predictions& all, Index i) { return all.values[i][all.label(i)]; }, true));
}

// Outcomes are normal(0, 1), predictions normal distributions.
TEST(score_table, says_which_scores_of_distributions_are_proper) {
  const auto expected_of = [](const ScoreRow& row, double mean, double sd) {
    const double sum = integral(-9.0, 9.0, [&](double y) {
      return std::exp(-0.5 * y * y) / std::sqrt(2.0 * M_PI) *
             row.of_row(normal_row(mean, sd, y), 0, {});
    });
    return row.higher_is_better ? sum : -sum;
  };
  Index num_rows = 0;
  for (const ScoreRow* row : score_rows()) {
    if (!row->applies(normal_row(0, 1, 0), {})) continue;
    ++num_rows;
    const double best = expected_of(*row, 0.0, 1.0);
    for (const auto& [mean, sd] : {std::pair{0.3, 1.0}, {0.0, 0.8}, {0.0, 1.25}, {-0.2, 1.1}})
      EXPECT_LE(expected_of(*row, mean, sd), best + 1e-7) << row->name << " " << mean << " " << sd;
  }
  EXPECT_EQ(num_rows, 4);  // crps, interval, log, rmse
}

TEST(figure, of_a_root_has_the_error_of_the_root) {
  const ScoreRow& row = find_score("rmse");
  const std::vector<double> squares{1.0, 4.0, 9.0, 2.0};
  const Figure figure = figure_of(row, squares);
  EXPECT_DOUBLE_EQ(figure.value, 2.0);
  // sd² = 38/3, error of the mean sqrt(38 / 12), over 2 · 2.
  EXPECT_NEAR(figure.error, std::sqrt(38.0 / 12.0) / 4.0, kRounding);
}

TEST(log_score, of_draws_of_the_parameters_is_the_log_of_the_mean_likelihood) {
  Predictions all{.form = Form::likelihood};
  all.values = {3, {std::log(0.1), std::log(0.2), std::log(0.6)}}, all.outcomes = {0.0};
  EXPECT_NEAR(mean_of_score("log", all), std::log(0.3), kRounding);
}

// --- Classifiers ----------------------------------------------------------------------------------------
TEST(confusion, is_that_of_scikit_learn) {
  for (const char* name : {"binary", "three"}) {
    const Confusion confusion = confusion_of(stored(std::string(name) + ".csv"));
    const std::vector<double> counts = expected(std::string(name) + "_confusion");
    ASSERT_EQ(counts.size(), confusion.counts.size());
    for (std::size_t e = 0; e < counts.size(); ++e)
      EXPECT_EQ(static_cast<double>(confusion.counts[e]), counts[e]);
  }
  EXPECT_NEAR(error_rates_of(stored("binary.csv")).auc, expected("binary_auc")[0], kRounding);
}

// x has two values; p(x | class 0) = (0.8, 0.2), p(x | class 1) = (0.3, 0.7), shares 0.6 and 0.4: rows in these numbers, and
// probabilities by Bayes' rule from the log densities. C_kl = Σ_x p(x | k) p(l | x).
TEST(confusion, expected_of_a_generative_classifier_is_its_sum) {
  std::string text = "y,log_given_0,log_given_1\n";
  const auto add = [&](int y, double in_0, double in_1, int count) {
    for (int k = 0; k < count; ++k)
      text += std::to_string(y) + "," + std::to_string(std::log(in_0)) + "," +
              std::to_string(std::log(in_1)) + "\n";
  };
  add(0, 0.8, 0.3, 48), add(0, 0.2, 0.7, 12), add(1, 0.8, 0.3, 12), add(1, 0.2, 0.7, 28);
  ReadOptions options;
  options.class_prior = {0.6, 0.4};
  const Predictions all = read_predictions(CsvColumns(text, "rows.csv"), options);
  const double at_first = 0.48 / (0.48 + 0.12), at_second = 0.12 / (0.12 + 0.28);  // p(0 | x)
  const Confusion confusion = confusion_of(all);
  constexpr double kDigits = 1e-6;  // of std::to_string
  EXPECT_NEAR(confusion.expected[0], 0.8 * at_first + 0.2 * at_second, kDigits);
  EXPECT_NEAR(confusion.expected[2], 0.3 * at_first + 0.7 * at_second, kDigits);
  EXPECT_NEAR(0.6 * confusion.expected[1], 0.4 * confusion.expected[2],
              kDigits);  // balanced: f_k C_kl = f_l C_lk
  EXPECT_EQ(confusion.at(0, 0), 48);
  EXPECT_EQ(confusion.at(1, 0), 12);
}

TEST(error_rates, have_the_posteriors_of_beta_distributions) {
  Predictions all = of_classes(2);
  const auto add = [&](double p1, double y, int count) {
    for (int k = 0; k < count; ++k) {
      add_distribution(all, distribution_of_probabilities({1.0 - p1, p1}));
      all.outcomes.push_back(y);
    }
  };
  add(0.9, 1, 40), add(0.2, 1, 10), add(0.7, 0, 6), add(0.1, 0, 94);
  const ErrorRates rates = error_rates_of(all);
  EXPECT_EQ(rates.e0.a, 7.0);
  EXPECT_EQ(rates.e0.b, 95.0);  // Beta(1 + FP, 1 + N- - FP)
  EXPECT_EQ(rates.e1.a, 11.0);
  EXPECT_EQ(rates.e1.b, 41.0);                           // Beta(1 + FN, 1 + N+ - FN)
  EXPECT_NEAR(rates.e0.mode(), 6.0 / 100.0, kRounding);  // priors uniform: modes are shares
  EXPECT_NEAR(rates.e1.mode(), 10.0 / 50.0, kRounding);
  EXPECT_NEAR(rates.share_positive(), 1.0 / 3.0, kRounding);
  // P(X ≤ q) of Beta(1, 1): the identity.
  EXPECT_NEAR((BetaDistribution{1.0, 1.0}).quantile(0.3), 0.3, kRounding);
}

TEST(verdict_value, is_bayes_rule) {
  // f = 0.01, e0 = 0.05, e1 = 0.1: 0.009 / (0.009 + 0.0495).
  const VerdictValue value = verdict_value(0.01, 0.05, 0.1);
  EXPECT_NEAR(value.positive, 0.009 / 0.0585, kRounding);
  EXPECT_NEAR(value.negative, 0.9405 / 0.9415, kRounding);
}

// Classes with densities normal(0, 1) and normal(1, 1): Bayes' rule with other shares, from probabilities with the old ones.
TEST(class_shares, are_exchanged_by_bayes_rule) {
  const auto with_share = [](double share) {
    Predictions all = of_classes(2);
    for (double x = -2.0; x <= 3.0; x += 0.5)
      add_distribution(
          all, distribution_of_logits(std::vector{0.0, x - 0.5 + std::log(share / (1.0 - share))}));
    all.outcomes.assign(all.values.values.size() / 2, 0.0);
    return all;
  };
  const Predictions corrected =
      with_class_shares(with_share(0.5), std::array{0.5, 0.5}, std::array{0.9, 0.1});
  const Predictions exact = with_share(0.1);
  for (std::size_t e = 0; e < exact.values.values.size(); ++e)
    EXPECT_NEAR(corrected.values.values[e], exact.values.values[e], kRounding);
}

}  // namespace
}  // namespace credo::score::scores_test
