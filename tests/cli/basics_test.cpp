// What the first chapters of the texts compute, by the commands that compute it: pi by hits, priors of scales, the information of
// experiments, its bound and its forecast, evidences in closed form, the gain of information.
#include <fmt/format.h>

#include <random>

#include "support/command_run.hpp"

namespace credo::cli::basics_test {
namespace {

class Basics : public testing::CommandRun {
 protected:
  Basics() : CommandRun("basics") {}

  // The figures of one expression by `credo expect`.
  testing::Json expected(const std::string& of, std::vector<std::string> more) {
    more.insert(more.begin(), {"expect", at("m.stan"), "--of", of});
    return json(std::move(more)).at("expectations").items.at(0);
  }
  // A matrix of one number at a point of one free value.
  double log_prob(const std::string& key, double at_point, std::vector<std::string> more) {
    write("p.json", "[[" + std::to_string(at_point) + "]]");
    more.insert(more.begin(), {"log-prob", at("m.stan"), "--unconstrained", at("p.json")});
    if (run(std::move(more)) != 0) ADD_FAILURE() << said();
    const testing::Json points = testing::parse_json(printed());
    const testing::Json& found = points.items.at(0).at(key);
    return found.items.empty() ? found.number : found.items.at(0).items.at(0).number;
  }
};

// ---- integrals

// A point of the square lies in the disc with the probability pi / 4; the error of N points is sqrt(p (1 - p) / N), itself
// known to 13 % by 32 replicates.
TEST_F(Basics, pi_is_four_times_the_share_of_hits_and_its_error_falls_as_the_root) {
  write("m.stan",
        "parameters { real<lower=-1, upper=1> x, y; } model { x ~ uniform(-1, 1); y ~ uniform(-1, "
        "1); }");
  const double p = 0.25 * M_PI;
  for (const int n : {64, 256}) {
    const testing::Json hits =
        expected("x * x + y * y <= 1",
                 {"--points", "independent", "--number", std::to_string(n), "--seed", "2"});
    const double error = hits.at("error").number, exact = std::sqrt(p * (1.0 - p) / (32.0 * n));
    EXPECT_NEAR(4.0 * hits.at("mean").number, M_PI, 4.0 * 4.0 * error);
    EXPECT_NEAR(error / exact, 1.0, 4.0 * 0.13) << n;
  }
}

// Riemann's sum over 64 points has 64 places in one dimension and 4 in three. The mean of x1, uniform on (0, 1), errs by
// 1 / (places sqrt 12), and a mean of 32 replicates by the root of 32 less.
TEST_F(Basics, a_grid_errs_by_the_number_of_points_to_the_power_of_minus_one_over_the_dimension) {
  for (const int dimension : {1, 3}) {
    write("m.stan", "parameters { vector<lower=0, upper=1>[" + std::to_string(dimension) +
                        "] x; } model { x ~ uniform(0, 1); }");
    const testing::Json mean = expected("x[1]", {"--points", "grid", "--number", "64"});
    const double places = dimension == 1 ? 64.0 : 4.0;
    const double exact = 1.0 / (places * std::sqrt(12.0 * 32.0));
    EXPECT_NEAR(mean.at("mean").number, 0.5, 4.0 * mean.at("error").number);
    EXPECT_NEAR(mean.at("error").number / exact, 1.0, 0.35) << dimension;
  }
}

// ---- evidences that are known in closed form, by quadrature in one dimension

TEST_F(Basics, evidences_of_conjugate_models_are_their_closed_forms) {
  struct Case {
    const char* program;
    double log_evidence;
  };
  const auto log_beta = [](double a, double b) {
    return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  };
  const std::array<Case, 3> cases{{
      // Beta(2, 3) and 7 of 10: C(10, 7) B(9, 6) / B(2, 3)
      {"parameters { real<lower=0, upper=1> p; } model { p ~ beta(2, 3); target += binomial_lpmf(7 "
       "| 10, p); }",
       std::lgamma(11.0) - std::lgamma(8.0) - std::lgamma(4.0) + log_beta(9.0, 6.0) -
           log_beta(2.0, 3.0)},
      // Gamma(3, 2) and counts 4, 1: a negative binomial
      {"parameters { real<lower=0> r; } model { r ~ gamma(3, 2); target += poisson_lpmf({4, 1} | "
       "r); }",
       3.0 * std::log(2.0) - std::lgamma(3.0) + std::lgamma(8.0) - 8.0 * std::log(4.0) -
           std::lgamma(5.0)},
      // N(1, 2²) and one outcome 2.5 with sd 1: N(2.5 | 1, 5)
      {"parameters { real m; } model { m ~ normal(1, 2); target += normal_lpdf(2.5 | m, 1); }",
       -0.5 * std::log(2.0 * M_PI * 5.0) - 0.5 * 1.5 * 1.5 / 5.0},
  }};
  for (const Case& of : cases) {
    write("m.stan", of.program);
    const testing::Json found = json({"expect", at("m.stan"), "--of", "1", "--posterior",
                                      "--points", "grid", "--number", "512"});
    const double error = found.at("log_evidence_error").number;
    EXPECT_NEAR(found.at("log_evidence").number, of.log_evidence, 4.0 * error + 1e-9) << of.program;
    EXPECT_LT(error, 1e-3) << of.program;
  }
}

// ---- priors

const char* const kScales =
    "parameters { real<lower=log(0.1), upper=log(1000)> u; real<lower=0.1, upper=1000> flat; } "
    "transformed "
    "parameters { real alpha = exp(u); } model { u ~ uniform(log(0.1), log(1000)); flat ~ "
    "uniform(0.1, 1000); }";

// Uniform in log alpha: a quarter of the mass in each of four decades; in any interval from a to 10 a.
TEST_F(Basics, a_log_uniform_prior_has_equal_mass_in_every_decade_and_a_uniform_one_has_not) {
  write("m.stan", kScales);
  const std::array<double, 5> kFrom{0.1, 1.0, 10.0, 100.0, 0.37};
  std::vector<std::string> words{"expect", at("m.stan"), "--points", "grid", "--number", "256"};
  for (const std::string name : {"alpha", "flat"})
    for (const double from : kFrom) {
      words.emplace_back("--of");
      words.push_back(name + " >= " + std::to_string(from) + " && " + name + " < " +
                      std::to_string(10.0 * from));
    }
  const testing::Json shares = json(std::move(words)).at("expectations");
  for (std::size_t k = 0; k < kFrom.size(); ++k) {
    const testing::Json &log_uniform = shares.items.at(k), &uniform = shares.items.at(5 + k);
    EXPECT_NEAR(log_uniform.at("mean").number, 0.25, 4.0 * log_uniform.at("error").number + 1e-9);
    EXPECT_LT(log_uniform.at("error").number, 0.01);
    // of masses of a thousandth few replicates have a hit, and errors don't know it: within 0.01, where a log-uniform
    // distribution's is 0.25
    EXPECT_NEAR(uniform.at("mean").number, 9.0 * kFrom[k] / 999.9,
                4.0 * uniform.at("error").number + 1e-9 + (kFrom[k] < 10.0 ? 0.01 : 0.0));
  }
}

// pi(alpha) = 1 / (alpha log(max / min)) as a statement about alpha itself: the density of log alpha, which is the free value's
// up to its own bounds' transform, doesn't depend on alpha; a uniform prior's grows with it.
TEST_F(Basics, a_log_uniform_prior_is_scale_invariant_and_normalised_by_both_bounds) {
  write(
      "m.stan",
      "parameters { real log_alpha; } model { real alpha = exp(log_alpha); target += -log(alpha) - "
      "log(log(1000 / 0.1)); target += log_alpha; }");
  for (const double u : {std::log(0.2), 0.0, std::log(900.0)})
    EXPECT_NEAR(log_prob("log_density", u, {}), -std::log(std::log(1e4)), 1e-12) << u;
  write("m.stan",
        "parameters { real log_alpha; } model { target += -log(999.9); target += log_alpha; }");
  EXPECT_NEAR(log_prob("log_density", std::log(900.0), {}) - log_prob("log_density", 0.0, {}),
              std::log(900.0), 1e-6);
}

// A parameter is placed anywhere: the density doesn't change by a translation within the bounds.
TEST_F(Basics, a_uniform_prior_is_translation_invariant_within_its_bounds) {
  write("m.stan", "parameters { real x; } model { target += uniform_lpdf(x | -3, 7); }");
  for (const double x : {-2.9, 0.0, 6.9})
    EXPECT_NEAR(log_prob("log_density", x, {}), -std::log(10.0), 1e-12);
}

// ---- information of experiments

// A survey of stars: n ~ Poisson(A p S), by which S is known with the information A p / S. The first has A = 10, p = 1; the
// second A = 40, p = 0.3, and is the better one because 12 > 10; both together have the sum.
TEST_F(Basics, information_of_surveys_says_which_is_better_and_adds) {
  const auto information = [&](const std::string& surveys) {
    write(
        "m.stan",
        "data { int K; vector[K] area, share; array[K] int n; } parameters { real s; } model { s ~ "
        "normal(5, 3); n ~ poisson(s * area .* share); }");
    write("d.json", surveys);
    return log_prob("information", 4.0,
                    {"--data", at("d.json"), "--information", "--terms", "likelihood"});
  };
  const double first = information(R"({"K": 1, "area": [10], "share": [1], "n": [0]})"),
               second = information(R"({"K": 1, "area": [40], "share": [0.3], "n": [0]})"),
               both = information(R"({"K": 2, "area": [10, 40], "share": [1, 0.3], "n": [0, 0]})"),
               other_outcome = information(R"({"K": 1, "area": [10], "share": [1], "n": [73]})");
  EXPECT_NEAR(first, 10.0 / 4.0, 1e-10);
  EXPECT_NEAR(second, 12.0 / 4.0, 1e-10);
  EXPECT_NEAR(both, first + second, 1e-10);
  EXPECT_NEAR(other_outcome, first, 1e-10);  // it can be told before there are data
  EXPECT_GT(second, first);
}

// Means of 20 Poisson counts with the rate 4 have the variance that the bound says, medians of normals pi / 2 times theirs; an
// estimate that isn't unbiased may have less: zero.
TEST_F(Basics, variances_of_unbiased_estimates_are_not_below_the_bound_of_cramer_and_rao) {
  write("m.stan",
        "data { int N; array[N] int n; } parameters { real s; } model { s ~ normal(0, 1); n ~ "
        "poisson(rep_vector(s, N)); }");
  std::string zeros = "0";
  for (int k = 1; k < 20; ++k) zeros += ", 0";
  write("d.json", "{\"N\": 20, \"n\": [" + zeros + "]}");
  const std::vector<std::string> asked{"--data", at("d.json"), "--inverse-information", "--terms",
                                       "likelihood"};
  const double bound = log_prob("inverse_information", 4.0, asked);
  EXPECT_NEAR(bound, 4.0 / 20.0, 1e-12);

  write("m.stan",
        "data { int N; vector[N] n; } parameters { real s; } model { s ~ normal(0, 1); n ~ "
        "normal(s, 1); }");
  const double normal_bound = log_prob("inverse_information", 4.0, asked);
  EXPECT_NEAR(normal_bound, 1.0 / 20.0, 1e-12);

  std::mt19937_64 random(7);
  std::poisson_distribution<int> count(4.0);
  std::normal_distribution<double> outcome(4.0, 1.0);
  constexpr int kRuns = 20'000;
  double of_mean = 0.0, of_median = 0.0;
  for (int k = 0; k < kRuns; ++k) {
    double sum = 0.0;
    std::array<double, 20> y{};
    for (double& v : y) sum += count(random) / 20.0, v = outcome(random);
    std::sort(y.begin(), y.end());
    of_mean += std::pow(sum - 4.0, 2) / kRuns;
    of_median += std::pow(0.5 * (y[9] + y[10]) - 4.0, 2) / kRuns;
  }
  // variances of 20,000 estimates: relative errors of sqrt(2 / 20,000), 4 of them
  EXPECT_NEAR(of_mean / bound, 1.0, 0.04);
  EXPECT_GT(of_median / normal_bound, 1.4);
  EXPECT_LT(of_median / normal_bound, 0.5 * M_PI * 1.04);
}

// Five outcomes of a normal distribution: by its mean and standard deviation 5 / s² and 10 / s²; by log s it is 10, the mutant.
TEST_F(Basics, information_by_the_parameters_is_that_of_mean_and_standard_deviation) {
  write(
      "m.stan",
      "data { vector[5] y; } parameters { real m; real<lower=0> s; } model { m ~ normal(0, 9); s ~ "
      "exponential(1); y ~ normal(m, s); }");
  write("d.json", R"({"y": [0, 0, 0, 0, 0]})");
  write("p.json", R"([{"m": 0.7, "s": 1.5}])");
  const auto point_of = [&](std::vector<std::string> more) {
    std::vector<std::string> words{
        "log-prob",      at("m.stan"), "--data",        at("d.json"),
        "--constrained", at("p.json"), "--information", "--inverse-information",
        "--terms",       "likelihood"};
    words.insert(words.end(), more.begin(), more.end());
    return json(std::move(words)).items.at(0);
  };
  const auto element = [](const testing::Json& point, const char* name, std::size_t i) {
    return point.at(name).items.at(i).items.at(i).number;
  };
  const testing::Json own = point_of({"--by-parameters"}), free = point_of({});
  EXPECT_NEAR(element(own, "information", 0), 5.0 / 2.25, 1e-8);
  EXPECT_NEAR(element(own, "information", 1), 10.0 / 2.25, 1e-8);
  EXPECT_NEAR(element(own, "inverse_information", 1), 0.225, 1e-8);
  EXPECT_EQ(own.at("information_names").items.at(1).text, "s");
  EXPECT_NEAR(element(free, "information", 1), 10.0, 1e-8);
  EXPECT_EQ(run({"log-prob", at("m.stan"), "--data", at("d.json"), "--constrained", at("p.json"),
                 "--by-parameters"}),
            2);
}

// Jeffreys' prior is the root of the information's determinant. By a normal distribution's mean and standard deviation it is
// N √2 / s², by s alone √(2 N) / s, by the mean alone it is flat; by a rate or its square it is one prior, with the slope between them.
TEST_F(Basics, the_prior_of_jeffreys_is_the_root_of_the_information) {
  const auto at_point = [&](const std::string& program, const std::string& data,
                            const std::string& point) {
    write("m.stan", program);
    write("d.json", data);
    write("p.json", "[" + point + "]");
    return json({"log-prob", at("m.stan"), "--data", at("d.json"), "--constrained", at("p.json"),
                 "--information", "--by-parameters", "--terms", "likelihood"})
        .items.at(0)
        .at("log_jeffreys")
        .number;
  };
  const std::string outcomes = R"({"y": [0, 1, 0, 0, 0]})";
  const std::string both =
      "data { vector[5] y; } parameters { real m; real<lower=0> s; } model { y ~ normal(m, s); }";
  EXPECT_NEAR(at_point(both, outcomes, R"({"m": 0.7, "s": 1.5})"),
              std::log(5.0 * std::sqrt(2.0) / 2.25), 1e-8);
  const std::string spread =
      "data { vector[5] y; } parameters { real<lower=0> s; } model { y ~ normal(0, s); }";
  for (const double s : {0.3, 2.0})
    EXPECT_NEAR(at_point(spread, outcomes, fmt::format(R"({{"s": {}}})", s)),
                std::log(std::sqrt(10.0) / s), 1e-8);
  const std::string place =
      "data { vector[5] y; } parameters { real m; } model { y ~ normal(m, 2); }";
  for (const double m : {-3.0, 8.0})
    EXPECT_NEAR(at_point(place, outcomes, fmt::format(R"({{"m": {}}})", m)),
                0.5 * std::log(5.0 / 4.0), 1e-8);
  const std::string counts = R"({"n": [3, 0, 7]})";
  const auto rate = [&](const std::string& of, double value) {
    return at_point("data { array[3] int n; } parameters { real<lower=0> a; } model { n ~ poisson(" +
                        of + "); }",
                    counts, fmt::format(R"({{"a": {}}})", value));
  };
  EXPECT_NEAR(rate("a", 4.0), 0.5 * std::log(3.0 / 4.0), 1e-8);
  EXPECT_NEAR(rate("a^2", 2.0), rate("a", 4.0) + std::log(4.0), 1e-8);  // d(a²)/da = 4 at 2
}

// The score has the mean zero at the parameters that the data come from, though it isn't zero for one data set.
TEST_F(Basics, the_mean_of_the_score_is_zero_where_the_data_come_from) {
  write("m.stan", R"(data { int N; } transformed data { array[N] int n = poisson_rng(rep_vector(4, N)); }
parameters { real a; } model { n ~ poisson(a); })");
  write("p.json", "[[4], [4.3]]");
  double here = 0.0, beside = 0.0, squares = 0.0;
  constexpr int kRuns = 200, kRows = 20;
  for (int k = 0; k < kRuns; ++k) {
    write("d.json", fmt::format(R"({{"N": {}}})", kRows));
    const auto points = json({"log-prob", at("m.stan"), "--data", at("d.json"), "--unconstrained",
                              at("p.json"), "--seed", std::to_string(k + 1)});
    const double score = points.items.at(0).at("gradient").items.at(0).number;
    here += score / kRuns, squares += score * score / kRuns;
    beside += points.items.at(1).at("gradient").items.at(0).number / kRuns;
  }
  // Its variance is the information, 20 / 4.
  const double error = std::sqrt(5.0 / kRuns);
  EXPECT_NEAR(here, 0.0, 4.0 * error);
  EXPECT_NEAR(squares, 5.0, 4.0 * 5.0 * std::sqrt(2.0 / kRuns));
  EXPECT_LT(beside, -4.0 * error);  // 20 (4 / 4.3 - 1) = -1.4
}

TEST_F(Basics, a_bound_of_what_the_data_say_nothing_of_is_refused) {
  write("m.stan",
        "data { real y; } parameters { real a, b; } model { a ~ normal(0, 1); b ~ normal(0, 1); y "
        "~ normal(a + b, 1); }");
  write("d.json", R"({"y": 1})");
  write("p.json", "[[0, 0]]");
  ASSERT_EQ(run({"log-prob", at("m.stan"), "--data", at("d.json"), "--unconstrained", at("p.json"),
                 "--inverse-information", "--terms", "likelihood"}),
            0)
      << said();
  EXPECT_NE(printed().find("singular"), std::string::npos) << printed();
}

// Priors that know 1e4 and 4e17 times as much as the data are no part of the information, not by their rounding either.
TEST_F(Basics, a_bound_of_what_sharp_priors_alone_know_is_refused) {
  write("m.stan",
        "data { real y; } parameters { real a, b; } model { a ~ normal(0.1, 0.01); b ~ normal(0.1, "
        "0.01); y ~ normal(a + 3 * b, 1.7); }");
  write("d.json", R"({"y": 1})");
  write("p.json", "[[0.3, 0.2]]");
  const testing::Json point =
      json({"log-prob", at("m.stan"), "--data", at("d.json"), "--unconstrained", at("p.json"),
            "--information", "--inverse-information", "--terms", "likelihood"})
          .items.at(0);
  const std::array<std::array<double, 2>, 2> exact{{{1.0, 3.0}, {3.0, 9.0}}};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(point.at("information").items.at(i).items.at(j).number, exact[i][j] / (1.7 * 1.7),
                  1e-14);
  EXPECT_NE(printed().find("inverse_information_error"), std::string::npos) << printed();
  EXPECT_NE(printed().find("singular"), std::string::npos) << printed();
}

TEST_F(Basics, information_of_data_is_told_beside_a_prior_that_knows_all) {
  write(
      "m.stan",
      "data { int y; } parameters { real d; } model { d ~ normal(4, 1e-9); y ~ poisson(10 * d); }");
  write("d.json", R"({"y": 1})");
  std::vector<std::string> asked{"--data", at("d.json"), "--information", "--terms", "likelihood"};
  EXPECT_NEAR(log_prob("information", 4.0, asked), 2.5, 1e-14);
  asked[2] = "--inverse-information";
  EXPECT_NEAR(log_prob("inverse_information", 4.0, asked), 0.4, 1e-14);
}

TEST_F(Basics, the_information_of_a_prior_is_refused_under_the_name_that_was_given) {
  write("m.stan", "parameters { real d; } model { d ~ normal(4, 1); }");
  write("p.json", "[[4]]");
  for (const std::string option : {"--information", "--inverse-information"}) {
    EXPECT_EQ(run({"log-prob", at("m.stan"), "--unconstrained", at("p.json"), option, "--terms",
                   "prior"}),
              2);
    EXPECT_EQ(said().find(option + ": error"), 0u) << said();
  }
}

// Of counts y ~ Poisson(e^t): the mean log likelihood at t over data from t0 is N (e^t0 t - e^t), in quadratic approximation
// -(t - t0)² I / 2 with I = N e^t0; so the forecast of the width is I^-1/2, and a posterior of data at their mean has it.
TEST_F(Basics, the_likelihood_is_nearly_normal_with_the_width_that_the_information_forecasts) {
  constexpr double kTruth = 2.0;
  constexpr int kCounts = 50;
  write("m.stan",
        "data { int N; array[N] int n; } parameters { real t; } model { n ~ "
        "poisson_log(rep_vector(t, N)); }");
  const auto data_of = [&](const std::function<int()>& next) {
    std::string numbers = std::to_string(next());
    for (int k = 1; k < kCounts; ++k) numbers += ", " + std::to_string(next());
    write("d.json", "{\"N\": " + std::to_string(kCounts) + ", \"n\": [" + numbers + "]}");
  };
  data_of([] { return 0; });
  const std::vector<std::string> asked{"--data", at("d.json")};
  std::vector<std::string> with_information = asked;
  with_information.emplace_back("--inverse-information");
  const double width = std::sqrt(log_prob("inverse_information", kTruth, with_information));
  EXPECT_NEAR(width, 1.0 / std::sqrt(kCounts * std::exp(kTruth)), 1e-12);

  // The mean over data is linear in their sum: 60 data sets, with the Monte Carlo error of the slope, t - t0 times it.
  std::mt19937_64 random(8);
  std::poisson_distribution<int> count(std::exp(kTruth));
  constexpr int kSets = 60;
  double at_truth = 0.0, beside = 0.0;
  const double off = 0.5 * width;
  for (int k = 0; k < kSets; ++k) {
    data_of([&] { return count(random); });
    at_truth += log_prob("log_density", kTruth, asked) / kSets;
    beside += log_prob("log_density", kTruth + off, asked) / kSets;
  }
  // sd of the sum of counts, 1 / width, over sqrt(60); the third order of the likelihood is off³ / (6 width²)
  const double error = off / width / std::sqrt(double(kSets));
  EXPECT_NEAR(beside - at_truth, -0.125,
              4.0 * error + std::pow(off, 3) / (6.0 * width * width) * 1.1);

  data_of([] { return 7; });  // e^2 = 7.39
  ASSERT_EQ(run({"sample", at("m.stan"), "--data", at("d.json"), "--seed", "1", "--quiet", "-o",
                 at("fit.nc")}),
            0)
      << said();
  const testing::Json row = json({"summary", at("fit.nc"), "--columns", "t"}).items.at(0);
  EXPECT_NEAR(row.at("sd").number / width, std::sqrt(std::exp(kTruth) / 7.0),
              4.0 * row.at("mcse_sd").number / width + 0.01);
}

// ---- information gained

// m ~ N(0, 2²) and y = 3 with sd 1: posterior N(2.4, 0.8). KL(posterior | prior) = log(2 / sqrt 0.8) + (0.8 + 2.4²) / 8 - 1/2.
TEST_F(Basics, information_gained_from_data_is_the_divergence_of_posterior_and_prior) {
  write("m.stan",
        "data { real y; } parameters { real m; } model { m ~ normal(0, 2); y ~ normal(m, 1); }");
  write("d.json", R"({"y": 3})");
  const testing::Json found =
      json({"sample", at("m.stan"), "--data", at("d.json"), "--sampler", "nested", "--live-points",
            "400", "--chains", "4", "--seed", "5", "-o", at("fit.nc")});
  const double exact = std::log(2.0 / std::sqrt(0.8)) + (0.8 + 2.4 * 2.4) / 8.0 - 0.5;
  double mean = 0.0, squares = 0.0;
  for (const testing::Json& chain : found.at("chains").items) {
    const double gain = chain.at("tuned").at("information").items.at(0).number;
    mean += gain / 4.0, squares += (gain - exact) * (gain - exact) / 4.0;
  }
  // that of the evidence, sqrt(H / live points), for each chain
  EXPECT_NEAR(mean, exact, 4.0 * std::sqrt(exact / 400.0 / 4.0));
  EXPECT_GT(std::sqrt(squares), 1e-4);  // chains are runs of their own
}

// ---- binomials

// exp(log Γ(n + 1) - log Γ(n - k + 1) - log Γ(k + 1)): hands of poker; and where factorials overflow, against sums of
// logarithms.
TEST_F(Basics, binomial_coefficients_are_known_by_their_logarithms) {
  write("m.stan",
        "parameters { real x; } transformed parameters { real hands = exp(lchoose(52, 5)); real "
        "large = "
        "lchoose(100000, 40000) + 0 * x; } model { x ~ normal(0, 1); }");
  double large = 0.0;
  for (int i = 1; i <= 40'000; ++i) large += std::log(60'000.0 + i) - std::log(double(i));
  EXPECT_NEAR(expected("hands", {"--number", "8"}).at("mean").number, 2'598'960.0, 1e-6);
  EXPECT_NEAR(expected("large", {"--number", "8"}).at("mean").number / large, 1.0, 1e-12);
}

}  // namespace
}  // namespace credo::cli::basics_test
