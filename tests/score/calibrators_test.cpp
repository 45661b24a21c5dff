// Recalibration against scikit-learn, scipy and definitions.
#include "score/calibrators.hpp"

#include "base/error.hpp"
#include "score/scores.hpp"
#include "score_data.hpp"

namespace credo::score::calibrators_test {
namespace {

double log_loss(const Predictions& all) {
  const ScoreRow& row = find_score("log");
  return -figure_of(row, row_scores(row, all)).value;
}

std::unique_ptr<Calibrator> fitted(const char* name, const Predictions& all,
                                   const CalibratorOptions& options = {}) {
  return find_calibrator(name).fit(all, options);
}

// scikit-learn and scipy end where gradients are below 1e-9 or so; parameters are as exact as that over the curvature.
constexpr double kReference = 1e-6;

TEST(calibrators, have_the_parameters_of_the_reference) {
  const Predictions binary = stored("binary.csv"), three = stored("three.csv");
  const auto platt = fitted("platt", part_of_rows(binary, 0, 120));
  EXPECT_NEAR(platt->parameters()[0].value, expected("platt")[0], kReference);
  EXPECT_NEAR(platt->parameters()[1].value, expected("platt")[1], kReference);
  EXPECT_NEAR(log_loss(recalibrated(part_of_rows(binary, 120, 240), *platt)),
              expected("platt_log_loss")[0], kReference);
  EXPECT_NEAR(fitted("temperature", part_of_rows(three, 0, 150))->parameters()[0].value,
              expected("temperature")[0], kReference);
  const auto vector = fitted("vector", part_of_rows(three, 0, 150))->parameters();
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(vector[k].value, expected("vector")[k], kReference) << vector[k].name;
}

TEST(calibrators, have_the_probabilities_of_a_multinomial_regression_by_matrix_scaling) {
  const Predictions three = stored("three.csv");
  const Predictions found =
      recalibrated(part_of_rows(three, 150, 300), *fitted("matrix", part_of_rows(three, 0, 150)));
  const std::vector<double> p = expected("matrix_probabilities");
  for (std::size_t e = 0; e < p.size(); ++e) EXPECT_NEAR(found.values.values[e], p[e], 1e-5);
  EXPECT_NEAR(log_loss(found), expected("matrix_log_loss")[0], 1e-5);  // newton-cg ends earlier
}

TEST(calibrators, have_the_values_of_isotonic_regression) {
  const Predictions rows = part_of_rows(stored("binary.csv"), 0, 120);
  const Predictions found = recalibrated(rows, *fitted("isotonic", rows));
  const std::vector<double> p = expected("isotonic");
  for (Index i = 0; i < 120; ++i)
    EXPECT_NEAR(found.values[i][1], p[static_cast<std::size_t>(i)], 1e-12);
}

// max over lower sets of min over upper sets of the mean between [robertson1988, th. 1.4.4].
TEST(isotonic, is_the_max_min_of_means) {
  Rng rng({.seed = testing::test_seed(13), .purpose = purpose::kTest});
  std::vector<double> y, w;
  for (int i = 0; i < 25; ++i)
    y.push_back(rng.normal() + 0.05 * i), w.push_back(rng.uniform() + 0.1);
  const std::vector<double> found = isotonic(y, w);
  const auto mean = [&](std::size_t a, std::size_t b) {
    double sum = 0.0, weight = 0.0;
    for (std::size_t i = a; i <= b; ++i) sum += w[i] * y[i], weight += w[i];
    return sum / weight;
  };
  for (std::size_t i = 0; i < y.size(); ++i) {
    double best = -kInfinity;
    for (std::size_t a = 0; a <= i; ++a) {
      double least = kInfinity;
      for (std::size_t b = i; b < y.size(); ++b) least = std::min(least, mean(a, b));
      best = std::max(best, least);
    }
    EXPECT_NEAR(found[i], best, 1e-12);
  }
}

TEST(histogram, is_the_share_of_events_in_each_bin) {
  Predictions all = of_classes(2);
  for (const auto& [p, y] :
       {std::pair{0.1, 0}, {0.15, 1}, {0.2, 0}, {0.6, 1}, {0.7, 1}, {0.9, 0}}) {
    add_distribution(all, distribution_of_probabilities({1.0 - p, p}));
    all.outcomes.push_back(y);
  }
  const Predictions found = recalibrated(all, *fitted("histogram", all, {.num_bins = 2}));
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(found.values[i][1], 1.0 / 3.0, 1e-15);
  for (Index i = 3; i < 6; ++i) EXPECT_NEAR(found.values[i][1], 2.0 / 3.0, 1e-15);
}

// Each bin's value is the mean of Platt's probabilities in it, so the mean over rows is the mean of Platt's.
TEST(scaling_binning, has_the_mean_of_platt) {
  const Predictions rows = part_of_rows(stored("binary.csv"), 0, 120);
  const Predictions smooth = recalibrated(rows, *fitted("platt", rows));
  const Predictions steps = recalibrated(rows, *fitted("scaling-binning", rows, {.num_bins = 7}));
  double by_platt = 0.0, by_steps = 0.0;
  std::map<double, std::vector<double>> bins;
  for (Index i = 0; i < 120; ++i) {
    by_platt += smooth.values[i][1], by_steps += steps.values[i][1];
    bins[steps.values[i][1]].push_back(smooth.values[i][1]);
  }
  EXPECT_EQ(bins.size(), 7u);
  for (const auto& [value, own] : bins)
    EXPECT_NEAR(std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(own.size()),
                value, 1e-12);
  EXPECT_NEAR(by_platt, by_steps, 1e-10);
}

TEST(temperature, keeps_the_likeliest_class) {
  const Predictions three = stored("three.csv");
  const Predictions found = recalibrated(three, *fitted("temperature", three));
  for (Index i = 0; i < three.num_rows(); ++i)
    EXPECT_EQ(likeliest_class(found, i), likeliest_class(three, i));
}

// Every map gives probabilities, and, fitted to many rows whose logits are too large, better ones for other rows.
TEST(calibrator_table, improves_predictions_that_are_too_sure) {
  for (const std::size_t num_classes : {2, 3}) {
    Rng rng({.seed = testing::test_seed(14), .purpose = purpose::kTest});
    Predictions rows = of_classes(num_classes), others = rows;
    for (int i = 0; i < 1500; ++i) add_drawn_row(rows, 0.4, rng), add_drawn_row(others, 0.4, rng);
    for (const CalibratorRow* row : calibrator_rows()) {
      const Predictions found = recalibrated(others, *row->fit(rows, {}));
      for (Index i = 0; i < found.num_rows(); ++i) {
        const std::span<const double> p = found.values[i];
        EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1.0, 1e-12) << row->name;
        EXPECT_GE(*std::min_element(p.begin(), p.end()), 0.0) << row->name;
      }
      const ScoreRow& brier = find_score("brier");
      EXPECT_LT(figure_of(brier, row_scores(brier, found)).value,
                figure_of(brier, row_scores(brier, others)).value - 0.005)
          << row->name;
      EXPECT_LT(class_calibration(found).ece, class_calibration(others).ece / 2.0) << row->name;
    }
  }
}

TEST(smoothed_labels, keep_the_slope_finite_where_classes_are_told_apart) {
  Predictions all = of_classes(2);
  for (const double z : {-3.0, -1.0, 1.0, 2.0}) {
    add_distribution(all, distribution_of_logits(std::array{0.0, z}));
    all.outcomes.push_back(z > 0.0 ? 1.0 : 0.0);
  }
  for (const char* name : {"platt", "temperature"}) {
    EXPECT_THROW(fitted(name, all), Error) << name;
    EXPECT_NO_THROW(fitted(name, all, {.smoothing = 0.1})) << name;
    EXPECT_NO_THROW(fitted(name, all, {.ridge = 0.01})) << name;
  }
  // σ(a) = 0.95 is what the targets say at z = ±1 of one row each.
  Predictions pair = of_classes(2);
  for (const double z : {-1.0, 1.0}) {
    add_distribution(pair, distribution_of_logits(std::array{0.0, z}));
    pair.outcomes.push_back(z > 0.0 ? 1.0 : 0.0);
  }
  EXPECT_NEAR(fitted("platt", pair, {.smoothing = 0.1})->parameters()[0].value, std::log(19.0),
              1e-9);
}

TEST(calibrators, refuse_what_they_cannot_use) {
  Predictions certain = of_classes(2);
  add_distribution(certain, distribution_of_probabilities({0.0, 1.0}));
  certain.outcomes = {1.0};
  for (const char* name : {"platt", "temperature", "vector", "matrix"})
    EXPECT_THROW(fitted(name, certain), Error);
  Predictions unknown = stored("binary.csv");
  for (double& y : unknown.outcomes) y = kNaN;
  for (const CalibratorRow* row : calibrator_rows())
    EXPECT_THROW(row->fit(unknown, {}), Error) << row->name;
  EXPECT_THROW(find_calibrator("beta"), Error);
}

}  // namespace
}  // namespace credo::score::calibrators_test
