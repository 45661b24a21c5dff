// Programs that credo series writes for the states: one posterior by filters and by samplers with and without them; counts against a
// grid of states; holidays on dates.
#include <gtest/gtest.h>

#include <random>

#include "io/file.hpp"
#include "support/command_run.hpp"

namespace credo::cli::series_states_test {
namespace {

class SeriesStates : public testing::CommandRun {
 protected:
  SeriesStates() : CommandRun("series_states") {}

  // A line with a slope, a column, a walk and noise; times 5 and 6 have no outcome.
  std::string line_table(int times) const {
    std::mt19937 engine(11);
    std::normal_distribution<double> normal;
    std::string table = "y,x\n";
    double level = 3.0;
    for (int t = 0; t < times; ++t) {
      level += 0.1 + 0.5 * normal(engine);
      const double x = std::sin(0.7 * t), y = level + 0.8 * x + 0.6 * normal(engine);
      table +=
          (t == 4 || t == 5 ? std::string() : std::to_string(y)) + "," + std::to_string(x) + "\n";
    }
    return table;
  }
  void write_model(const std::string& formula, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"series",    formula,   "--data",
                                   at("t.csv"), "--write", at("model" + std::to_string(++number_))};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << said();
  }
  std::string file(const std::string& name) const {
    return at("model" + std::to_string(number_) + "/" + name);
  }
  double program_likelihood(const std::string& parameters) {
    write("p.json", "[" + parameters + "]");
    return json({"log-prob", file("program.stan"), "--data", file("data.json"), "--constrained",
                 at("p.json"), "--terms", "likelihood"})
        .items[0]
        .at("log_density")
        .number;
  }
  testing::Json filtered(const std::string& parameters, std::vector<std::string> more) {
    write("q.json", parameters);
    std::vector<std::string> words{
        "filter", file("states.stan"), "--data", file("states.json"), "--parameters", at("q.json")};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
  static std::pair<double, double> mean_of(const testing::Json& fit, const std::string& name) {
    for (const auto& row : fit.at("summary").items)
      if (row.at("name").text == name) return {row.at("mean").number, row.at("mcse_mean").number};
    ADD_FAILURE() << "no " << name;
    return {};
  }
  int number_ = 0;
};
}  // namespace

// The program integrates the states out by its own recursion; the filter derives matrices from the functions' densities.
TEST_F(SeriesStates, the_filter_has_the_likelihood_of_the_program) {
  write("t.csv", line_table(40));
  write_model("y ~ level");
  const std::string level = R"({"sigma": 0.7, "sd_level": 0.4})";
  EXPECT_NEAR(filtered(level, {"--method", "kalman"}).at("log_likelihood").number,
              program_likelihood(level), 1e-8);
  write_model("y ~ trend + x");
  const std::string trend = R"({"sigma": 0.7, "sd_level": 0.4, "sd_slope": 0.05, "b_x": [0.6]})";
  EXPECT_NEAR(filtered(trend, {"--method", "kalman"}).at("log_likelihood").number,
              program_likelihood(trend), 1e-8);
  write_model("y ~ level + dynamic(x)");
  const std::string dynamic = R"({"sigma": 0.7, "sd_level": 0.4, "sd_x": 0.2})";
  EXPECT_NEAR(filtered(dynamic, {"--method", "kalman"}).at("log_likelihood").number,
              program_likelihood(dynamic), 1e-8);
}

// States of seasons have no density, so particles move by draws alone: the estimate within 4.5 of its errors; at another sd it isn't.
TEST_F(SeriesStates, particles_estimate_the_likelihood_of_a_season) {
  write("t.csv", line_table(24));
  write_model("y ~ level + season(3)");
  const auto at_sd = [](double sd) {
    return R"({"sigma": 0.7, "sd_level": 0.4, "sd_season": )" + std::to_string(sd) + "}";
  };
  const auto found =
      filtered(at_sd(0.3), {"--particles", "4000", "--repeats", "20", "--seed", "2"});
  const double exact = program_likelihood(at_sd(0.3)), other = program_likelihood(at_sd(1.5));
  EXPECT_NEAR(found.at("log_likelihood").number, exact, 4.5 * found.at("error").number);
  EXPECT_GT(std::abs(found.at("log_likelihood").number - other), 4.5 * found.at("error").number);
}

// One posterior: states integrated out, as parameters, and by particles. Means within 4.5 of their errors; a prior of half the scale is found.
TEST_F(SeriesStates, samplers_with_and_without_states_have_one_posterior) {
  write("t.csv", line_table(30));
  const std::vector<std::string> prior{"--prior", "sd(level) ~ exponential(2)"};
  write_model("y ~ level", prior);
  const auto sample = [&](const std::string& program, const std::string& data,
                          std::vector<std::string> more) {
    std::vector<std::string> words{"sample", file(program), "--data", file(data), "--seed", "4"};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  };
  const auto out = sample("program.stan", "data.json", {"--draws", "2000"});
  const auto in =
      sample("states.stan", "states.json", {"--draws", "4000", "--adapt-delta", "0.95"});
  const auto particles =
      sample("states.stan", "states.json",
             {"--sampler", "pmmh", "--particles", "100", "--warmup", "500", "--draws", "2000"});
  for (const char* name : {"sigma", "sd_level"}) {
    const auto [exact, error] = mean_of(out, name);
    for (const auto* other : {&in, &particles}) {
      const auto [mean, own] = mean_of(*other, name);
      EXPECT_NEAR(mean, exact, 4.5 * std::hypot(error, own)) << name;
    }
  }
  write_model("y ~ level", {"--prior", "sd(level) ~ exponential(20)"});
  const auto mutant = sample("program.stan", "data.json", {"--draws", "2000"});
  const auto [exact, error] = mean_of(out, "sd_level");
  const auto [mean, own] = mean_of(mutant, "sd_level");
  EXPECT_GT(std::abs(mean - exact), 4.5 * std::hypot(error, own));
}

// ---- counts

namespace {
struct GridAnswer {
  double mean_sd = 0.0;                  // posterior mean of sd(level)
  std::vector<double> forecast, spread;  // mean and sd of the outcomes behind the data
};

// Local level with Poisson outcomes: states on a grid, exact sums of a hidden Markov chain, and a grid of the standard deviation with its
// exponential prior.
GridAnswer poisson_grid(const std::vector<int>& y, double rate, int ahead) {
  constexpr int kStates = 260, kScales = 36;
  constexpr double kLow = -2.0, kStep = 0.025;
  double mean = 0.0, square = 0.0;
  for (const int count : y) mean += std::log(count + 0.5) / double(y.size());
  for (const int count : y) square += std::pow(std::log(count + 0.5) - mean, 2);
  const double s = std::sqrt(square / double(y.size() - 1)), first = std::log(y[0] + 0.5);
  const auto state = [&](int i) { return kLow + kStep * i; };
  const auto weight = [](double x, double sd) { return std::exp(-0.5 * x * x / (sd * sd)); };
  GridAnswer answer;
  answer.forecast.assign(std::size_t(ahead), 0.0), answer.spread = answer.forecast;
  double total = 0.0;
  for (int k = 0; k < kScales; ++k) {
    const double sd = 0.035 * (k + 1);
    std::vector<double> kernel(kStates);
    double sum = 0.0;
    for (int d = 0; d < kStates; ++d) kernel[std::size_t(d)] = weight(kStep * d, sd);
    for (int d = 0; d < kStates; ++d) sum += (d == 0 ? 1.0 : 2.0) * kernel[std::size_t(d)];
    for (double& p : kernel) p /= sum;
    std::vector<double> p(kStates);
    sum = 0.0;
    for (int i = 0; i < kStates; ++i) sum += p[std::size_t(i)] = weight(state(i) - first, s);
    for (double& x : p) x /= sum;
    const auto move = [&] {
      std::vector<double> next(kStates, 0.0);
      for (int i = 0; i < kStates; ++i)
        for (int j = 0; j < kStates; ++j)
          next[std::size_t(j)] += p[std::size_t(i)] * kernel[std::size_t(std::abs(i - j))];
      p = next;
    };
    double log_likelihood = 0.0;
    for (std::size_t t = 0; t < y.size(); ++t) {
      if (t > 0) move();
      sum = 0.0;
      for (int i = 0; i < kStates; ++i)
        sum += p[std::size_t(i)] *=
            std::exp(y[t] * state(i) - std::exp(state(i)) - std::lgamma(y[t] + 1.0));
      for (double& x : p) x /= sum;
      log_likelihood += std::log(sum);
    }
    const double w = std::exp(log_likelihood - rate * sd + 90.0);
    total += w, answer.mean_sd += w * sd;
    for (int h = 0; h < ahead; ++h) {
      move();
      for (int i = 0; i < kStates; ++i) {
        const double rate_at = std::exp(state(i));
        answer.forecast[std::size_t(h)] += w * p[std::size_t(i)] * rate_at;
        answer.spread[std::size_t(h)] += w * p[std::size_t(i)] * (rate_at + rate_at * rate_at);
      }
    }
  }
  answer.mean_sd /= total;
  for (int h = 0; h < ahead; ++h) {
    double &mean_at = answer.forecast[std::size_t(h)], &sd = answer.spread[std::size_t(h)];
    mean_at /= total, sd = std::sqrt(sd / total - mean_at * mean_at);
  }
  return answer;
}

std::vector<int> walking_counts(unsigned seed, int times, double sd) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<int> y;
  double level = 1.5;
  for (int t = 0; t < times; ++t) {
    y.push_back(std::poisson_distribution<int>(std::exp(level))(engine));
    level += sd * normal(engine);
  }
  return y;
}
std::string table_of(const std::vector<int>& y, std::size_t times) {
  std::string table = "y\n";
  for (std::size_t t = 0; t < times; ++t) table += std::to_string(y[t]) + "\n";
  return table;
}
}  // namespace

// Means within 4.5 of their errors, and 1 % for the grid of standard deviations; the sd of forecasts, a quantile-free moment of 4,000 draws,
// within 10 %. The mutant is the posterior with another prior.
TEST_F(SeriesStates, poisson_counts_have_the_posterior_and_forecasts_of_a_grid) {
  const std::vector<int> y = walking_counts(3, 40, 0.25);
  write("t.csv", table_of(y, y.size()));
  const GridAnswer exact = poisson_grid(y, 3.0, 3);
  const auto fit = [&](const std::string& prior) {
    return json({"series", "y ~ level", "--data", at("t.csv"), "--family", "poisson", "--prior",
                 prior, "--ahead", "3", "--tables", at("f.json"), "--seed", "6", "--paths",
                 "4000"});
  };
  const auto found = fit("sd(level) ~ exponential(3)");
  const auto tables = testing::parse_json(io::read_file(at("f.json")));
  const auto [mean, error] = mean_of(found, "sd_level");
  EXPECT_NEAR(mean, exact.mean_sd, 4.5 * error + 0.01 * exact.mean_sd);
  for (std::size_t h = 0; h < 3; ++h) {
    const auto& row = tables.at("forecast").items[h];
    EXPECT_NEAR(row.at("mean").number, exact.forecast[h],
                4.5 * exact.spread[h] / std::sqrt(2000.0));
    EXPECT_NEAR(row.at("sd").number / exact.spread[h], 1.0, 0.1);
  }
  const auto [other, own] = mean_of(fit("sd(level) ~ exponential(30)"), "sd_level");
  EXPECT_GT(std::abs(other - exact.mean_sd), 4.5 * own + 0.01 * exact.mean_sd);
}

// The same model by particles: at a fixed standard deviation the estimate is the likelihood of the grid's sums, so the functions in
// states.stan state the counts, too. Here against a fit: pmmh of the same program.
TEST_F(SeriesStates, counts_have_one_posterior_by_nuts_and_by_particles) {
  const std::vector<int> y = walking_counts(5, 30, 0.25);
  write("t.csv", table_of(y, y.size()));
  const GridAnswer exact = poisson_grid(y, 3.0, 1);
  write_model("y ~ level", {"--family", "poisson", "--prior", "sd(level) ~ exponential(3)"});
  const auto found =
      json({"sample", file("states.stan"), "--data", file("states.json"), "--sampler", "pmmh",
            "--particles", "100", "--warmup", "500", "--draws", "2000", "--seed", "8"});
  const auto [mean, error] = mean_of(found, "sd_level");
  EXPECT_NEAR(mean, exact.mean_sd, 4.5 * error + 0.01 * exact.mean_sd);
}

// Intervals of 90 % contain the next count in about 27 of 30 series; below 21 has probability 5e-4 (discrete outcomes are covered more often).
// The mutant's intervals have half the width.
TEST_F(SeriesStates, forecasts_of_counts_cover_as_often_as_stated) {
  int covered = 0, mutant = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const std::vector<int> y = walking_counts(100 + seed, 33, 0.35);
    write("t.csv", table_of(y, 30));
    EXPECT_EQ(run({"series",   "y ~ level", "--data",   at("t.csv"),
                   "--family", "poisson",   "--prior",  "sd(level) ~ exponential(3)",
                   "--ahead",  "3",         "--tables", at("f.json"),
                   "--seed",   "6",         "--chains", "1",
                   "--warmup", "300",       "--draws",  "500",
                   "--quiet"}) &
                  ~8,
              0)
        << said();
    const auto row = testing::parse_json(io::read_file(at("f.json"))).at("forecast").items[2];
    const double low = row.at("q5").number, high = row.at("q95").number, outcome = y[32];
    const double middle = 0.5 * (low + high), half = 0.25 * (high - low);
    covered += outcome >= low && outcome <= high;
    mutant += outcome >= middle - half && outcome <= middle + half;
  }
  EXPECT_GE(covered, 21);
  EXPECT_LT(mutant, covered);
}

TEST_F(SeriesStates, negative_binomial_and_bernoulli_series_recover_what_they_were_drawn_from) {
  std::mt19937 engine(9);
  std::string counts = "y\n", events = "y,x\n";
  for (int t = 0; t < 120; ++t) {
    const double rate = std::gamma_distribution<double>(4.0, std::exp(2.0) / 4.0)(engine);
    counts += std::to_string(std::poisson_distribution<int>(rate)(engine)) + "\n";
    const double x = (t % 5) - 2.0, p = 1.0 / (1.0 + std::exp(-(0.3 + 1.0 * x)));
    events += std::to_string(std::bernoulli_distribution(p)(engine) ? 1 : 0) + "," +
              std::to_string(x) + "\n";
  }
  write("t.csv", counts);
  const auto dispersed = json({"series", "y ~ 1", "--data", at("t.csv"), "--family", "negbinomial",
                               "--seed", "2", "--chains", "2"});
  // The sd of spread, 0.5, over many series of this length is 0.05.
  EXPECT_NEAR(mean_of(dispersed, "spread").first, 0.5, 0.2);
  write("t.csv", events);
  const auto binary = json({"series", "y ~ 1 + x", "--data", at("t.csv"), "--family", "bernoulli",
                            "--seed", "2", "--chains", "2"});
  EXPECT_NEAR(mean_of(binary, "b_x.1").first, 1.0, 0.8);  // sd 0.2
  EXPECT_EQ(
      run({"series", "y ~ 1", "--data", at("t.csv"), "--family", "bernoulli", "--priors", "flat"}),
      4);
  write("t.csv", "y\n1\n2.5\n3\n0\n");
  EXPECT_EQ(run({"series", "y ~ level", "--data", at("t.csv"), "--family", "poisson"}), 4);
  EXPECT_NE(said().find("0, 1, 2"), std::string::npos) << said();
}

// ---- student's distribution

// The program has a weight for each outcome; here its density is a t density on a grid of mean, scale and degrees of freedom. The level hardly
// moves. The mutant is normal noise, whose degrees of freedom are many.
TEST_F(SeriesStates, degrees_of_freedom_have_the_posterior_of_a_grid) {
  constexpr int kTimes = 120, kPoints = 36;
  std::mt19937 engine(21);
  std::student_t_distribution<double> tails(3.0);
  std::normal_distribution<double> normal;
  const auto table = [&](auto& noise) {
    std::vector<double> y;
    std::string text = "y\n";
    for (int t = 0; t < kTimes; ++t)
      y.push_back(5.0 + noise(engine)), text += std::to_string(y.back()) + "\n";
    write("t.csv", text);
    return y;
  };
  const auto fitted = [&] {
    return mean_of(json({"series", "y ~ level", "--data", at("t.csv"), "--family", "student",
                         "--prior", "nu ~ gamma(2, 0.1)", "--prior", "sd(level) ~ exponential(500)",
                         "--seed", "5", "--draws", "2000"}),
                   "nu");
  };
  const std::vector<double> y = table(tails);
  const auto [mean, error] = fitted();
  double average = 0.0, square = 0.0, total = 0.0, sum = 0.0;
  for (const double x : y) average += x / kTimes;
  for (const double x : y) square += std::pow(x - average, 2) / (kTimes - 1);
  const double s = std::sqrt(square);
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j)
      for (int k = 0; k < 3 * kPoints; ++k) {
        const double mu = 4.5 + 1.0 * i / (kPoints - 1), sigma = 0.5 + 1.0 * j / (kPoints - 1),
                     step = std::log(60.0) / (3 * kPoints), nu = std::exp(step * (k + 0.5));
        double log_density =
            std::log(nu) - 0.1 * nu - sigma / s + std::log(nu);  // the last: the grid's width
        for (const double x : y)
          log_density += std::lgamma(0.5 * (nu + 1)) - std::lgamma(0.5 * nu) - 0.5 * std::log(nu) -
                         std::log(sigma) -
                         0.5 * (nu + 1) * std::log1p(std::pow((x - mu) / sigma, 2) / nu);
        const double w = std::exp(log_density + 150.0);
        total += w, sum += w * nu;
      }
  EXPECT_NEAR(mean, sum / total,
              4.5 * error + 0.03 * sum / total);  // 3 %: the level still moves a little
  table(normal);
  const auto [other, own] = fitted();
  EXPECT_GT(other - sum / total, 4.5 * std::hypot(own, error));
}

// ---- holidays

// Days from 1 January 2024 but the 3rd, which has no row; the holiday is on the 5th and 10th of each ten, empty cells are 0.
TEST_F(SeriesStates, holidays_are_1_on_their_dates_and_add_their_effect_to_forecasts) {
  std::mt19937 engine(2);
  std::normal_distribution<double> normal;
  std::string table = "date,y,h\n";
  for (int day = 1; day <= 30; ++day) {
    const bool holiday = day % 5 == 0;
    if (day == 3) continue;
    table += std::string("2024-01-") + (day < 10 ? "0" : "") + std::to_string(day) + "," +
             std::to_string(10.0 + (holiday ? 6.0 : 0.0) + 0.3 * normal(engine)) + "," +
             (holiday ? "1" : "") + "\n";
  }
  write("t.csv", table);
  write("f.csv", "date,h\n2024-01-31,0\n2024-02-01,1\n2024-02-02,\n");
  write_model("y ~ level + holiday(h)", {"--missing", "drop"});
  const auto data = testing::parse_json(io::read_file(file("data.json")));
  ASSERT_EQ(data.at("T").number, 30.0);
  for (std::size_t t = 0; t < 30; ++t)
    EXPECT_EQ(data.at("X_h").items[t].items[0].number, (t + 1) % 5 == 0 ? 1.0 : 0.0) << t;
  EXPECT_EQ(run({"series", "y ~ level + holiday(h)", "--data", at("t.csv"), "--missing", "drop",
                 "--future", at("f.csv"), "--tables", at("f.json"), "--seed", "3", "--quiet"}),
            0)
      << said();
  const auto forecast = testing::parse_json(io::read_file(at("f.json"))).at("forecast");
  ASSERT_EQ(forecast.items.size(), 3U);
  const auto mean = [&](std::size_t k) { return forecast.items[k].at("mean").number; };
  // Six holidays with noise 0.3 estimate the effect to 0.14; 4.5 of these, and 0.05 for the mean of draws.
  EXPECT_NEAR(mean(1) - mean(0), 6.0, 4.5 * 0.14 + 0.05);
  EXPECT_NEAR(mean(2) - mean(0), 0.0, 0.2);
}

}  // namespace credo::cli::series_states_test
