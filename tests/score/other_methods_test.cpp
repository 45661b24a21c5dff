// Quantile regression, joint predictions, comparisons and regret, selective prediction.
#include "base/error.hpp"
#include "score/comparison.hpp"
#include "score/joint.hpp"
#include "score/poisson_binomial.hpp"
#include "score/quantile_regression.hpp"
#include "score/selective.hpp"
#include "score_data.hpp"

namespace credo::score::other_methods_test {
namespace {
constexpr double kRounding = 1e-12;

// --- Quantile regression --------------------------------------------------------------------------------
struct RegressionData {
  std::vector<double> design, outcomes;
};
RegressionData stored_regression() {
  const CsvColumns table = stored_table("regression.csv");
  RegressionData data{{}, table.numbers(0)};
  for (Index i = 0; i < table.num_rows(); ++i)
    for (const double x : {1.0, table.finite(i, 1), table.finite(i, 2)}) data.design.push_back(x);
  return data;
}

TEST(quantile_regression, is_that_of_scikit_learn) {
  const RegressionData data = stored_regression();
  for (const char* level : {"0.05", "0.5", "0.9"}) {
    const double gamma = std::stod(level);
    const QuantileFit fit = fit_quantile_regression(data.design, data.outcomes, gamma);
    const std::vector<double> b = expected(std::string("quantile_") + level);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(fit.coefficients[k], b[k], 1e-9) << level;  // of its solver
    EXPECT_NEAR(fit.loss / 90.0, expected(std::string("pinball_") + level)[0], kRounding);
    EXPECT_LE(fit.gap, 1e-9);
  }
}

// Ties and few values, where several vertices meet: no coefficients nearby have a lower loss, and the share of outcomes
// below and above is what optimality says: at most γ n below, at most (1 - γ) n above.
TEST(quantile_regression, is_optimal_for_outcomes_of_few_values) {
  Rng rng({.seed = testing::test_seed(30), .purpose = purpose::kTest});
  for (int k = 0; k < 50; ++k) {
    RegressionData data;
    for (int i = 0; i < 40; ++i) {
      data.design.insert(data.design.end(), {1.0, static_cast<double>(rng.index_below(3))});
      data.outcomes.push_back(static_cast<double>(rng.index_below(4)));
    }
    const double gamma = rng.uniform(0.1, 0.9);
    const QuantileFit fit = fit_quantile_regression(data.design, data.outcomes, gamma);
    const auto loss = [&](double a, double b) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 40; ++i)
        sum += pinball_loss(gamma, a + b * data.design[2 * i + 1], data.outcomes[i]);
      return sum;
    };
    EXPECT_NEAR(loss(fit.coefficients[0], fit.coefficients[1]), fit.loss, 1e-9);
    double best = kInfinity;  // over all lines through two points
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t j = 0; j < 40; ++j) {
        const double x = data.design[2 * i + 1], z = data.design[2 * j + 1];
        if (x == z) continue;
        const double b = (data.outcomes[j] - data.outcomes[i]) / (z - x);
        best = std::min(best, loss(data.outcomes[i] - b * x, b));
      }
    EXPECT_NEAR(fit.loss, best, 1e-7 * (1.0 + best));
    Index below = 0, above = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      const double rest =
          data.outcomes[i] - fit.coefficients[0] - fit.coefficients[1] * data.design[2 * i + 1];
      below += rest < -1e-6 ? 1 : 0, above += rest > 1e-6 ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(below), 40.0 * gamma + 1e-6);
    EXPECT_LE(static_cast<double>(above), 40.0 * (1.0 - gamma) + 1e-6);
  }
}

TEST(quantile_regression, of_a_constant_is_the_quantile) {
  const std::vector<double> ones(5, 1.0), y{3.0, 9.0, 1.0, 7.0, 5.0};
  EXPECT_NEAR(fit_quantile_regression(ones, y, 0.5).coefficients[0], 5.0, kRounding);
  EXPECT_NEAR(fit_quantile_regression(ones, y, 0.3).coefficients[0], 3.0, kRounding);
}

TEST(quantile_regression, refuses_columns_that_depend_on_each_other) {
  std::vector<double> design;
  for (int i = 0; i < 10; ++i)
    design.insert(design.end(), {1.0, static_cast<double>(i), 2.0 * i + 3.0});
  std::vector<double> y(10);
  std::iota(y.begin(), y.end(), 0.0);
  EXPECT_THROW(fit_quantile_regression(design, y, 0.5), Error);
}

// --- Joint predictions ----------------------------------------------------------------------------------
// A coin whose bias is 0.1 or 0.9, unknown: single tosses are as uncertain as those of a fair coin, pairs are not.
Predictions coin(std::span<const double> biases, const std::vector<int>& tosses, double true_bias) {
  Predictions all{.form = Form::likelihood};
  all.values.num_columns = ssize(biases);
  for (const int y : tosses) {
    std::vector<double> row;
    for (const double p : biases) row.push_back(std::log(y == 1 ? p : 1.0 - p));
    all.values.add(row);
    all.outcomes.push_back(y);
    all.log_true.push_back(std::log(y == 1 ? true_bias : 1.0 - true_bias));
  }
  return all;
}

TEST(joint_figure, tells_what_is_unknown_from_what_is_random) {
  const std::vector<int> tosses{1, 1, 1, 0, 1, 1, 1, 1, 1, 1};
  const Predictions unknown = coin(std::array{0.1, 0.9}, tosses, 0.9),
                    fair = coin(std::array{0.5}, tosses, 0.9);
  EXPECT_NEAR(joint_figure(unknown, 1).log_score, joint_figure(fair, 1).log_score, kRounding);
  EXPECT_NEAR(joint_figure(fair, 2).log_score, 2.0 * std::log(0.5), kRounding);
  const double same = std::log(0.5 * (0.81 + 0.01)), other = std::log(0.09);
  EXPECT_NEAR(joint_figure(unknown, 2).log_score, (4.0 * same + other) / 5.0, kRounding);
  EXPECT_NEAR(joint_figure(unknown, 0).cross_entropy,
              -std::log(0.5 * (std::pow(0.9, 9) * 0.1 + std::pow(0.1, 9) * 0.9)), kRounding);
}

// Over all outcomes of blocks of two, each as often as the distribution of the environment says: KL by its definition.
TEST(joint_figure, has_the_divergence_of_the_environment) {
  const double bias = 0.8;
  double exact = 0.0, found = 0.0;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      const double p = (a == 1 ? bias : 1.0 - bias) * (b == 1 ? bias : 1.0 - bias);
      const double q = 0.5 * ((a == 1 ? 0.3 : 0.7) * (b == 1 ? 0.3 : 0.7) +
                              (a == 1 ? 0.9 : 0.1) * (b == 1 ? 0.9 : 0.1));
      exact += p * std::log(p / q);
      found += p * joint_figure(coin(std::array{0.3, 0.9}, {a, b}, bias), 2).kl;
    }
  EXPECT_NEAR(found, exact, kRounding);
}

// E log p(y | E) - E log q(y | D): the divergence from the environment less that from the posterior predictive
// distribution, P, is the information I(E; y | D), whatever q is. Three environments by their posterior.
TEST(joint_figure, ranks_predictions_by_environment_as_by_the_posterior) {
  const std::vector<double> biases{0.1, 0.4, 0.9}, posterior{0.2, 0.5, 0.3};
  const auto divergences = [&](std::span<const double> q_biases) {
    double from_environment = 0.0, from_posterior = 0.0;
    for (int code = 0; code < 8; ++code) {
      const std::vector<int> y{code & 1, code >> 1 & 1, code >> 2 & 1};
      double p = 0.0;
      const auto likelihood = [&](double bias) {
        double product = 1.0;
        for (const int toss : y) product *= toss == 1 ? bias : 1.0 - bias;
        return product;
      };
      for (std::size_t e = 0; e < 3; ++e) p += posterior[e] * likelihood(biases[e]);
      const double log_q = joint_figure(coin(q_biases, y, 0.5), 3).log_score;
      from_posterior += p * (std::log(p) - log_q);
      for (std::size_t e = 0; e < 3; ++e)
        from_environment +=
            posterior[e] * likelihood(biases[e]) * joint_figure(coin(q_biases, y, biases[e]), 3).kl;
    }
    return std::pair{from_environment, from_posterior};
  };
  const auto a = divergences(std::array{0.2, 0.7}), b = divergences(std::array{0.5});
  EXPECT_NEAR(a.first - a.second, b.first - b.second, kRounding);
  EXPECT_LT(a.first, b.first);
}

// --- Two predictions ------------------------------------------------------------------------------------
TEST(compare, pairs_rows) {
  Predictions first{.form = Form::point}, second = first;
  first.values = {1, {1.0, 2.0, 3.0, 4.0}}, first.outcomes = {0.0, 2.0, 3.0, 6.0};
  second = first, second.values.values = {2.0, 2.0, 4.0, 4.0};
  const std::vector<Difference> found = compare(first, second);
  ASSERT_EQ(found.size(), 1u);  // rmse
  EXPECT_NEAR(found[0].difference, std::sqrt(5.0 / 4.0) - std::sqrt(9.0 / 4.0), kRounding);
  second.outcomes[2] = 7.0;
  EXPECT_THROW(compare(first, second), Error);
}

// Predictions of a coin by the mean of a Beta(1/2, 1/2) posterior of the tosses before [krichevsky1981]: the regret
// against the share of all tosses is at most log(n) / 2 + log 2.
TEST(regret, of_the_krichevsky_trofimov_forecaster_is_within_its_bound) {
  Rng rng({.seed = testing::test_seed(31), .purpose = purpose::kTest});
  for (const double bias : {0.02, 0.3, 0.5, 0.99}) {
    Predictions online = of_classes(2), hindsight = online;
    std::vector<int> tosses;
    double ones = 0.0;
    for (int t = 0; t < 500; ++t) {
      const double p = (ones + 0.5) / (t + 1.0);
      tosses.push_back(rng.uniform() < bias ? 1 : 0);
      add_distribution(online, distribution_of_probabilities({1.0 - p, p}));
      online.outcomes.push_back(tosses.back());
      ones += tosses.back();
    }
    for (int t = 0; t < 500; ++t)
      add_distribution(hindsight, distribution_of_probabilities({1.0 - ones / 500, ones / 500}));
    hindsight.outcomes = online.outcomes;
    const ScoreRow& log = find_score("log");
    const double found = regret(log, online, hindsight);
    EXPECT_GE(found, 0.0);
    EXPECT_LE(found, 0.5 * std::log(500.0) + std::log(2.0));
    const std::vector<double> losses = cumulative_loss(log, online);
    // The whole loss is less the log evidence, B(ones + 1/2, zeros + 1/2) / B(1/2, 1/2).
    EXPECT_NEAR(losses.back(),
                -(std::lgamma(ones + 0.5) + std::lgamma(500.5 - ones) - std::lgamma(501.0) -
                  std::log(M_PI)),
                1e-9);
    EXPECT_NEAR(losses.back() - found, cumulative_loss(log, hindsight).back(), 1e-9);
  }
}

TEST(distribution_distances, are_those_by_hand_and_by_integration) {
  Predictions first = of_classes(2), second = first;
  add_distribution(first, distribution_of_probabilities({0.64, 0.36})),
      add_distribution(second, distribution_of_probabilities({0.36, 0.64}));
  EXPECT_NEAR(distribution_distances(first, second).l2, std::sqrt(2.0) * 0.28, kRounding);
  EXPECT_NEAR(distribution_distances(first, second).hellinger, 2.0 * 2.0 * 0.04, kRounding);
  Predictions p{.form = Form::normal}, q = p;
  p.values = {2, {0.0, 1.0}}, q.values = {2, {1.0, 2.0}};
  double l2 = 0.0, hellinger = 0.0;
  constexpr double kStep = 1e-3;  // the trapezium rule of smooth functions that vanish at both ends
  const auto density = [](double x, double mean, double sd) {
    return std::exp(-0.5 * (x - mean) * (x - mean) / (sd * sd)) / (sd * std::sqrt(2.0 * M_PI));
  };
  for (double x = -20.0; x <= 22.0; x += kStep) {
    const double a = density(x, 0.0, 1.0), b = density(x, 1.0, 2.0);
    l2 += kStep * (a - b) * (a - b);
    hellinger += kStep * 2.0 * (std::sqrt(a) - std::sqrt(b)) * (std::sqrt(a) - std::sqrt(b));
  }
  EXPECT_NEAR(distribution_distances(p, q).l2, std::sqrt(l2), 1e-10);
  EXPECT_NEAR(distribution_distances(p, q).hellinger, hellinger, 1e-10);
}

// --- Selective prediction -------------------------------------------------------------------------------
TEST(selective_curve, is_the_accuracy_of_the_surest_rows) {
  Predictions all = of_classes(2);
  for (const auto& [p, y] : {std::pair{0.9, 1}, {0.8, 0}, {0.8, 1}, {0.6, 1}, {0.05, 0}}) {
    add_distribution(all, distribution_of_probabilities({1.0 - p, p}));
    all.outcomes.push_back(y);
  }
  const std::vector<SelectivePoint> curve = selective_curve(all);
  ASSERT_EQ(curve.size(), 4u);  // confidences 0.95, 0.9, 0.8 (twice), 0.6
  EXPECT_NEAR(curve[0].coverage, 0.2, kRounding);
  EXPECT_NEAR(curve[2].accuracy, 0.75, kRounding);
  EXPECT_NEAR(curve[3].accuracy, 0.8, kRounding);
  EXPECT_NEAR(area_under_risk(curve), 0.4 * 0.25 + 0.2 * 0.2, kRounding);
  EXPECT_EQ(at_coverage(curve, 0.85).num_predicted, 4);
}

// Confidence c is right with probability c²: the error of rows above t, c uniform on (1/2, 1), is 1 - ∫ c² / (1 - t).
double true_error(double threshold) {
  const double t = std::max(threshold, 0.5);
  return 1.0 - (1.0 - t * t * t) / (3.0 * (1.0 - t));
}
// Of 2000 repetitions, the share whose rule breaks its promise.
double share_broken(const std::function<double(const Predictions&)>& rule) {
  Rng rng({.seed = testing::test_seed(32), .purpose = purpose::kTest});
  int broken = 0;
  for (int k = 0; k < 2000; ++k) {
    Predictions all = of_classes(2);
    for (int i = 0; i < 400; ++i) {
      const double c = rng.uniform(0.5, 1.0);
      add_distribution(all, distribution_of_probabilities({c, 1.0 - c}));
      all.outcomes.push_back(rng.uniform() < c * c ? 0.0 : 1.0);
    }
    const double threshold = rule(all);
    broken += threshold < 1.0 && true_error(threshold) > 0.2 ? 1 : 0;
  }
  return broken / 2000.0;
}

TEST(selective_rule, keeps_the_error_below_its_bound) {
  EXPECT_LE(
      share_broken([](const Predictions& all) { return selective_rule(all, 0.2, 0.95).threshold; }),
      0.05 + 4.0 * std::sqrt(0.05 * 0.95 / 2000.0));
}

// The mutant takes the lowest threshold whose share of errors in the calibration rows is below the bound.
TEST(selective_rule, would_be_rejected_without_its_test) {
  const auto naive = [](const Predictions& all) {
    double threshold = 1.0;
    for (const SelectivePoint& point : selective_curve(all))
      if (1.0 - point.accuracy <= 0.2) threshold = point.threshold;
    return threshold;
  };
  EXPECT_GT(share_broken(naive), 0.3);
}

TEST(selective_rule, predicts_nothing_where_no_threshold_holds) {
  Predictions all = of_classes(2);
  for (int i = 0; i < 20; ++i) {
    add_distribution(all, distribution_of_probabilities({0.9, 0.1}));
    all.outcomes.push_back(i % 2);
  }
  EXPECT_EQ(selective_rule(all, 0.1, 0.95).threshold, kInfinity);
}

}  // namespace
}  // namespace credo::score::other_methods_test
