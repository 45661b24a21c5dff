// Forecasts of outcomes by credo filter: of a local level by its closed form, exactly by Kalman filters and within their errors by
// particles.
//
//   x_1 ~ N(0, 2^2), x_t ~ N(x_{t-1}, 0.5^2), y_t ~ N(x_t, 0.8^2): with the filtered distribution N(m, P) of the last
// time T,   y_{T+h} ~ N(m, P + h 0.5^2 + 0.8^2)
#include <gtest/gtest.h>

#include "diagnose/convergence.hpp"
#include "results/estimates/filter_run.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::forecast_test {
namespace {
using testing::Json;

constexpr double kFirst = 2.0, kMove = 0.5, kNoise = 0.8;
constexpr std::array kOutcomes{0.5, -0.3, 0.9, 1.4, 0.2};

const std::string kDensities = R"(functions {
  real initial_lpdf(real x) { return normal_lpdf(x | 0, 2); }
  real transition_lpdf(real x, real before) { return normal_lpdf(x | before, 0.5); }
  real initial_rng() { return normal_rng(0, 2); }
  real transition_rng(real before) { return normal_rng(before, 0.5); }
  real observation_lpdf(real y, real x) { return normal_lpdf(y | x, 0.8); }
)";
const std::string kDraw = "real observation_rng(real x) { return normal_rng(x, 0.8); }\n";
const std::string kData = "}\ndata { int T; vector[T] y; }\n";

struct Normal {
  double mean = 0.0, sd = 0.0;
};
std::vector<Normal> closed_form(Index steps) {
  double mean = 0.0, variance = kFirst * kFirst;
  for (std::size_t t = 0; t < kOutcomes.size(); ++t) {
    if (t > 0) variance += kMove * kMove;
    const double gain = variance / (variance + kNoise * kNoise);
    mean += gain * (kOutcomes[t] - mean);
    variance *= 1.0 - gain;
  }
  std::vector<Normal> distributions;
  for (Index h = 1; h <= steps; ++h)
    distributions.push_back(
        {mean, std::sqrt(variance + static_cast<double>(h) * kMove * kMove + kNoise * kNoise)});
  return distributions;
}

class Forecast : public testing::CommandRun {
 protected:
  Forecast() : CommandRun("forecast") {
    write("level.stan", kDensities + kDraw + kData);
    write("silent.stan", kDensities + kData);
    write("d.json", R"({"T": 5, "y": [0.5, -0.3, 0.9, 1.4, 0.2]})");
    write("longer.json", R"({"T": 8, "y": [0.5, -0.3, 0.9, 1.4, 0.2, "NaN", "NaN", "NaN"]})");
  }
  std::vector<std::string> words(std::vector<std::string> more,
                                 const std::string& program = "level.stan") {
    std::vector<std::string> all{"filter", at(program), "--data", at("d.json"), "--forecast", "3"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(Forecast, of_a_local_level_has_its_closed_form) {
  const std::vector<Normal> expected = closed_form(3);
  for (const char* method : {"kalman", "information", "ekf", "ukf"}) {
    const Json found = json(words({"--method", method}, "silent.stan"));
    ASSERT_EQ(found.at("times").items.size(), 8u);
    const auto& forecast = found.at("forecast").items;
    ASSERT_EQ(forecast.size(), 3u) << method;
    for (std::size_t h = 0; h < 3; ++h) {
      EXPECT_EQ(forecast[h].at("time").number, 6.0 + static_cast<double>(h));
      const double mean = forecast[h].at("mean").items[0].number,
                   sd = forecast[h].at("sd").items[0].number;
      EXPECT_NEAR(mean, expected[h].mean, 1e-9) << method;  // what is read off has 1e-12 left
      EXPECT_NEAR(sd, expected[h].sd, 1e-9) << method;
      EXPECT_NEAR(forecast[h].at("quantiles").items[2].number, mean + 1.6448536269514722 * sd,
                  1e-9);
    }
  }
}

// Errors are those of the runs' spread; a forecast of the state in the place of the outcome is rejected.
TEST_F(Forecast, by_particles_is_within_its_errors) {
  const std::vector<Normal> expected = closed_form(3);
  for (const std::vector<std::string>& method : {std::vector<std::string>{"--method", "bootstrap"},
                                                 {"--method", "sqmc"},
                                                 {"--method", "ensemble"},
                                                 {"--method", "guided", "--proposal", "ekf"}}) {
    std::vector<double> means, squares, states;
    constexpr int kSeeds = 25;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      std::vector<std::string> more{"--particles", "500",    "--repeats",
                                    "1",           "--seed", std::to_string(seed)};
      more.insert(more.end(), method.begin(), method.end());
      const Json found = json(words(more));
      const Json& last = found.at("forecast").items.at(2);
      means.push_back(last.at("mean").items[0].number);
      squares.push_back(std::pow(last.at("sd").items[0].number, 2));
      states.push_back(std::pow(found.at("times").items[7].at("sd").items[0].number, 2));
    }
    const auto errors_from = [&](std::span<const double> values, double truth) {
      const double mean = diagnose::mean(values);
      double spread = 0.0;
      for (const double x : values) spread += (x - mean) * (x - mean);
      return std::fabs(mean - truth) / std::sqrt(spread / (kSeeds - 1) / kSeeds);
    };
    EXPECT_LT(errors_from(means, expected[2].mean), 4.0) << method[1];
    EXPECT_LT(errors_from(squares, expected[2].sd * expected[2].sd), 4.0) << method[1];
    EXPECT_GT(errors_from(states, expected[2].sd * expected[2].sd), 4.0) << method[1];
  }
}

TEST_F(Forecast, is_the_same_for_any_number_of_threads_and_of_times_that_data_leave_out) {
  const std::vector<std::string> more{"--particles", "2000", "--repeats", "2", "--json"};
  std::string first;
  for (const char* threads : {"1", "2", "3"}) {
    std::vector<std::string> all = words(more);
    all.insert(all.end(), {"--threads", threads});
    ASSERT_EQ(run(all), 0) << said();
    if (first.empty()) first = printed();
    EXPECT_EQ(printed(), first) << threads;
  }
  EXPECT_NE(first.find("\"forecast\""), first.npos);
  ASSERT_EQ(run({"filter", at("level.stan"), "--data", at("longer.json"), "--particles", "2000",
                 "--repeats", "2", "--json"}),
            0);
  EXPECT_EQ(printed(), first);
}

TEST_F(Forecast, without_observation_rng_is_of_the_state_and_says_so) {
  const Json found = json(words({"--particles", "100", "--repeats", "1"}, "silent.stan"));
  EXPECT_EQ(found.at("times").items.size(), 8u);
  EXPECT_EQ(found.find("forecast"), nullptr);
  EXPECT_NE(on_one_line(said()).find("the outcomes of the last 3 times are not forecast"),
            std::string::npos)
      << said();
  EXPECT_NE(said().find("observation_rng"), said().npos);
}

TEST_F(Forecast, is_in_the_file_the_table_and_the_picture) {
  ASSERT_EQ(run(words({"--method", "kalman", "-o", at("f.nc")})), 0) << said();
  EXPECT_NE(printed().find("forecast of the outcome"), printed().npos) << printed();
  const Json summary = json({"summary", at("f.nc")});
  const Json exact = json(words({"--method", "kalman"}));
  const Json& means = summary.at("groups").at("forecast").at("fields").at("y_mean").at("values");
  ASSERT_EQ(means.items.size(), 3u);
  for (std::size_t h = 0; h < 3; ++h)
    EXPECT_EQ(means.items[h].number, exact.at("forecast").items[h].at("mean").items[0].number);
  ASSERT_EQ(run({"summary", at("f.nc")}), 0);
  EXPECT_NE(printed().find("\nforecast\n"), printed().npos) << printed();
  EXPECT_NE(printed().find("y_mean   y_sd"), printed().npos) << printed();
  ASSERT_EQ(run({"plot", at("f.nc"), "-o", at("f.svg")}), 0) << said();
  std::ifstream file(at("f.svg"));
  const std::string picture{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(picture.find("observed and forecast"), picture.npos);
}

// Counts, whose times without one are marked; each is Poisson given a level that stays: 3 in the mean.
TEST_F(Forecast, of_counts_and_vectors_draws_them) {
  write("counts.stan", R"(functions {
    real initial_rng() { return normal_rng(1, 0.01); }
    real transition_rng(real before) { return before; }
    real observation_lpmf(array[] int y, real x) { return poisson_lpmf(y | [exp(x), 2 * exp(x)]); }
    array[] int observation_rng(real x) { return poisson_rng([exp(x), 2 * exp(x)]); }
  }
  data { int T; array[T, 2] int y; })");
  write("d.json", R"({"T": 1, "y": [[3, 5]]})");
  const Json found = json(words({"--particles", "20000", "--repeats", "1"}, "counts.stan"));
  const Json& last = found.at("forecast").items.at(2);
  for (std::size_t k = 0; k < 2; ++k) {
    const double rate = (k == 0 ? 1.0 : 2.0) * std::exp(1.0);  // the outcome moves it by 1e-4
    EXPECT_NEAR(last.at("mean").items[k].number, rate, 4.5 * std::sqrt(rate / 20000));
    EXPECT_EQ(std::fmod(last.at("quantiles").items[2 + k].number, 1.0), 0.0);
  }
}

TEST_F(Forecast, of_times_without_their_covariates_is_refused) {
  write("moved.stan", R"(functions {
    real initial_rng() { return normal_rng(0, 1); }
    real transition_rng(real before, real z) { return normal_rng(before + z, 1); }
    real observation_lpdf(real y, real x) { return normal_lpdf(y | x, 1); }
  }
  data { int T; vector[T] y, z; })");
  write("d.json", R"({"T": 2, "y": [0.5, 1], "z": [0, 0]})");
  EXPECT_EQ(run(words({}, "moved.stan")), 4);
  EXPECT_NE(on_one_line(said()).find("z has an element for each time, and none for the 3 times"),
            std::string::npos)
      << said();
}

// The mixture over the draws of a fit: E y is the mean of the means; var y is the mean of the variances plus the
// variance of the means.
TEST_F(Forecast, of_a_mixture_adds_the_variance_of_the_means) {
  std::vector<infer::FilterResult> runs(2);
  for (int k = 0; k < 2; ++k) {
    infer::FilteredTime time{.mean = {0.0}, .sd = {1.0}, .quantiles = std::vector(50, 0.0)};
    time.outcome = {{k == 0 ? -3.0 : 1.0}, {2.0}, std::vector(50, k == 0 ? -3.0 : 1.0)};
    runs[static_cast<std::size_t>(k)].times = {time};
  }
  const infer::WeightedDistribution distribution = results::mixture_of(runs).front().outcome;
  EXPECT_DOUBLE_EQ(distribution.mean[0], -1.0);
  EXPECT_DOUBLE_EQ(distribution.sd[0], std::sqrt(4.0 + 4.0));
  EXPECT_EQ(distribution.quantiles, (std::vector{-3.0, 1.0, 1.0}));
}

}  // namespace
}  // namespace credo::cli::forecast_test
