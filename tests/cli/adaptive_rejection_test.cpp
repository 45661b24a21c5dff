// The sampler adaptive_rejection as a user meets it: alone, as a part of a composition, and where it refuses.
#include "support/command_run.hpp"

namespace credo::cli::adaptive_rejection_test {
namespace {

// A logistic regression; means and sds by Simpson's rule on a grid of both coefficients.
const char* const kRegression =
    "data { int N; vector[N] dose; array[N] int deaths, animals; } parameters { real a, b; } model "
    "{ a ~ "
    "normal(0, 2); b ~ normal(0, 4); deaths ~ binomial_logit(animals, a + b * dose); }";
const char* const kDoses =
    R"({"N": 4, "dose": [-0.86, -0.3, -0.05, 0.73], "deaths": [0, 1, 3, 5], "animals": [5, 5, 5, 5]})";

double log_posterior(double a, double b) {
  constexpr std::array<double, 4> kDose = {-0.86, -0.3, -0.05, 0.73}, kDeaths = {0, 1, 3, 5};
  double sum = -a * a / 8.0 - b * b / 32.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double eta = a + b * kDose[i];
    sum += kDeaths[i] * eta - 5.0 * std::log1p(std::exp(eta));
  }
  return sum;
}

struct OnGrid {
  double total = 0.0, a = 0.0, b = 0.0, square = 0.0;
};
OnGrid on_grid() {
  OnGrid sums;
  for (double a = -10.0; a <= 10.0; a += 0.05)
    for (double b = -12.0; b <= 28.0; b += 0.1) {
      const double weight = std::exp(log_posterior(a, b));
      sums.total += weight, sums.a += weight * a, sums.b += weight * b,
          sums.square += weight * b * b;
    }
  return sums;
}

class AdaptiveRejectionRun : public testing::CommandRun {
 protected:
  AdaptiveRejectionRun() : CommandRun("adaptive_rejection") {
    write("doses.stan", kRegression);
    write("doses.json", kDoses);
    write("modes.stan",
          "parameters { real x; } model { target += log_mix(0.2, normal_lpdf(x | -2, 0.5), "
          "normal_lpdf(x | 2, 1.5)); }");
  }
  // Mean and Monte Carlo error of an element.
  std::pair<double, double> mean_of(const std::string& element) {
    const testing::Json rows = json({"summary", at("fit.nc")});
    for (const testing::Json& row : rows.items)
      if (row.at("name").text == element)
        return {row.at("mean").number, row.at("mcse_mean").number};
    ADD_FAILURE() << "no " << element;
    return {};
  }
  void expect_posterior() {
    const OnGrid exact = on_grid();
    const auto [a, error_a] = mean_of("a");
    const auto [b, error_b] = mean_of("b");
    EXPECT_NEAR(a, exact.a / exact.total, 4.0 * error_a);
    EXPECT_NEAR(b, exact.b / exact.total, 4.0 * error_b);
    EXPECT_LT(error_b, 0.2);
  }
  std::vector<std::string> sample(std::vector<std::string> more) const {
    more.insert(more.begin(), {"sample", at("doses.stan"), "--data", at("doses.json"), "--seed",
                               "3", "--quiet", "-o", at("fit.nc")});
    return more;
  }
};

TEST_F(AdaptiveRejectionRun, draws_a_logistic_regression_as_the_grid_has_it) {
  ASSERT_EQ(run(sample({"--sampler", "adaptive_rejection"})), 0) << said();
  expect_posterior();
}

TEST_F(AdaptiveRejectionRun, is_a_block_of_a_composition) {
  write(
      "scheme.json",
      R"({"cycle": [{"sampler": "adaptive_rejection", "on": ["a"]}, {"sampler": "slice", "on": ["b"]}]})");
  ASSERT_EQ(run(sample({"--scheme", at("scheme.json")})), 0) << said();
  expect_posterior();
}

TEST_F(AdaptiveRejectionRun, refuses_what_is_not_log_concave_and_corrects_it_when_asked) {
  const std::vector<std::string> modes{
      "sample", at("modes.stan"), "--sampler", "adaptive_rejection", "--seed",
      "1",      "--quiet",        "-o",        at("fit.nc")};
  EXPECT_EQ(run(modes), 5);
  EXPECT_NE(said().find("isn't concave"), std::string::npos) << said();
  EXPECT_NE(said().find("metropolis"), std::string::npos) << said();
  std::vector<std::string> corrected = modes;
  corrected.insert(corrected.end(), {"--metropolis", "true", "--draws", "4000"});
  ASSERT_EQ(run(corrected), 0) << said();
  const auto [x, error] = mean_of("x");
  EXPECT_NEAR(x, 1.2, 4.0 * error);
  EXPECT_LT(error, 0.05);
}

// The density of the slope is log-concave above 0, as declared, but not on the logarithmic scale.
TEST_F(AdaptiveRejectionRun, draws_a_bounded_slope_on_the_scale_of_its_bound) {
  const std::string input = CREDO_SOURCE_DIR "/tests/inputs/log_concave_bounded";
  for (const char* seed : {"1", "2", "3", "4", "5"}) {
    ASSERT_EQ(run({"sample", input + ".stan", "--data", input + ".json", "--sampler",
                   "adaptive_rejection", "--seed", seed, "--quiet", "-o", at("fit.nc")}),
              0)
        << said();
    const auto [a, error_a] = mean_of("a");
    const auto [b, error_b] = mean_of("b");
    EXPECT_NEAR(a, 0.01735, 4 * error_a) << "seed " << seed;  // by quadrature over both
    EXPECT_NEAR(b, 0.99940, 4 * error_b) << "seed " << seed;
  }
}

}  // namespace
}  // namespace credo::cli::adaptive_rejection_test
