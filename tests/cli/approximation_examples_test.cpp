// Approximations: the worked examples of the texts (docs/text-examples.md) by the commands, beside closed forms and formulas of their own.
#include <numbers>

#include "support/share.hpp"
#include "text_examples.hpp"

namespace credo::cli::approximation_examples_test {
namespace {

// A symmetric matrix of three or fewer rows; only its leading D x D part is used.
using Matrix = std::array<std::array<double, 3>, 3>;
using Vector = std::array<double, 3>;

// Elimination without pivots, which positive definite matrices don't need: solves A x = b and returns log det A.
double solve(Matrix a, Vector& b, std::size_t size) {
  double log_det = 0.0;
  for (std::size_t k = 0; k < size; ++k) {
    log_det += std::log(a[k][k]);
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < size; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t j = k + 1; j < size; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return log_det;
}

class ApproximationExamples : public TextExamples {
 protected:
  ApproximationExamples() : TextExamples("approximation_examples") {}

  // credo approximate (or laplace): the path of the result.
  std::string approximate(const std::string& program, std::vector<std::string> more,
                          const std::string& command = "approximate") {
    const std::string file = at("q" + std::to_string(num_results_++) + ".nc");
    more.insert(more.begin(), {command, example("texts/" + program + ".stan"), "--seed",
                               usual_seed(), "--quiet", "--no-check", "-o", file});
    EXPECT_EQ(run(std::move(more)), 0) << said();
    return file;
  }
  static std::vector<double> setting(const std::string& file, const std::string& name) {
    const auto fit = open(file);
    for (const infer::TunedSetting& one : fit->result().chains.at(0).tuned)
      if (one.name == name) return {one.values.begin(), one.values.end()};
    ADD_FAILURE() << "no " << name;
    return {};
  }
  // The data of an example with its prior's standard deviation replaced.
  std::string with_prior_sd(const std::string& value) {
    std::string text = io::read_file(example("texts/separable_classes.json"));
    const std::string member = "\"prior_sd\": 10";
    const std::size_t place = text.find(member);
    EXPECT_NE(place, std::string::npos);
    const std::string file = "prior_" + value + ".json";
    write(file, text.replace(place, member.size(), "\"prior_sd\": " + value));
    return at(file);
  }

 private:
  int num_results_ = 0;
};

// Mode and curvature of a logistic regression by its own formulas: H = X'SX + I / sd², by Newton's method from zero.
struct LogisticMode {
  Vector w{};
  Matrix curvature{};
};
LogisticMode logistic_mode(const std::vector<double>& x, const std::vector<double>& y, double sd) {
  LogisticMode found;
  for (int step = 0; step < 100; ++step) {
    Vector slope{-found.w[0] / (sd * sd), -found.w[1] / (sd * sd)};
    found.curvature = {};
    for (std::size_t d = 0; d < 2; ++d) found.curvature[d][d] = 1.0 / (sd * sd);
    for (std::size_t n = 0; n < y.size(); ++n) {
      const double* row = &x[2 * n];
      const double p = 1.0 / (1.0 + std::exp(-(row[0] * found.w[0] + row[1] * found.w[1])));
      for (std::size_t i = 0; i < 2; ++i) {
        slope[i] += row[i] * (y[n] - p);
        for (std::size_t j = 0; j < 2; ++j)
          found.curvature[i][j] += row[i] * row[j] * p * (1.0 - p);
      }
    }
    (void)solve(found.curvature, slope, 2);
    for (std::size_t d = 0; d < 2; ++d) found.w[d] += slope[d];
  }
  return found;
}

// X4: the classes are separable, so the likelihood has no maximum; with a prior there is a mode, and Laplace's covariance is the
// inverse of the curvature there (the text prints the curvature itself).
TEST_F(ApproximationExamples, of_separable_classes_have_the_mode_and_curvature_of_the_formulas) {
  const Json data = example_data("texts/separable_classes.json");
  const std::vector<double> x = numbers(data.at("x")), y = numbers(data.at("y"));
  const LogisticMode exact = logistic_mode(x, y, 10.0);
  const std::string file = approximate(
      "separable_classes", {"--data", example("texts/separable_classes.json")}, "laplace");
  const std::vector<double> mode = setting(file, "mode"), covariance = setting(file, "covariance");
  for (std::size_t d = 0; d < 2; ++d) {
    // The mode is found to the tolerance of the climb, which is 1e-8 of the log density: 1e-4 of a standard deviation.
    EXPECT_NEAR(mode[d], exact.w[d], 1e-3 * std::sqrt(covariance[3 * d]));
    Vector column{d == 0 ? 1.0 : 0.0, d == 1 ? 1.0 : 0.0};
    (void)solve(exact.curvature, column, 2);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(covariance[2 * d + i], column[i], 1e-3 * std::abs(column[i]));
  }
  // All of the text's candidates have the classes on their two sides, so that longer ones have a higher likelihood.
  const auto log_likelihood = [&](double a, double b) {
    double sum = 0.0;
    for (std::size_t n = 0; n < y.size(); ++n)
      sum -= std::log1p(std::exp(-(2.0 * y[n] - 1.0) * (a * x[2 * n] + b * x[2 * n + 1])));
    return sum;
  };
  for (const auto& w : {std::array{3.0, 1.0}, {4.0, 2.0}, {5.0, 3.0}, {7.0, 3.0}}) {
    for (std::size_t n = 0; n < y.size(); ++n)
      EXPECT_GT((2.0 * y[n] - 1.0) * (w[0] * x[2 * n] + w[1] * x[2 * n + 1]), 0.0) << n;
    EXPECT_GT(log_likelihood(2.0 * w[0], 2.0 * w[1]), log_likelihood(w[0], w[1]));
  }
}

// The limits that the text exchanges: with a prior of width zero the weights are zero; with wider priors the mode goes to infinity.
TEST_F(ApproximationExamples, of_separable_classes_grow_with_the_width_of_the_prior) {
  double last = 0.0;
  for (const char* sd : {"0.001", "1", "10", "100"}) {
    const std::vector<double> mode =
        setting(approximate("separable_classes", {"--data", with_prior_sd(sd)}, "laplace"), "mode");
    const double length = std::hypot(mode[0], mode[1]);
    EXPECT_GT(length, 1.3 * last) << sd;
    if (last == 0.0) {
      EXPECT_LT(length, 1e-3);
    }
    last = length;
  }
}

// E10: unit variances and correlation 0.8. The moment projection keeps the variances, the information projection has
// 1 / (Λ)_ii = 1 - 0.8².
TEST_F(ApproximationExamples, of_a_correlated_pair_are_wide_by_moments_and_narrow_by_the_bound) {
  const std::string narrow =
      approximate("correlated_pair", {"--method", "normal", "--covariance", "diagonal"});
  for (const double variance : setting(narrow, "variances")) EXPECT_NEAR(variance, 0.36, 1e-3);
  // ½ log(1 - 0.8²), the bound of the evidence 1, which independence costs.
  EXPECT_NEAR(setting(narrow, "bound").at(0), 0.5 * std::log(0.36), 0.02);
  const std::string draws = draw("correlated_pair", {"--draws", "4000"});
  const std::string wide = approximate(
      "correlated_pair", {"--method", "moments", "--covariance", "diagonal", "--from", draws});
  // NUTS has at least 4,000 effective squares here, whose standard deviation is √2.
  for (const double variance : setting(wide, "variances"))
    EXPECT_NEAR(variance, 1.0, kTextErrors * std::sqrt(2.0 / 4000.0));
}

// E9: a linear regression with known noise. The lower bound of a diagonal normal is log p(y) - ½ (Σ log Λ_ii - log |Λ|); the upper bound
// comes down towards the evidence from above, and both are the evidence with a full covariance.
TEST_F(ApproximationExamples, of_a_regression_with_known_noise_bracket_its_evidence) {
  const std::string path = example("texts/known_noise.json");
  const Json data = example_data("texts/known_noise.json");
  const std::vector<double> x = numbers(data.at("X")), y = numbers(data.at("y"));
  Matrix precision{};
  Vector xy{}, mean;
  double squares = 0.0;
  for (std::size_t i = 0; i < 3; ++i) precision[i][i] = 1.0;
  for (std::size_t n = 0; n < y.size(); ++n) {
    squares += y[n] * y[n];
    for (std::size_t i = 0; i < 3; ++i) {
      xy[i] += x[3 * n + i] * y[n];
      for (std::size_t j = 0; j < 3; ++j) precision[i][j] += x[3 * n + i] * x[3 * n + j];
    }
  }
  mean = xy;
  const double log_det = solve(precision, mean, 3);
  double fitted = 0.0, log_diagonal = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    fitted += xy[i] * mean[i];
    log_diagonal += std::log(precision[i][i]);
  }
  const double evidence = -0.5 * static_cast<double>(y.size()) * std::log(2.0 * std::numbers::pi) -
                          0.5 * log_det - 0.5 * (squares - fitted);
  const auto bound_of = [&](const char* covariance, const char* objective, const char* name) {
    const std::string file =
        approximate("known_noise", {"--data", path, "--method", "normal", "--covariance",
                                    covariance, "--objective", objective});
    return std::pair(setting(file, name).at(0), setting(file, std::string(name) + "_error").at(0));
  };
  const auto [lower, lower_error] = bound_of("diagonal", "elbo", "bound");
  EXPECT_NEAR(lower, evidence - 0.5 * (log_diagonal - log_det), kTextErrors * lower_error + 1e-3);
  const auto [upper, upper_error] = bound_of("diagonal", "chi2", "upper_bound");
  EXPECT_GT(upper, evidence - kTextErrors * upper_error);
  EXPECT_LT(upper, evidence + 0.5);
  EXPECT_NEAR(bound_of("full", "elbo", "bound").first, evidence, 1e-3);
}

// E7: Old Faithful by ten components with correlations of their own. The best normal distribution of independent values has two components with
// most of the rows.
LONG_TEST_F(ApproximationExamples, of_ten_components_with_correlations_leave_two_with_most_rows) {
  const std::string data = example("texts/faithful.json");
  const auto shares_of = [&](const std::string& file) {
    std::vector<double> shares;
    for (int k = 1; k <= 10; ++k) {
      const std::vector<double> draws = values_of(file, "theta." + std::to_string(k));
      shares.push_back(std::accumulate(draws.begin(), draws.end(), 0.0) /
                       static_cast<double>(draws.size()));
    }
    std::ranges::sort(shares, std::greater());
    return shares;
  };
  const std::vector<double> fit =
      shares_of(approximate("faithful_lkj", {"--data", data, "--method", "normal", "--covariance",
                                             "diagonal", "--draws", "250"}));
  EXPECT_GT(fit[0] + fit[1], 0.85);
  EXPECT_LT(fit[3], 0.02);
}

}  // namespace
}  // namespace credo::cli::approximation_examples_test
