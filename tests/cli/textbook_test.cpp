// What textbooks begin with, by the commands: Bayes' rule and its evidence, data that come in parts, modes and
// what they leave out, predictions, bets.
#include <fmt/format.h>

#include <numbers>

#include "cli/results.hpp"
#include "results/files/fit.hpp"
#include "support/command_run.hpp"

namespace credo::cli::textbook_test {
namespace {
constexpr double kErrors = 4.5;  // 7e-6 each; some 60 figures in this file: 4e-4 for all

class Textbook : public testing::CommandRun {
 protected:
  Textbook() : CommandRun("textbook") {}

  std::string draw(const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words{"sample", at(name + ".stan"), "--seed", "1", "--quiet",
                                   "-o",     at(name + ".nc")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << said();
    return at(name + ".nc");
  }
  std::string sample(const std::string& name, const std::string& data,
                     std::vector<std::string> more = {}) {
    write(name + ".json", data);
    more.insert(more.end(), {"--data", at(name + ".json")});
    return draw(name, more);
  }
  // name -> figures of `credo summary`.
  std::map<std::string, testing::Json> summary(const std::string& file) {
    std::map<std::string, testing::Json> rows;
    for (const testing::Json& row : json({"summary", file}).items) rows[row.at("name").text] = row;
    return rows;
  }
  // name -> value, as `credo optimize` finds it.
  std::map<std::string, double> mode(const std::string& name, const std::string& data) {
    write(name + ".json", data);
    std::map<std::string, double> values;
    const testing::Json told =
        json({"optimize", at(name + ".stan"), "--data", at(name + ".json"), "--seed", "1"});
    for (const testing::Json& row : told.at("mode").items)
      values[row.at("name").text] = row.at("value").number;
    return values;
  }
  static infer::LogEvidence evidence_of(const std::string& file) {
    return *infer::log_evidence(open_fit(std::span(&file, 1))->result());
  }
  static void expect_mean(const testing::Json& row, double wanted) {
    EXPECT_NEAR(row.at("mean").number, wanted, kErrors * row.at("mcse_mean").number)
        << row.at("name").text;
  }
};

double inv_logit(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// Of counts y with a rate ~ gamma(a, b): log of the integral of likelihood times prior.
double log_evidence_of_counts(double a, double b, const std::vector<double>& y) {
  double total = 0.0, factorials = 0.0;
  for (const double k : y) total += k, factorials += std::lgamma(k + 1.0);
  const double n = static_cast<double>(y.size());
  return a * std::log(b) - std::lgamma(a) + std::lgamma(a + total) - (a + total) * std::log(b + n) -
         factorials;
}

// The posterior after three counts is the prior of the next two: together they are the posterior of all five, and the evidences
// are P(D1) and P(D2 | D1), whose product is that of all. Each is held to its closed form.
TEST_F(Textbook, posterior_of_the_first_data_is_the_prior_of_the_next) {
  const std::string program =
      "data { int n; array[n] int y; real a; real b; } parameters { real<lower=0> rate; } "
      "model { rate ~ gamma(a, b); y ~ poisson(rate); }";
  const std::vector<std::string> by_smc{"--sampler", "smc", "--draws", "4000"};
  for (const char* name : {"first", "next", "all"}) write(std::string(name) + ".stan", program);
  const std::string first = sample("first", R"({"n": 3, "y": [2, 4, 3], "a": 2, "b": 1})", by_smc);
  const std::string next = sample("next", R"({"n": 2, "y": [7, 5], "a": 11, "b": 4})", by_smc);
  const std::string all =
      sample("all", R"({"n": 5, "y": [2, 4, 3, 7, 5], "a": 2, "b": 1})", by_smc);
  expect_mean(summary(first).at("rate"), 11.0 / 4.0);
  expect_mean(summary(next).at("rate"), 23.0 / 6.0);
  expect_mean(summary(all).at("rate"), 23.0 / 6.0);
  const infer::LogEvidence d1 = evidence_of(first), d2 = evidence_of(next), both = evidence_of(all);
  EXPECT_NEAR(d1.value, log_evidence_of_counts(2, 1, {2, 4, 3}), kErrors * d1.error);
  EXPECT_NEAR(d2.value, log_evidence_of_counts(11, 4, {7, 5}), kErrors * d2.error);
  EXPECT_NEAR(both.value, log_evidence_of_counts(2, 1, {2, 4, 3, 7, 5}), kErrors * both.error);
  const double error = std::hypot(std::hypot(d1.error, d2.error), both.error);
  EXPECT_LT(error, 0.1);
  EXPECT_NEAR(d1.value + d2.value, both.value, kErrors * error);
  // P(D2) by the first prior, which is another number, doesn't do.
  EXPECT_GT(std::abs(d1.value + log_evidence_of_counts(2, 1, {7, 5}) - both.value),
            kErrors * error);
}

// Normal data with a known scale: (X'X / s^2 + 1 / t^2)^-1 X'y / s^2 with x = -1, 0, 2 and y = 1, 2, 5, s = 2, t = 3. Classes by a
// simplex for each value of a feature: Dirichlet's means.
TEST_F(Textbook, regression_and_classification_have_their_conjugate_posteriors) {
  write("line.stan",
        "data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; } model { a ~ "
        "normal(0, 3); b ~ normal(0, 3); y ~ normal(a + b * x, 2); }");
  const auto line =
      summary(sample("line", R"({"N": 3, "x": [-1, 0, 2], "y": [1, 2, 5]})", {"--draws", "4000"}));
  const double aa = 3.0 / 4 + 1.0 / 9, ab = 1.0 / 4, bb = 5.0 / 4 + 1.0 / 9, ya = 8.0 / 4,
               yb = 9.0 / 4, determinant = aa * bb - ab * ab;
  expect_mean(line.at("a"), (bb * ya - ab * yb) / determinant);
  expect_mean(line.at("b"), (aa * yb - ab * ya) / determinant);
  write("classes.stan",
        "data { int N; array[N] int s; array[N] int y; } parameters { array[2] simplex[3] h; } "
        "model { for (k in 1:2) h[k] ~ dirichlet([1, 1, 1]'); for (n in 1:N) y[n] ~ "
        "categorical(h[s[n]]); }");
  const auto classes = summary(
      sample("classes", R"({"N": 7, "s": [1, 1, 1, 2, 2, 2, 2], "y": [1, 1, 2, 3, 3, 3, 1]})"));
  const double wanted[2][3] = {{3.0 / 6, 2.0 / 6, 1.0 / 6}, {2.0 / 7, 1.0 / 7, 4.0 / 7}};
  for (int k = 0; k < 2; ++k)
    for (int y = 0; y < 3; ++y)
      expect_mean(classes.at("h." + std::to_string(k + 1) + "." + std::to_string(y + 1)),
                  wanted[k][y]);
}

// z ~ normal(0, 1), x ~ normal(0, e^z): the joint density is highest at z = -1, the marginal one at 0.
TEST_F(Textbook, joint_mode_is_away_from_the_mode_of_a_marginal) {
  write("scale.stan",
        "parameters { real z; real x; } model { z ~ normal(0, 1); x ~ normal(0, exp(z)); }");
  EXPECT_NEAR(mode("scale", "{}").at("z"), -1.0, 1e-5);
  const testing::Json regions =
      json({"summary", draw("scale", {"--sampler", "exact"}), "--regions", "--columns", "z"});
  // The mode of a kernel density of 4,000 draws is off by some 0.1.
  EXPECT_NEAR(regions.at("regions").items[0].at("mode").number, 0.0, 0.4);
}

// y of n by a uniform prior: the mode is y / n, as that of the likelihood; a prediction by it leaves the
// uncertainty out, which the posterior's (y + 1) / (n + 2) has.
TEST_F(Textbook, prediction_by_a_mode_leaves_uncertainty_out) {
  write(
      "coin.stan",
      "data { int n; int y; } parameters { real<lower=0, upper=1> p; } model { p ~ beta(1, 1); y ~ "
      "binomial(n, p); } generated quantities { real next = p; }");
  const std::string data = R"({"n": 10, "y": 9})";
  EXPECT_NEAR(mode("coin", data).at("next"), 0.9, 1e-6);
  expect_mean(summary(sample("coin", data)).at("next"), 10.0 / 12.0);
}

// Heights against a centred weight: under a slope of normal(0, 10) as many lines fall as rise, and some people are taller than any
// that ever was, 272 cm, or shorter than nothing.
TEST_F(Textbook, prior_predictive_lines_show_a_slope_that_can_not_be) {
  const auto chances = [&](const std::string& name, const std::string& slope) {
    write(name + ".stan", "parameters { real a; real b; } model { a ~ normal(178, 20); b ~ " +
                              slope + "; } generated quantities { real tall = a + b * 20; }");
    std::vector<double> all;
    const testing::Json told = json({"summary", draw(name, {"--sampler", "exact"}), "--where",
                                     "b < 0", "--where", "tall > 272 || tall < 0"});
    for (const testing::Json& one : told.at("where").items)
      all.push_back(one.at("probability").number);
    return all;
  };
  const double error = std::sqrt(0.25 / 4000);
  const std::vector<double> vague = chances("vague", "normal(0, 10)"),
                            sensible = chances("sensible", "lognormal(0, 1)");
  EXPECT_NEAR(vague.at(0), 0.5, kErrors * error);
  // tall ~ normal(178, sqrt(20^2 + 200^2)).
  const double sd = std::sqrt(40400.0), tail = 0.5 * std::erfc((272 - 178) / sd / std::sqrt(2.0)) +
                                               0.5 * std::erfc(178 / sd / std::sqrt(2.0));
  EXPECT_NEAR(vague.at(1), tail, kErrors * error);
  EXPECT_EQ(sensible.at(0), 0.0);
  EXPECT_LT(sensible.at(1), tail / 3.0);
}

constexpr const char* kTeacher =
    "data { int N; vector[N] x; } parameters { real a; real b; } model { a ~ normal(0.5, 1); b ~ "
    "normal(2, 1.5); } generated quantities { vector[N] p = inv_logit(a + b * x); }";
constexpr const char* kPlaces = R"({"N": 5, "x": [-2, -1, 0, 1, 2]})";

// Coefficients of a normal distribution: the mean of the logistic function is that of a mean which is drawn in,
// kappa(v) = (1 + pi v / 8)^(-1/2); the logistic function of the mean alone is too sure.
TEST_F(Textbook, moderated_output_is_close_to_the_mean_over_draws_and_the_plug_in_is_not) {
  write("teacher.stan", kTeacher);
  const auto means = summary(
      sample("teacher", kPlaces, {"--sampler", "exact", "--terms", "prior", "--draws", "10000"}));
  for (int i = 0; i < 5; ++i) {
    const double x = i - 2, m = 0.5 + 2.0 * x, v = 1.0 + 2.25 * x * x;
    const testing::Json& row = means.at("p." + std::to_string(i + 1));
    const double mean = row.at("mean").number, error = kErrors * row.at("mcse_mean").number,
                 moderated = inv_logit(m / std::sqrt(1.0 + std::numbers::pi * v / 8.0));
    EXPECT_NEAR(moderated, mean, 0.012 + error) << x;  // it is 0.011 off at most, in the tails
    EXPECT_GT(std::abs(inv_logit(m) - 0.5), std::abs(mean - 0.5)) << x;
    if (i != 2) {  // where the variance counts
      EXPECT_GT(std::abs(inv_logit(m) - mean), 0.05) << x;
    }
  }
}

// A student with two coefficients learns the mean of a teacher's draws: the sum of KL(teacher || student) is least, which is less than
// that of the teacher's mean coefficients.
TEST_F(Textbook, student_learns_the_mean_of_a_teacher) {
  write("teacher.stan", kTeacher);
  const auto means = summary(
      sample("teacher", kPlaces, {"--sampler", "exact", "--terms", "prior", "--draws", "10000"}));
  std::vector<double> teacher;
  std::string text;
  for (int i = 1; i <= 5; ++i) {
    teacher.push_back(means.at("p." + std::to_string(i)).at("mean").number);
    text += (i > 1 ? ", " : "") + fmt::format("{}", teacher.back());
  }
  write("student.stan",
        "data { int N; vector[N] x; vector[N] t; } parameters { real a; real b; } model { for (n "
        "in 1:N) "
        "target += t[n] * bernoulli_logit_lpmf(1 | a + b * x[n]) + (1 - t[n]) * "
        "bernoulli_logit_lpmf(0 "
        "| a + b * x[n]); }");
  const auto student = mode("student", R"({"N": 5, "x": [-2, -1, 0, 1, 2], "t": [)" + text + "]}");
  const auto divergence = [&](double a, double b) {
    double sum = 0.0;
    for (int i = 0; i < 5; ++i) {
      const double t = teacher[static_cast<std::size_t>(i)], s = inv_logit(a + b * (i - 2));
      sum += t * std::log(t / s) + (1.0 - t) * std::log((1.0 - t) / (1.0 - s));
    }
    return sum;
  };
  const double a = student.at("a"), b = student.at("b"), least = divergence(a, b);
  EXPECT_LT(b, 2.0);  // less sure than the mean coefficients
  EXPECT_LT(least, 0.2 * divergence(0.5, 2.0));
  for (const double step : {-0.01, 0.01}) {
    EXPECT_GT(divergence(a + step, b), least);
    EXPECT_GT(divergence(a, b + step), least);
  }
}

// Squares with a penalty: the minimum of sum (y - bx)^2 / N + lambda b^2 is sum xy / (sum x^2 + N lambda), the mode under the prior
// that is the penalty; without it the mode is that of least squares.
TEST_F(Textbook, penalised_risk_is_least_at_the_mode) {
  write("ridge.stan",
        "data { int N; vector[N] x; vector[N] y; real lambda; } parameters { real b; } model { "
        "target += "
        "-dot_self(y - b * x) / N - lambda * square(b); }");
  const std::string data = R"({"N": 4, "x": [1, 2, -1, 3], "y": [2, 3, -2, 7], "lambda": )";
  EXPECT_NEAR(mode("ridge", data + "0.5}").at("b"), 31.0 / 17.0, 1e-6);
  EXPECT_NEAR(mode("ridge", data + "0}").at("b"), 31.0 / 15.0, 1e-6);
}

// A die's face: who wins 5 for 1 is indifferent, since (1 - p) / p = 5; at better odds the bet is taken,
// at worse ones it isn't. And the other way round: from odds of 1000 for 1 on p = 1 / 1001.
TEST_F(Textbook, bet_is_taken_where_its_odds_are_better_than_the_probability) {
  write("die.stan", "generated quantities { int face = categorical_rng(rep_vector(1.0 / 6, 6)); }");
  const std::string file = draw("die", {"--draws", "10000"});
  const testing::Json seen = json({"summary", file, "--where", "face == 1"}).at("where").items[0];
  const double p = seen.at("probability").number, error = seen.at("error").number;
  EXPECT_NEAR(p, 1.0 / 6.0, kErrors * error);
  EXPECT_NEAR((1.0 - p) / p, 5.0, kErrors * error * 36.0);  // d/dp (1 - p) / p = -1 / p^2
  const auto best = [&](const std::string& win) {
    return json({"summary", file, "--loss", "action * (face == 1 ? -" + win + " : 1)", "--action",
                 "0", "--action", "1"})
        .at("best_action")
        .number;
  };
  EXPECT_EQ(best("6"), 1.0);
  EXPECT_EQ(best("4"), 0.0);
  // A draw of uniform numbers is below p with probability p: who wins 1000 or loses 250 needs p > 1/5.
  write("chance.stan", "parameters { real<lower=0, upper=1> u; } model { u ~ beta(1, 1); }");
  const std::string chance = draw("chance", {"--sampler", "exact", "--draws", "10000"});
  const auto taken = [&](const std::string& p_of_winning) {
    return json({"summary", chance, "--loss", "action * (u < " + p_of_winning + " ? -1000 : 250)",
                 "--action", "0", "--action", "1"})
        .at("best_action")
        .number;
  };
  EXPECT_EQ(taken("0.22"), 1.0);
  EXPECT_EQ(taken("0.18"), 0.0);
}

}  // namespace
}  // namespace credo::cli::textbook_test
